/**
 * Patterns that the scenarios of more than one lab wait for.
 */

import type { EventPattern } from '../scenario/scenario.ts'

/** A process is at its end: of programs that end when their work is done. */
export function ended(process: string): EventPattern {
  return { kind: 'process.exited', where: { process } }
}

/** A JSON line that a process prints. */
export function said(
  process: string,
  event: string,
  fields: Readonly<Record<string, string | number>> = {},
): EventPattern {
  return { kind: 'process.output', where: { process }, json: { event, ...fields } }
}

/** The verb that starts a process. */
export function start(process: string) {
  return { verb: 'start', process } as const
}
