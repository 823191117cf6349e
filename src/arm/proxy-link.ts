/**
 * What the timeline does to the traffic between one process and one other, in the real arm.
 *
 * Pieces pass in the order in which they came, each way: after the link's delay, and not while that
 * way is cut. Real milliseconds. Shared by the proxies of both protocols.
 */

import { CLEAR, type LinkState } from './arm.ts'

export type Way = 'out' | 'in'

export class ProxyLink {
  #state: LinkState = CLEAR
  #wake: (() => void)[] = []
  readonly #bit: () => void
  readonly #after: (delayMs: number, run: () => void) => void

  /** `bit` is told when traffic was slowed or had to wait. */
  constructor(bit: () => void, after: (delayMs: number, run: () => void) => void) {
    this.#bit = bit
    this.#after = after
  }

  shape(state: LinkState): void {
    this.#state = state
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** A queue for one direction of one connection. */
  lane(way: Way): Lane {
    let last = DONE
    return {
      pass: (run) => {
        if (this.#isClear(way) && last === DONE) return run()
        const cameMs = performance.now()
        const { delayMs } = this.#state
        if (delayMs > 0) this.#bit()
        const mine = last
          .then(() => this.#delay(cameMs + delayMs))
          .then(() => this.#open(way))
          .then(run)
          .catch((bug) =>
            queueMicrotask(() => {
              throw bug
            }),
          )
          .then(() => {
            if (last === mine) last = DONE
          })
        last = mine
      },
    }
  }

  #isClear(way: Way): boolean {
    return this.#state.delayMs === 0 && !this.#isCut(way)
  }

  #isCut(way: Way): boolean {
    return way === 'out' ? this.#state.outCut : this.#state.inCut
  }

  async #open(way: Way): Promise<void> {
    while (this.#isCut(way)) {
      this.#bit()
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  #delay(dueMs: number): Promise<void> | void {
    const delayMs = dueMs - performance.now()
    if (delayMs > 0) return new Promise((resolve) => this.#after(delayMs, resolve))
  }
}

/** One direction of one connection. */
export interface Lane {
  /** Calls `run` when what came before has passed and the way is free: at once where nothing is in the way. */
  pass(run: () => void): void
}

const DONE: Promise<void> = Promise.resolve()
