/**
 * Runs worlds in child processes and collects their traces: the judge's side of the simulated arm.
 *
 * Jobs go to one child, one after another (a long batch to several in turn). When a child hangs, crashes or takes too much memory,
 * the job it was at ends with `world.ended` saying so, and the jobs after it go on in a fresh child.
 * The child has a process group of its own, an empty environment, a heap limit, and nothing of ours
 * but the trace's descriptor. It is gone when `runWorlds` settles, and when this process exits.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import type { TraceEvent, WorldEnded } from '../trace/events.ts'
import { Digest } from '../trace/recorder.ts'
import { CHANNEL_FD, ChannelReader } from './channel.ts'
import { guardOf, killGroup } from './guard.ts'
import type { PreflightResult, WorldJob, WorldResult } from './job.ts'
import { type Alarm, Watchdog } from './watchdog.ts'

/** Detail of a `world.ended` that is the machine's fault begins with this. */
export const MACHINE_TROUBLE = 'machine: '

/** A bug of ours inside a world child. */
export class WorldBug extends Error {
  override readonly name = 'WorldBug'
}

export interface RunOptions {
  /** Path of the built world-main. */
  readonly worldMain: string
  readonly onResult?: (result: WorldResult) => void
  /** Every event as it arrives, with its JSON. */
  readonly onEvent?: (event: TraceEvent, json: string) => void
  /**
   * The child waits for a debugger before it begins; called with the inspector's address. Nothing
   * watches for hangs then: a program that stands at a breakpoint looks like one.
   */
  readonly onInspector?: (address: string) => void
}

/** Worlds in one child, at the most: a world leaves some 3 MB behind in V8, and the heap has a limit. */
const JOBS_PER_CHILD = 50

const NODE_FLAGS = [
  '--experimental-vm-modules',
  '--disallow-code-generation-from-strings',
  '--no-warnings',
  '--max-old-space-size=384',
]

/** A job on its way. */
class Progress {
  readonly job: WorldJob
  preflight: PreflightResult | null = null
  readonly #began = performance.now()
  readonly #events: TraceEvent[] = []
  readonly #digest = new Digest()
  readonly #onEvent: RunOptions['onEvent']

  constructor(job: WorldJob, onEvent: RunOptions['onEvent']) {
    this.job = job
    this.#onEvent = onEvent
  }

  add(json: string): void {
    const event = JSON.parse(json) as TraceEvent
    this.#events.push(event)
    this.#digest.add(event, json)
    this.#onEvent?.(event, json)
  }

  get ended(): boolean {
    return this.#events.at(-1)?.kind === 'world.ended'
  }

  /** Adds the end that the child could not tell itself. */
  endWith(why: WorldEnded['why'], detail: string): void {
    const last = this.#events.at(-1)
    const place = { i: this.#events.length, t: last?.t ?? 0 }
    this.add(JSON.stringify({ ...place, kind: 'world.ended', why, detail, never: [] }))
  }

  result(): WorldResult {
    const { job, preflight } = this
    const realMs = performance.now() - this.#began
    return { id: job.id, preflight, events: this.#events, digest: this.#digest.hex(), realMs }
  }
}

/** Children alive now: ended when this process ends. */
const children = new Set<ChildProcess>()

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function killChildren(): void {
  for (const child of children) killGroup(child)
}

/** Children have a process group of their own, so a Ctrl-C reaches only us: it is passed on, harder. */
function endWithChildren(signal: NodeJS.Signals): void {
  killChildren()
  watchSignals(false)
  process.kill(process.pid, signal)
}

function watchSignals(on: boolean): void {
  for (const signal of ENDING_SIGNALS) {
    if (on) process.on(signal, endWithChildren)
    else process.off(signal, endWithChildren)
  }
}

process.on('exit', killChildren)

function howItEnded(
  code: number | null,
  signal: string | null,
  alarm: Alarm | null,
): [WorldEnded['why'], string] {
  if (alarm !== null) {
    return alarm.why === 'machine'
      ? ['hang', `${MACHINE_TROUBLE}${alarm.detail}`]
      : [alarm.why, alarm.detail]
  }
  if (signal === 'SIGABRT' || code === 134) return ['memory', 'ran out of heap memory']
  const how = signal === null ? `exit code ${code}` : signal
  return ['crash', `the code under test brought its whole process down (${how})`]
}

/** Finds the inspector's address in what Node prints; the rest is read and dropped. */
function tellInspector(child: ChildProcess, tell: (address: string) => void): void {
  let text = ''
  let told = false
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    if (told) return
    text += more
    const address = /ws:\/\/\S+(?=\s)/.exec(text)?.[0]
    if (address === undefined) return
    told = true
    tell(address)
  })
}

/** Runs jobs in one child until they are done or the child is gone; answers how many were settled. */
function runInOneChild(
  jobs: readonly WorldJob[],
  options: RunOptions,
  settle: (result: WorldResult) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { onInspector } = options
    const inspect = onInspector === undefined ? [] : ['--inspect-brk=127.0.0.1:0']
    const child = spawn(process.execPath, [...NODE_FLAGS, ...inspect, options.worldMain], {
      stdio: ['pipe', 'ignore', onInspector === undefined ? 'ignore' : 'pipe', 'pipe'],
      env: { TZ: 'UTC', LANG: 'C' },
      detached: process.platform !== 'win32',
    })
    children.add(child)
    const guard = child.pid === undefined ? null : guardOf(child.pid)
    let settled = 0
    let progress: Progress | null = null
    let alarm: Alarm | null = null
    let bug: string | null = null
    /** It told that it would end, with jobs left that another child can do. */
    let retired = false

    const finish = (): void => {
      if (progress === null) return
      settled += 1
      settle(progress.result())
      progress = null
    }
    const reader = new ChannelReader((letter, text) => {
      watchdog?.moved()
      if (letter === 'J') progress = new Progress(jobs[settled]!, options.onEvent)
      else if (letter === 'P' && progress !== null) progress.preflight = JSON.parse(text)
      else if (letter === 'E') progress?.add(text)
      else if (letter === 'Z') {
        finish()
        // Under a debugger Node would wait for it to let go.
        if (onInspector !== undefined && settled === jobs.length) killGroup(child)
      } else if (letter === 'R') retired = settled > 0
      else if (letter === 'X') bug = JSON.parse(text) as string
    })
    const watchdog =
      child.pid === undefined || onInspector !== undefined
        ? null
        : new Watchdog(child.pid, (rung) => {
            alarm = rung
            killGroup(child)
          })

    child.stdio[CHANNEL_FD]?.on('data', (bytes: Uint8Array) => reader.push(bytes))
    if (onInspector !== undefined) tellInspector(child, onInspector)
    child.stdin?.on('error', () => {}) // A child that died early: its end is told by 'close'.
    child.stdin?.end(JSON.stringify({ jobs }))
    child.on('error', reject)
    child.on('exit', () => guard?.kill('SIGKILL'))
    child.on('exit', () => killGroup(child)) // Whoever it started must not keep the channel open.
    child.on('close', (code, signal) => {
      watchdog?.stop()
      children.delete(child)
      if (bug !== null) {
        reject(new WorldBug(bug))
        return
      }
      if (settled < jobs.length && !retired) {
        progress ??= new Progress(jobs[settled]!, options.onEvent)
        if (!progress.ended) progress.endWith(...howItEnded(code, signal, alarm))
        finish()
      }
      resolve(settled)
    })
  })
}

/** Runs all jobs; the results are in their order. Rejects with WorldBug on a bug of ours. */
export async function runWorlds(
  jobs: readonly WorldJob[],
  options: RunOptions,
): Promise<WorldResult[]> {
  const results: WorldResult[] = []
  watchSignals(true)
  try {
    while (results.length < jobs.length) {
      const batch = jobs.slice(results.length, results.length + JOBS_PER_CHILD)
      await runInOneChild(batch, options, (result) => {
        results.push(result)
        options.onResult?.(result)
      })
    }
  } finally {
    watchSignals(false)
  }
  return results
}
