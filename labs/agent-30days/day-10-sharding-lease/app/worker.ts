/**
 * The worker's loops: sweep (claim what is free), renew, watch over itself, read, and work.
 *
 * Order rests on four things here: the gateway's seq; one reader a shard, by lease; one chain of work a
 * shard; and after winning a lease, what the predecessor left is taken over before anything new is
 * read. An entry that reaches us for a shard we no longer hold is left pending; its holder fetches it
 * at the next rescue, within one TTL.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import type { Redis } from 'ioredis'
import { GROUP, runsStream } from '#exercises/keys.ts'
import { tryAcquire } from '#exercises/lease.ts'
import { type Entry, processShard } from '#exercises/worker.ts'
import { acknowledge } from './acknowledge.ts'
import { handleTimeMs, shareOf, type WorkerConfig } from './config.ts'
import { checkAllHandled, checkClaim } from './contract.ts'
import { type AutoclaimReply, parseEntries, type ReadReply } from './entries.ts'
import { Holding, LeaseLost } from './holding.ts'
import { renewAll } from './renewals.ts'
import type { StoreClient } from './store-client.ts'

/** Entries that one read takes from a shard at most. */
const READ_COUNT = 16
const AUTOCLAIM_COUNT = 100
const PAUSE_AFTER_ERROR_MS = 200

export class Worker {
  /** How many shards this worker takes. */
  readonly share: number
  readonly #config: WorkerConfig
  readonly #commands: Redis
  readonly #reads: Redis
  readonly #store: StoreClient
  readonly #candidates: readonly number[]
  readonly #held = new Map<number, Holding>()
  readonly #timers: NodeJS.Timeout[] = []
  #sweeping = false
  #stopped = false
  #wakeReader: (() => void) | null = null

  constructor(
    config: WorkerConfig,
    shardCount: number,
    commands: Redis,
    reads: Redis,
    store: StoreClient,
  ) {
    this.#config = config
    this.#commands = commands
    this.#reads = reads
    this.#store = store
    this.#candidates = config.shards ?? Array.from({ length: shardCount }, (_, shard) => shard)
    this.share = shareOf(this.#candidates.length, config.workers, config.workerIndex)
  }

  start(): void {
    const { sweepMs, renewMs, leaseTtlMs } = this.#config
    this.#every(renewMs, () => renewAll(this.#commands, this.#config, this.#all(), this.#lose))
    this.#every(renewMs / 5, () => this.#watchOverItself())
    this.#every(sweepMs, () => this.#guard(this.#sweep()))
    this.#every(leaseTtlMs, () => this.#rescue())
    this.#guard(this.#sweep())
    this.#guard(this.#read())
  }

  /** No timer, read or effect after this; leases are left to lapse. */
  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
    for (const holding of this.#held.values()) holding.end()
    this.#held.clear()
    this.#wakeReader?.()
    say('worker.stopped')
  }

  /** Claims free shards, one after the other, until the share is reached. */
  async #sweep(): Promise<void> {
    if (this.#sweeping) return
    this.#sweeping = true
    try {
      for (const shard of this.#candidates) {
        if (this.#stopped || this.#held.size >= this.share) break
        if (!this.#held.has(shard)) await this.#claim(shard)
      }
      say('sweep.done', { held: this.#held.size })
    } catch (error) {
      if (isSlip(error)) throw error
      say('claim.failed', { error: textOf(error) })
    } finally {
      this.#sweeping = false
    }
  }

  async #claim(shard: number): Promise<void> {
    const { workerId, leaseTtlMs } = this.#config
    const sentAtMs = performance.now()
    const claim = checkClaim(await tryAcquire(this.#commands, shard, workerId, leaseTtlMs))
    if (!claim || this.#stopped) return
    const holding = new Holding(shard, claim.token, sentAtMs, this.#config)
    // An answer that took this long is about a lease that may have lapsed again by now.
    if (holding.stopReason()) return
    this.#held.set(shard, holding)
    say('lease.held', { shard, token: claim.token })
    this.#enqueue(holding, () => this.#takeOver(holding))
  }

  readonly #lose = (holding: Holding, reason: string): void => {
    if (!holding.end()) return
    if (this.#held.get(holding.shard) === holding) this.#held.delete(holding.shard)
    say('lease.lost', { shard: holding.shard, token: holding.token, reason })
  }

  /** Effects first, for all that must go; only then is anything given up. */
  #watchOverItself(): void {
    const due = this.#all().flatMap((holding) => {
      const reason = holding.stopReason()
      return reason === null ? [] : [{ holding, reason }]
    })
    for (const { holding } of due) holding.stopEffects()
    for (const { holding, reason } of due) this.#lose(holding, reason)
  }

  /** Looks again for entries that are pending without anybody at work on them. */
  #rescue(): void {
    for (const holding of this.#all()) {
      if (holding.idle) this.#enqueue(holding, () => this.#takeOver(holding))
    }
  }

  /**
   * Plants the token (once), then fetches and handles what is pending for the shard, whoever left it. Until
   * that is done the shard is not read.
   */
  async #takeOver(holding: Holding): Promise<void> {
    while (!holding.ended) {
      try {
        if (!holding.prepared) {
          await this.#store.plant(holding)
          await this.#ensureGroup(holding.shard)
          holding.prepared = true
        }
        const entries = await this.#pending(holding)
        if (entries.length > 0) {
          say('takeover', { shard: holding.shard, token: holding.token, entries: entries.length })
          await this.#work(holding, entries)
        }
        return
      } catch (error) {
        if (isSlip(error)) throw error
        if (error instanceof LeaseLost) return this.#lose(holding, error.message)
        say('takeover.failed', { shard: holding.shard, error: textOf(error) })
        holding.prepared = false
        await holding.sleep(PAUSE_AFTER_ERROR_MS).catch(() => {})
      }
    }
  }

  async #ensureGroup(shard: number): Promise<void> {
    try {
      await this.#commands.xgroup('CREATE', runsStream(shard), GROUP, '0', 'MKSTREAM')
    } catch (error) {
      if (!textOf(error).startsWith('BUSYGROUP')) throw error
    }
  }

  async #pending(holding: Holding): Promise<readonly Entry[]> {
    const found: Entry[] = []
    let cursor = '0-0'
    do {
      const reply = (await this.#commands.xautoclaim(
        runsStream(holding.shard),
        GROUP,
        this.#config.workerId,
        0,
        cursor,
        'COUNT',
        AUTOCLAIM_COUNT,
      )) as unknown as AutoclaimReply
      cursor = reply[0]
      const { entries, malformed } = parseEntries(reply[1])
      if (malformed.length > 0) say('entry.malformed', { shard: holding.shard, ids: malformed })
      found.push(...entries.filter(({ id }) => !holding.inHand.has(id)))
    } while (cursor !== '0-0')
    return found
  }

  /** One blocking read over all shards that have nothing to do, again and again. */
  async #read(): Promise<void> {
    const { workerId, readBlockMs } = this.#config
    while (!this.#stopped) {
      const idle = this.#all().filter((holding) => holding.idle)
      if (idle.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve
        })
        continue
      }
      const streams = idle.map(({ shard }) => runsStream(shard))
      try {
        const reply = (await this.#reads.xreadgroup(
          'GROUP',
          GROUP,
          workerId,
          'COUNT',
          READ_COUNT,
          'BLOCK',
          readBlockMs,
          'STREAMS',
          ...streams,
          ...streams.map(() => '>'),
        )) as ReadReply
        for (const [stream, raw] of reply ?? []) {
          const holding = idle[streams.indexOf(stream)]
          if (holding) this.#received(holding, raw)
        }
      } catch (error) {
        if (this.#stopped) return
        if (isSlip(error)) throw error
        say('read.failed', { error: textOf(error) })
        // Entries whose answer was lost are pending with us: fetch them before anything newer.
        for (const holding of idle) {
          holding.prepared = false
          this.#enqueue(holding, () => this.#takeOver(holding))
        }
        await pause(PAUSE_AFTER_ERROR_MS)
      }
    }
  }

  #received(holding: Holding, raw: Parameters<typeof parseEntries>[0]): void {
    const { entries, malformed } = parseEntries(raw)
    if (malformed.length > 0) say('entry.malformed', { shard: holding.shard, ids: malformed })
    const fresh = entries.filter(({ id }) => !holding.inHand.has(id))
    if (fresh.length === 0) return
    if (holding.ended) {
      say('read.orphaned', { shard: holding.shard, ids: fresh.map(({ id }) => id) })
      const again = this.#held.get(holding.shard)
      if (again) this.#enqueue(again, () => this.#takeOver(again))
      return
    }
    // From now on and not only when their turn comes, or a rescue before it would fetch them too.
    for (const { id } of fresh) holding.inHand.add(id)
    this.#enqueue(holding, () => this.#workOrTakeOver(holding, fresh))
  }

  async #workOrTakeOver(holding: Holding, entries: readonly Entry[]): Promise<void> {
    try {
      await this.#work(holding, entries)
    } catch (error) {
      if (isSlip(error)) throw error
      if (error instanceof LeaseLost) return this.#lose(holding, error.message)
      say('work.failed', { shard: holding.shard, error: textOf(error) })
      // The rest of the batch is pending and must come before anything new.
      await this.#takeOver(holding)
    }
  }

  async #work(holding: Holding, entries: readonly Entry[]): Promise<void> {
    let handled = 0
    for (const { id } of entries) holding.inHand.add(id)
    try {
      // A copy: what an exercise does to its list is its own affair.
      await processShard([...entries], async (entry) => {
        await this.#handle(holding, entry)
        handled += 1
      })
      if (!holding.ended) checkAllHandled(handled, entries.length)
    } finally {
      for (const { id } of entries) holding.inHand.delete(id)
    }
  }

  /** One message: the belief, the work, the effect, the acknowledgement, in this order. */
  async #handle(holding: Holding, entry: Entry): Promise<void> {
    const { shard, token } = holding
    const { runId, seq, userId } = entry
    if (!holding.mayAct()) throw new LeaseLost(`shard ${shard} is lost`)
    say('handler.start', { shard, token, runId, seq, userId })
    await holding.sleep(handleTimeMs(this.#config.handleMs, seq))
    const outcome = await this.#store.append(holding, entry)
    if (outcome === 'refused') {
      say('effect.refused', { shard, token, runId, seq })
      throw new LeaseLost(`the store refused token ${token}`)
    }
    say('effect', { shard, token, runId, seq, outcome })
    if (!holding.mayAct()) throw new LeaseLost(`shard ${shard} is lost`)
    const { workerId } = this.#config
    const answer = await acknowledge(this.#commands, shard, workerId, token, entry.id)
    say('acknowledged', { shard, token, runId, seq, answer })
    if (answer === 'not-mine') throw new LeaseLost('the lease is not mine')
  }

  #all(): Holding[] {
    return [...this.#held.values()]
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms))
  }

  #enqueue(holding: Holding, job: () => Promise<void>): void {
    this.#guard(holding.enqueue(job).finally(() => this.#wakeReader?.()))
  }

  /** A loop that ends with an error ends the process: nobody would notice a worker without it. */
  #guard(work: Promise<void>): void {
    work.catch(endWith)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
