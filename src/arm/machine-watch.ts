/**
 * Does the machine let a real run go on as it should? A tick every 50 ms beside it.
 *
 * A tick that comes more than 100 ms after the one before says that something kept us from the
 * processor for longer than the run's times can bear; what a check finds then proves nothing.
 */

const TICK_MS = 50
const GAP_MS = 100

export class MachineWatch {
  /** The longest gap so far that was too long, ms; null when none was. */
  worstMs: number | null = null
  #lastMs = 0
  #timer: NodeJS.Timeout | null = null

  start(): void {
    this.#lastMs = performance.now()
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS)
  }

  stop(): void {
    if (this.#timer === null) return
    this.#tick()
    clearInterval(this.#timer)
    this.#timer = null
  }

  #tick(): void {
    const nowMs = performance.now()
    const gapMs = nowMs - this.#lastMs
    this.#lastMs = nowMs
    if (gapMs > GAP_MS) this.worstMs = Math.max(this.worstMs ?? 0, gapMs)
  }
}
