/**
 * The colours of a report by their meaning. Made once, with or without colour.
 */

import { Chalk } from 'chalk'

type Paint = (text: string) => string

export interface Ink {
  readonly good: Paint
  readonly bad: Paint
  readonly unsure: Paint
  /** What is told in passing: labels, digests, times. */
  readonly faint: Paint
  readonly strong: Paint
  /** What one can copy into a terminal. */
  readonly command: Paint
}

/** Colours for a terminal, or none at all. */
export function makeInk(colour: boolean): Ink {
  const chalk = new Chalk({ level: colour ? 1 : 0 })
  return {
    good: chalk.green,
    bad: chalk.red,
    unsure: chalk.yellow,
    faint: chalk.dim,
    strong: chalk.bold,
    command: chalk.cyan,
  }
}
