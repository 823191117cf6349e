/**
 * The kernel: virtual time and the order of everything.
 *
 * One event fires, everything that it wakes (ticks and microtasks) runs dry, then the next. The
 * drain is Node's own: between two immediates Node runs both queues empty, so a batch of immediates
 * is queued at once and each fires one event. Time: whole microseconds since the world began; it
 * moves only from event to event. `current` is the process whose event is running, or null.
 *
 * After an uncaught exception Node goes on with the immediate queue without draining, so the next
 * immediate fires nothing. The last immediate of a batch only clears `current`: whatever the real
 * event loop does between two batches belongs to nobody.
 */

import { type EventClass, EventQueue, Origin, type Owner, type WorldEvent } from './event-queue.ts'

export type { EventClass, Owner, WorldEvent } from './event-queue.ts'
export { Origin } from './event-queue.ts'

/** Immediates queued at once. Measured: 8 → 1.2, 64 → 2.0, 512 → 2.2 million events a second. */
const BATCH = 64

/** An effect was made by a process while another's event was running: order would depend on chance. */
export class LeakError extends Error {
  override readonly name = 'LeakError'
  readonly #made = true

  /** Safe for whatever a program throws: `instanceof` would ask a proxy. */
  static is(value: unknown): value is LeakError {
    return typeof value === 'object' && value !== null && #made in value && value.#made
  }
}

/** Its stack must reach the code under test, through Node's and the host's own frames. */
const LEAK_FRAMES = 60

function leakError(message: string): LeakError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = LEAK_FRAMES
  try {
    return new LeakError(message)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Something that cannot be. Never the user's doing. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export interface KernelLimits {
  /** Events at one virtual instant before the run counts as standing still. */
  readonly eventsPerInstant: number
  /** Events in all. */
  readonly events: number
  /** Clock reads within one event before it counts as a loop that waits for time to pass. */
  readonly clockReadsPerEvent: number
  /** Rounds of loops within one event before it counts as a loop that never ends. */
  readonly roundsPerEvent: number
}

export const DEFAULT_LIMITS: KernelLimits = {
  eventsPerInstant: 200_000,
  events: 20_000_000,
  clockReadsPerEvent: 1_000_000,
  roundsPerEvent: 50_000_000,
}

export type RunEnd =
  | { readonly why: 'stopped' }
  | { readonly why: 'time-limit' }
  /** Nothing is left that could ever happen. */
  | { readonly why: 'idle' }
  | { readonly why: 'event-limit'; readonly detail: string }
  /** An effect was made outside its process's event: nothing after it can be relied on. */
  | { readonly why: 'leak'; readonly detail: string }

export class Kernel {
  #now = 0
  readonly #queue = new EventQueue()
  readonly #origins = new Map<string, Origin>()
  readonly #parked = new Map<Owner, WorldEvent[]>()
  #current: Owner | null = null
  #fired = 0
  #atInstant = 0
  #clockReads = 0
  #rounds = 0
  #skipNext = false
  #stopped = false
  /** The first leak, in words. Kept apart from the error: code under test may catch that. */
  #leak: string | null = null
  #finish: ((end: RunEnd) => void) | null = null
  #untilUs = Number.MAX_SAFE_INTEGER
  readonly #limits: KernelLimits
  /** Called every 256 events: a sign of life for whoever watches from outside. */
  onProgress: (() => void) | null = null
  /** Called when code spins within one event. Must not return (the loop would go on). */
  onRunaway: ((detail: string, why?: 'hang' | 'event-limit') => void) | null = null

  constructor(limits: KernelLimits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  /** Virtual microseconds since the world began. */
  get now(): number {
    return this.#now
  }

  /** Whose event is running. */
  get current(): Owner | null {
    return this.#current
  }

  /** Events fired so far. */
  get fired(): number {
    return this.#fired
  }

  /** Events still to come. */
  get pending(): number {
    return this.#queue.size
  }

  /** The clock, as code under test reads it: counted, so that waiting for it in a loop is noticed. */
  readClock(): number {
    this.#clockReads += 1
    if (this.#clockReads > this.#limits.clockReadsPerEvent) {
      this.onRunaway?.(
        `${this.#current?.name ?? 'the world'} read the clock ${this.#limits.clockReadsPerEvent} times without letting anything else run`,
      )
    }
    return this.#now
  }

  /** Rounds of loops that have just been run: too many in one event are a loop without end. */
  countRounds(rounds: number, where: () => string): void {
    this.#rounds += rounds
    if (this.#rounds <= this.#limits.roundsPerEvent) return
    const millions = this.#limits.roundsPerEvent / 1e6
    this.onRunaway?.(
      `in ${this.#current?.name ?? 'the world'} the loop at ${where()} went round ${millions} million times without letting anything else run`,
    )
  }

  /** The origin of this name; made on first use. */
  origin(name: string): Origin {
    let origin = this.#origins.get(name)
    if (origin === undefined) {
      origin = new Origin(name)
      this.#origins.set(name, origin)
    }
    return origin
  }

  /**
   * Puts an event at `time` (µs, not before now; earlier is now). It fires with `current` set to
   * `owner`, unless the owner is dead by then, and waits for the thaw if the owner is frozen.
   */
  at(
    time: number,
    origin: Origin,
    owner: Owner | null,
    eventClass: EventClass,
    run: () => void,
  ): WorldEvent {
    const event: WorldEvent = {
      time: time > this.#now ? time : this.#now,
      origin,
      n: origin.count++,
      owner,
      eventClass,
      run,
      state: 'queued',
    }
    this.#queue.push(event)
    return event
  }

  cancel(event: WorldEvent): void {
    this.#queue.cancel(event)
  }

  /**
   * Throws a LeakError unless `owner`'s event is running. Every effect of a process asks first. The run
   * ends with the present event, also when the error is caught.
   */
  assertCurrent(owner: Owner, what: string): void {
    if (this.#current === owner) return
    const error = leakError(
      `${what} of ${owner.name} was made while ${this.#current?.name ?? 'nothing of the world'} was running; ` +
        'something outside the world (a real timer, file or thread) woke it',
    )
    this.#leak ??= error.message
    throw error
  }

  /** From now on events of this owner are parked. */
  freeze(owner: Owner): void {
    if (owner.gate === 'open') owner.gate = 'frozen'
  }

  /**
   * Lets go what was parked: first the timers that came due, by deadline, then the rest in the order
   * of arrival. All of it fires now, before anything that comes later.
   */
  thaw(owner: Owner): void {
    if (owner.gate !== 'frozen') return
    owner.gate = 'open'
    const parked = this.#parked.get(owner) ?? []
    this.#parked.delete(owner)
    const origin = this.origin(`thaw ${owner.name}`)
    const timersFirst = [
      ...parked.filter((event) => event.eventClass === 'timer'),
      ...parked.filter((event) => event.eventClass !== 'timer'),
    ]
    for (const event of timersFirst) {
      if (event.state !== 'parked') continue
      event.state = 'queued'
      event.time = this.#now
      event.origin = origin
      event.n = origin.count++
      this.#queue.push(event)
    }
  }

  /** Closes the gate for good: nothing of this owner fires any more. */
  bury(owner: Owner): void {
    owner.gate = 'dead'
    this.#parked.delete(owner)
  }

  /** Ends the run after the present event and its drain. */
  stop(): void {
    this.#stopped = true
  }

  /** Runs until `stop`, until nothing is left, or until the clock would pass `untilUs`. */
  run(untilUs: number): Promise<RunEnd> {
    if (this.#finish !== null) throw new InvariantError('a kernel runs once at a time')
    this.#untilUs = untilUs
    this.#stopped = false
    return new Promise((resolve) => {
      this.#finish = resolve
      this.#queueBatch()
    })
  }

  /**
   * To be called from the real process's `uncaughtException` and `unhandledRejection` handlers:
   * hands the error to the owner whose event is running. False when that is nobody.
   */
  uncaught(error: unknown, kind: 'error' | 'rejection', promise?: unknown): boolean {
    if (kind === 'error') this.#skipNext = true
    // Told where it was thrown; it is not the doing of the process whose event this is.
    if (LeakError.is(error)) return true
    const owner = this.#current
    if (owner === null) return false
    owner.uncaught(error, kind, promise)
    return true
  }

  #queueBatch(): void {
    for (let k = 0; k < BATCH; k += 1) setImmediate(this.#step)
    setImmediate(this.#between)
  }

  readonly #between = (): void => {
    this.#skipNext = false
    this.#current = null
    if (this.#finish !== null) this.#queueBatch()
  }

  readonly #step = (): void => {
    if (this.#finish === null) return
    if (this.#skipNext) {
      this.#skipNext = false
      return
    }
    const end = this.#fireOne()
    if (end === null) return
    const finish = this.#finish
    this.#finish = null
    this.#current = null
    finish(end)
  }

  #fireOne(): RunEnd | null {
    if (this.#leak !== null) return { why: 'leak', detail: this.#leak }
    if (this.#stopped) return { why: 'stopped' }
    for (;;) {
      const event = this.#queue.peek()
      if (event === undefined) return { why: 'idle' }
      if (event.time > this.#untilUs) {
        this.#now = this.#untilUs
        return { why: 'time-limit' }
      }
      this.#queue.pop()
      const { owner } = event
      if (owner !== null && owner.gate !== 'open') {
        this.#setAside(event, owner)
        continue
      }
      if (event.time !== this.#now) {
        this.#now = event.time
        this.#atInstant = 0
      }
      const limit = this.#overLimit(event)
      if (limit !== null) return limit
      this.#clockReads = 0
      this.#rounds = 0
      this.#current = owner
      event.state = 'done'
      event.run()
      return null
    }
  }

  #setAside(event: WorldEvent, owner: Owner): void {
    if (owner.gate === 'dead') {
      event.state = 'done'
      return
    }
    event.state = 'parked'
    const parked = this.#parked.get(owner)
    if (parked === undefined) this.#parked.set(owner, [event])
    else parked.push(event)
  }

  #overLimit(event: WorldEvent): RunEnd | null {
    this.#fired += 1
    this.#atInstant += 1
    if ((this.#fired & 255) === 0) this.onProgress?.()
    const who = event.owner?.name ?? event.origin.name
    if (this.#atInstant > this.#limits.eventsPerInstant) {
      return {
        why: 'event-limit',
        detail: `${this.#limits.eventsPerInstant} events at one instant without time passing, the last of ${who}`,
      }
    }
    if (this.#fired > this.#limits.events) {
      return { why: 'event-limit', detail: `more than ${this.#limits.events} events` }
    }
    return null
  }
}
