/**
 * One run in the hands of a worker: begin, work, store the result, acknowledge, in this order.
 *
 * Aborted, it stops before its next effect and leaves run and entry as they are: `running`, pending. A
 * request that has left cannot be called back; the run is settled only when that is answered, so that
 * nothing of it happens after somebody else has been let in. Silence of store or Redis is tried again.
 * The work of this lab is to wait; a text that begins with `fail` is work that fails.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { isSlip } from 'agent-30days-shared/slip.ts'
import type { Redis } from 'ioredis'
import { acknowledge, type Entry } from './entries.ts'
import type { RunStore } from './run-store.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** Thrown inside a run that was given up. */
class GivenUp extends Error {
  override readonly name = 'GivenUp'
}

export interface RunTools {
  readonly workerId: string
  readonly store: RunStore
  readonly redis: Redis
  /** What a run takes that does not say it itself. */
  readonly workMs: number
}

export class Run {
  readonly entry: Entry
  /** Resolves when it is acknowledged or given up. Rejects for slips in the code only. */
  readonly settled: Promise<void>
  readonly #tools: RunTools
  readonly #stop = new AbortController()

  constructor(entry: Entry, tools: RunTools) {
    this.entry = entry
    this.#tools = tools
    this.settled = this.#handle().catch((error: unknown) => {
      if (!(error instanceof GivenUp)) throw error
      say('run.given-up', { runId: entry.runId, reason: error.message })
    })
  }

  get aborted(): boolean {
    return this.#stop.signal.aborted
  }

  /** Gives the run up, as soon as what has left is answered. */
  abort(reason: string): void {
    if (!this.aborted) this.#stop.abort(new GivenUp(reason))
  }

  async #handle(): Promise<void> {
    const { runId, id } = this.entry
    const { store, redis, workerId } = this.#tools
    const status = await this.#insist('begin', () => store.begin(runId, workerId))
    if (status === 'running') {
      say('run.started', { runId })
      const result = { runId, workerId, ...(await this.#work()) }
      const outcome = await this.#insist('finish', () => store.finish(result))
      say('run.finished', { runId, status: result.status, outcome })
    }
    await this.#insist('acknowledge', () => acknowledge(redis, id))
    say('acknowledged', { runId })
  }

  async #work(): Promise<{ readonly status: 'done' | 'failed'; readonly text: string }> {
    const { text, workMs } = this.entry
    await this.#sleep(workMs ?? this.#tools.workMs)
    if (text.startsWith('fail')) return { status: 'failed', text: `could not do: ${text}` }
    return { status: 'done', text: `answer to: ${text}` }
  }

  /** Again and again, until it is answered or the run is given up. */
  async #insist<T>(what: string, job: () => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      this.#stop.signal.throwIfAborted()
      try {
        return await job()
      } catch (error) {
        if (isSlip(error)) throw error
        say('run.retried', { runId: this.entry.runId, what, error: textOf(error) })
      }
      await this.#sleep(pauseMs)
    }
  }

  /** Resolves after `ms`; rejects as soon as the run is given up. */
  #sleep(ms: number): Promise<void> {
    const { signal } = this.#stop
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const wake = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', wake)
        resolve()
      }, ms)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
