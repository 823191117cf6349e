/**
 * The verbs of an arm: what a timeline can do to the processes of a run, simulated or real.
 *
 * Each verb answers whether it took hold: `false` when there was nothing to take hold of (freezing a
 * process that is gone). Times: milliseconds of the run's own clock.
 */

export interface Arm {
  start(process: string): boolean
  restart(process: string): boolean
  freeze(process: string): boolean
  thaw(process: string): boolean
  kill(process: string): boolean
  term(process: string): boolean
  /** Calls `run` after a while, outside any process. */
  after(delayMs: number, run: () => void): void
  /** Ends the run. */
  stop(): void
}
