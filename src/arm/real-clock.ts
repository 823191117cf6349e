/**
 * The clock of a real run: true time since it began, and what is to be done later.
 *
 * A scenario's own points in time count from the first line that any process prints, since how long
 * processes take to start says nothing about the lab. `after` never comes early; with no delay it
 * comes before the next answer of a server is read, so a fault at a command precedes its answer.
 */

export class RealClock {
  /** On the clock of `performance.now()`. */
  readonly startMs = performance.now()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** What waits for the first line; null since then. */
  #early: (() => void)[] | null = []
  #setsUp = false
  #stopped = false
  /** The time of what is told as one instant; null between. */
  #instantUs: number | null = null

  /** Whole µs since the run began. */
  readonly nowUs = (): number => this.#instantUs ?? this.#trueUs()

  /** To whoever asks within `tell`, the time stands still. */
  readonly atOneInstant = (tell: () => void): void => {
    this.#instantUs = this.#trueUs()
    try {
      tell()
    } finally {
      this.#instantUs = null
    }
  }

  /** Delays that `setUp` asks for count from the first line. */
  fromFirstLine(setUp: () => void): void {
    this.#setsUp = true
    setUp()
    this.#setsUp = false
  }

  /** The first line has come (or is not waited for any longer). False when it had before. */
  firstLine(): boolean {
    const early = this.#early
    if (early === null) return false
    this.#early = null
    for (const begin of early) begin()
    return true
  }

  after(delayMs: number, run: () => void): void {
    if (this.#setsUp && delayMs > 0 && this.#early !== null) {
      this.#early.push(() => this.after(delayMs, run))
      return
    }
    const act = (): void => {
      if (!this.#stopped) run()
    }
    if (delayMs <= 0) setImmediate(act)
    else this.#wait(performance.now() + delayMs, act)
  }

  /** Nothing that was to be done later is done. */
  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #wait(dueMs: number, act: () => void): void {
    const leftMs = dueMs - performance.now()
    // Node's timers can come up to a millisecond before their time.
    if (leftMs <= 0) {
      act()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#wait(dueMs, act)
    }, Math.ceil(leftMs))
    this.#timers.add(timer)
  }

  #trueUs(): number {
    return Math.round((performance.now() - this.startMs) * 1000)
  }
}
