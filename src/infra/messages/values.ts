/**
 * What the tables take as a value, and the errors of those who ask for what cannot be. The same in
 * every implementation: a database would refuse some of it later, or store something else without a
 * word.
 */

import type { MessageRow } from './tables.ts'

// A lone surrogate has no place in UTF-8, where it would become another character; Postgres's texts
// cannot hold a zero.
const UNFIT = /[\0\p{Surrogate}]/u

/** Rejects what is not a whole number from 0 that a double can hold exactly. Throws TypeError. */
export function mustBeWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw new TypeError(`message tables: ${name} must be a whole number, got ${String(value)}`)
}

/** Rejects what is not a text, or one with a character zero or half of a character in it. */
export function mustBeText(name: string, value: string): void {
  if (typeof value !== 'string') {
    throw new TypeError(`message tables: ${name} must be a text, got ${String(value)}`)
  }
  if (!UNFIT.test(value)) return
  throw new Error(
    `message tables: ${name} must be well-formed Unicode without the character zero, got ${JSON.stringify(value.slice(0, 60))}`,
  )
}

/** All fields of a message. */
export function mustBeMessage(row: MessageRow): void {
  for (const name of ['shard', 'token', 'seq'] as const) mustBeWhole(name, row[name])
  for (const name of ['runId', 'userId', 'body'] as const) mustBeText(name, row[name])
}

/** A token that would go back. */
export function wouldLower(shard: number, token: number, highest: number): Error {
  return new Error(`tx.raiseToken: shard ${shard} is at ${highest}, ${token} would lower it`)
}

/** A run id that is taken, by a run with another idempotency key. */
export function otherKey(runId: string): Error {
  return new Error(`tx.createRun: run ${runId} has another idempotency key`)
}
