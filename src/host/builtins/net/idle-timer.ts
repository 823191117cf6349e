/**
 * The timeout of a socket: it fires when nothing has moved for a while, on the process's clock.
 *
 * Activity only notes the time; the event that is already queued looks at the note when it fires and
 * goes to sleep again for what is left. A busy connection thus costs no queue operation per packet.
 * The timer does not keep the process alive. Units: milliseconds outside, µs inside.
 */

import type { WorldEvent } from '../../../sim/kernel.ts'
import type { HostContext } from '../../context.ts'
import { nodeError } from '../system-error.ts'

/** What `socket.setTimeout` takes. Throws as Node does. */
export function requireTimeout(ms: unknown): asserts ms is number {
  if (typeof ms !== 'number') {
    throw nodeError(
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      `The "msecs" argument must be of type number. Received ${ms === null || ms === undefined ? String(ms) : `type ${typeof ms}`}`,
    )
  }
  if (!(ms >= 0 && Number.isFinite(ms))) {
    throw nodeError(
      RangeError,
      'ERR_OUT_OF_RANGE',
      `The value of "msecs" is out of range. It must be a non-negative finite number. Received ${ms}`,
    )
  }
}

export class IdleTimer {
  readonly #context: HostContext
  readonly #onIdle: () => void
  #idleUs = 0
  #lastUs = 0
  #event: WorldEvent | null = null

  constructor(context: HostContext, onIdle: () => void) {
    this.#context = context
    this.#onIdle = onIdle
  }

  /** Starts anew with this length; 0 turns it off. */
  set(idleMs: number): void {
    this.stop()
    this.#idleUs = Math.trunc(idleMs) * 1000
    if (this.#idleUs === 0) return
    this.#lastUs = this.#context.kernel.now
    this.#sleep(this.#idleUs)
  }

  /** Something moved. */
  refresh(): void {
    if (this.#idleUs === 0) return
    this.#lastUs = this.#context.kernel.now
    if (this.#event === null) this.#sleep(this.#idleUs)
  }

  stop(): void {
    if (this.#event !== null) this.#context.cancel(this.#event)
    this.#event = null
    this.#idleUs = 0
  }

  #sleep(us: number): void {
    this.#event = this.#context.schedule('timer', us, this.#wake)
  }

  readonly #wake = (): void => {
    this.#event = null
    const leftUs = this.#lastUs + this.#idleUs - this.#context.kernel.now
    if (leftUs > 0) this.#sleep(leftUs)
    else this.#onIdle()
  }
}
