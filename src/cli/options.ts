/**
 * Values of command line options, parsed at the edge: a valid value or a UsageError.
 */

import type { Lab } from '../judge/lab.ts'
import { UsageError } from './usage-error.ts'

/** The seed of a run that names none: a constant, so that two people see the same. */
export const DEFAULT_SEED = '1'

/** A whole number from 0, at most 15 digits; answered without leading zeros. */
export function parseSeed(text: string): string {
  if (/^\d{1,15}$/.test(text)) return String(Number(text))
  throw new UsageError('The seed is not a number.', {
    where: 'option --seed',
    expected: 'a whole number from 0, with at most 15 digits',
    got: JSON.stringify(text),
    next: `--seed ${DEFAULT_SEED}`,
  })
}

/** The number of one of the lab's checks. */
export function parseCheck(text: string, lab: Lab): number {
  const ids = lab.checks.map((check) => check.id)
  const found = ids.find((id) => String(id) === text)
  if (found !== undefined) return found
  throw new UsageError(`${lab.name} has no such check.`, {
    where: 'option --check',
    expected: `one of: ${ids.join(', ')}`,
    got: JSON.stringify(text),
    next: `--check ${ids[0] ?? 1}`,
  })
}
