/**
 * The worker: pulls one run after the other from the stream, beats, and holds the lease of a shard.
 *
 * It takes one entry at a time (COUNT 1), so a busy worker leaves the rest to others. In each sweep it
 * looks once for an entry that somebody has left. How it goes is the exercise's affair: this class has
 * the handles (`Duties`) for it.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import type { Redis } from 'ioredis'
import { type Heartbeat, startHeartbeat } from '#exercises/heartbeat.ts'
import type { Lease } from '#exercises/lease.ts'
import { beat } from '#exercises/presence.ts'
import type { Duties } from '#exercises/shutdown.ts'
import type { WorkerConfig } from './config.ts'
import { acknowledge, ensureGroup, keep, leave, readOne, type Taken, takeOver } from './entries.ts'
import { Run } from './run.ts'
import type { RunStore } from './run-store.ts'
import { ShardLease } from './shard-lease.ts'

const PAUSE_AFTER_ERROR_MS = 200

export class Worker implements Duties {
  readonly workerId: string
  readonly redis: Redis
  readonly heartbeat: Heartbeat
  readonly #config: WorkerConfig
  readonly #reads: Redis
  readonly #store: RunStore
  readonly #lease: ShardLease
  readonly #sweeping: NodeJS.Timeout
  #run: Run | null = null
  #inHand: Promise<void> = Promise.resolve()
  /** Whether to look for what others have left before the next read. */
  #lookForLeft = true
  #takesNothing = false
  #beats = 0

  /** Starts everything. `redis` is for short commands, `reads` for blocking ones. */
  constructor(config: WorkerConfig, redis: Redis, reads: Redis, store: RunStore) {
    this.#config = config
    this.workerId = config.workerId
    this.redis = redis
    this.#reads = reads
    this.#store = store
    this.#lease = new ShardLease(redis, config)
    this.#lease.start()
    this.heartbeat = startHeartbeat(() => this.#beat(), config.times.beatMs)
    this.#sweeping = setInterval(() => {
      this.#lookForLeft = true
    }, config.times.sweepMs)
    this.#pull().catch(endWith)
  }

  leases(): readonly Lease[] {
    return this.#lease.held()
  }

  takeNothingNew(): void {
    if (this.#takesNothing) return
    this.#takesNothing = true
    clearInterval(this.#sweeping)
    // A read that waits would still be given what comes next.
    this.#reads.disconnect()
    say('worker.draining', { inFlight: this.#run ? 1 : 0 })
  }

  async runInHand(): Promise<void> {
    // What it rejects with has its place in the loop below.
    await this.#inHand.catch(() => {})
  }

  abortRun(): void {
    this.#run?.abort('the drain took too long')
  }

  stopRenewing(): void {
    this.#lease.stop()
  }

  close(): void {
    this.takeNothingNew()
    this.#lease.stop()
    this.#run?.abort('the worker has closed')
    this.#store.close()
    this.redis.disconnect()
    say('worker.closed')
  }

  async #pull(): Promise<void> {
    let ready = false
    while (!this.#takesNothing) {
      try {
        if (!ready) {
          await ensureGroup(this.redis)
          ready = true
          say('worker.ready', { workerId: this.workerId, pid: process.pid })
        }
        this.#inHand = this.#take(await this.#next())
        await this.#inHand
      } catch (error) {
        if (isSlip(error)) throw error
        if (this.#takesNothing) return
        say('read.failed', { error: textOf(error) })
        // The stream may have gone with a Redis that keeps nothing.
        if (textOf(error).startsWith('NOGROUP')) ready = false
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_ERROR_MS))
      }
    }
  }

  async #next(): Promise<Taken> {
    const { readBlockMs, staleMs } = this.#config.times
    if (this.#lookForLeft) {
      const left = await takeOver(this.redis, this.workerId, staleMs)
      if (left.kind !== 'nothing') return left
      this.#lookForLeft = false
    }
    if (this.#takesNothing) return { kind: 'nothing' }
    return await readOne(this.#reads, this.workerId, readBlockMs)
  }

  async #take(taken: Taken): Promise<void> {
    if (taken.kind === 'nothing') return
    if (taken.kind === 'malformed') {
      // It stays in the stream for a person to look at; nobody could ever handle it.
      say('entry.malformed', { id: taken.id })
      return await acknowledge(this.redis, taken.id)
    }
    if (this.#takesNothing) return await this.#leave(taken.entry.id)
    const { workMs } = this.#config
    const tools = { workerId: this.workerId, store: this.#store, redis: this.redis, workMs }
    const run = new Run(taken.entry, tools)
    this.#run = run
    await run.settled
    if (run.aborted) await this.#leave(run.entry.id)
    this.#run = null
  }

  /** Pending, and old enough to be taken over at once. */
  async #leave(entryId: string): Promise<void> {
    await leave(this.redis, this.workerId, entryId, this.#config.times.staleMs)
  }

  async #beat(): Promise<void> {
    const { beats, version } = this.#config
    this.#beats += 1
    if (this.#beats > beats) return
    const run = this.#run
    await beat(this.redis, this.workerId, { inFlight: run ? 1 : 0, version })
    if (this.#beats === beats) say('beat.last')
    if (run && !(await keep(this.redis, this.workerId, run.entry.id)) && this.#run === run) {
      run.abort('another worker has taken it over')
    }
  }
}
