/**
 * Does the machine let a real run go on as it should? A tick every 50 ms beside it.
 *
 * A tick that is more than 100 ms late says that something kept us from the processor for longer than
 * the times of a run can bear (they leave 150 ms and more between any two things whose order matters);
 * what a check finds then proves nothing.
 */

const TICK_MS = 50
const LATE_MS = 100

export class MachineWatch {
  /** How late the latest tick was that was too late, ms; null when none was. */
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
    const lateMs = nowMs - this.#lastMs - TICK_MS
    this.#lastMs = nowMs
    if (lateMs > LATE_MS) this.worstMs = Math.max(this.worstMs ?? 0, lateMs)
  }
}
