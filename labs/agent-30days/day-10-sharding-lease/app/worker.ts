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
import { GROUP, leaseKey, leaseValue, runsStream } from '#exercises/keys.ts'
import { tryAcquire } from '#exercises/lease.ts'
import { type Entry, processShard } from '#exercises/worker.ts'
import { acknowledge } from './acknowledge.ts'
import { handleTimeMs, shareOf, type WorkerConfig } from './config.ts'
import { checkAllHandled, checkClaim } from './contract.ts'
import { type AutoclaimReply, parseEntries, type ReadReply } from './entries.ts'
import { Holding, LeaseLost } from './holding.ts'
import { renewAll } from './renewals.ts'

/** Entries that one read takes from a shard at most. */
const READ_COUNT = 16
const AUTOCLAIM_COUNT = 100
const PAUSE_AFTER_ERROR_MS = 200

/** Where a worker's effects go. */
export interface WorkerStore {
  /** Makes the holding's token known. Rejects with `LeaseLost` when the store knows a larger one. */
  plant(holding: Holding): Promise<void>
  /** Says that the message is being worked on, where somebody wants to know. */
  begin?(holding: Holding, entry: Entry): Promise<void>
  /** The one effect of handling a message. */
  append(holding: Holding, entry: Entry): Promise<'accepted' | 'duplicate' | 'refused'>
}

/** What a larger system adds; each left out where it has nothing to add. */
export interface WorkerAdditions {
  /** How many shards this worker takes now. */
  share?(): Promise<number>
  /** Shards to be claimed above the share. */
  orphans?(held: ReadonlySet<number>): Promise<readonly number[]>
  /** Looks through entries that were pending; answers those that are to be handled. */
  sift?(holding: Holding, entries: readonly Entry[]): Promise<readonly Entry[]>
}

/** Thrown inside a shard's work when the worker is on its way out: what was not begun stays pending. */
class LeftPending extends Error {
  override readonly name = 'LeftPending'
}

export class Worker {
  /** How many shards this worker takes, unless a larger system says otherwise. */
  readonly share: number
  readonly #config: WorkerConfig
  readonly #commands: Redis
  readonly #reads: Redis
  readonly #store: WorkerStore
  readonly #additions: WorkerAdditions
  readonly #candidates: readonly number[]
  readonly #held = new Map<number, Holding>()
  /** Sweeps and rescues. */
  readonly #seeking: NodeJS.Timeout[] = []
  /** Renewals, and the watch over itself. */
  readonly #keeping: NodeJS.Timeout[] = []
  #sweeping = false
  #takesNothing = false
  /** What was held when the worker began to go. */
  #leaving: readonly Holding[] = []
  #wakeReader: (() => void) | null = null

  constructor(
    config: WorkerConfig,
    shardCount: number,
    commands: Redis,
    reads: Redis,
    store: WorkerStore,
    additions: WorkerAdditions = {},
  ) {
    this.#config = config
    this.#commands = commands
    this.#reads = reads
    this.#store = store
    this.#additions = additions
    this.#candidates = config.shards ?? Array.from({ length: shardCount }, (_, shard) => shard)
    this.share = shareOf(this.#candidates.length, config.workers, config.workerIndex)
  }

  start(): void {
    const { sweepMs, renewMs, leaseTtlMs } = this.#config
    this.#keeping.push(
      setInterval(() => renewAll(this.#commands, this.#config, this.#all(), this.#lose), renewMs),
      setInterval(() => this.#watchOverItself(), renewMs / 5),
    )
    this.#seeking.push(
      setInterval(() => this.#guard(this.#sweep()), sweepMs),
      setInterval(() => this.#rescue(), leaseTtlMs),
    )
    this.#guard(this.#sweep())
    this.#guard(this.#read())
  }

  /** No timer, read or effect after this; leases are left to lapse. */
  stop(): void {
    this.takeNothingNew()
    this.stopRenewing()
    for (const holding of this.#held.values()) holding.end()
    this.#held.clear()
    this.#wakeReader?.()
    say('worker.stopped')
  }

  /** First step of a drain: nothing is claimed, read or begun any more; what was not begun stays pending. */
  takeNothingNew(): void {
    if (this.#takesNothing) return
    this.#takesNothing = true
    this.#leaving = this.#all()
    for (const timer of this.#seeking) clearInterval(timer)
    this.#wakeReader?.()
  }

  /** Resolves when no message is in hand: handled, or given up. Never rejects. */
  async workInHand(): Promise<void> {
    await Promise.all(this.#all().map((holding) => holding.settled))
  }

  /** Gives up what is in hand: it stays pending, for a successor to redo. */
  abortWork(): void {
    for (const holding of this.#all()) holding.stopEffects()
  }

  stopRenewing(): void {
    for (const timer of this.#keeping) clearInterval(timer)
  }

  /** What can be given back: key and whole value of each lease, also of one that was lost meanwhile. */
  leases(): readonly { readonly key: string; readonly value: string }[] {
    return (this.#takesNothing ? this.#leaving : this.#all()).map((each) => this.#leaseOf(each))
  }

  /** How many shards it holds. */
  get holds(): number {
    return this.#held.size
  }

  /** How many messages are in hand or wait for their turn. */
  get inHand(): number {
    return this.#all().reduce((sum, holding) => sum + holding.inHand.size, 0)
  }

  /** Lets go of up to `count` shards that have nothing to do; answers their leases, to be given back. */
  surrender(count: number): readonly { readonly key: string; readonly value: string }[] {
    const idle = this.#all().filter((holding) => holding.idle)
    const going = count > 0 ? idle.slice(-count) : []
    for (const holding of going) this.#lose(holding, 'given back')
    return going.map((holding) => this.#leaseOf(holding))
  }

  #leaseOf({ shard, token }: Holding): { readonly key: string; readonly value: string } {
    return { key: leaseKey(shard), value: leaseValue(this.#config.workerId, token) }
  }

  /** Claims free shards, one after the other, until the share is reached. */
  async #sweep(): Promise<void> {
    if (this.#sweeping || this.#takesNothing) return
    this.#sweeping = true
    try {
      const share = (await this.#additions.share?.()) ?? this.share
      for (const shard of this.#candidates) {
        if (this.#takesNothing || this.#held.size >= share) break
        if (!this.#held.has(shard)) await this.#claim(shard)
      }
      for (const shard of (await this.#additions.orphans?.(new Set(this.#held.keys()))) ?? []) {
        if (!this.#takesNothing && !this.#held.has(shard)) await this.#claim(shard)
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
    if (!claim) return
    const holding = new Holding(shard, claim.token, sentAtMs, this.#config)
    if (this.#takesNothing) {
      this.#leaving = [...this.#leaving, holding]
      return
    }
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
        const pending = await this.#pending(holding)
        const entries = (await this.#additions.sift?.(holding, pending)) ?? pending
        if (entries.length > 0) {
          say('takeover', { shard: holding.shard, token: holding.token, entries: entries.length })
          await this.#work(holding, entries)
        }
        return
      } catch (error) {
        if (isSlip(error)) throw error
        if (error instanceof LeftPending) return
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
    while (!this.#takesNothing) {
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
        if (this.#takesNothing) return
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
      if (error instanceof LeftPending) return
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
        if (this.#takesNothing) throw new LeftPending('the worker is on its way out')
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
    await this.#store.begin?.(holding, entry)
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
