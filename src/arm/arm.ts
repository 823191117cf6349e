/**
 * The verbs of an arm: what a timeline can do to the processes of a run, simulated or real.
 *
 * Each verb answers whether it took hold: `false` when there was nothing to take hold of (freezing a
 * process that is gone). Times: milliseconds of the run's own clock.
 */

/** What a link between a process and a server or another process does to its traffic. */
export interface LinkState {
  /** Added to every piece of traffic, each way. */
  readonly delayMs: number
  /** What leaves the process waits (true) or travels. */
  readonly outCut: boolean
  /** What comes to the process waits (true) or travels. */
  readonly inCut: boolean
}

export const CLEAR: LinkState = { delayMs: 0, outCut: false, inCut: false }

export interface Arm {
  start(process: string): boolean
  restart(process: string): boolean
  freeze(process: string): boolean
  thaw(process: string): boolean
  kill(process: string): boolean
  term(process: string): boolean
  /** From now on the link is like this; what waited for a way that is free now goes on, in order. */
  shape(process: string, to: string, link: LinkState): void
  /** Calls `run` after a while, outside any process. */
  after(delayMs: number, run: () => void): void
  /** Ends the run. */
  stop(): void
}
