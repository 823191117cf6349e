/**
 * Stream replies, parsed at the edge: what XREADGROUP and XAUTOCLAIM answer, as entries.
 *
 * An entry that the gateway cannot have written (a field missing, a seq that is no number) is left out
 * and reported by id; it stays pending for a person to look at.
 */

import type { Entry } from '#exercises/worker.ts'

type RawEntry = readonly [id: string, fields: readonly string[] | null]

/** XREADGROUP: `[[stream, [[id, fields], …]], …]`, or null when the wait ran out. */
export type ReadReply = readonly (readonly [stream: string, entries: readonly RawEntry[]])[] | null

/** XAUTOCLAIM: `[next cursor, entries, ids that were deleted]`. */
export type AutoclaimReply = readonly [cursor: string, entries: readonly RawEntry[], ...unknown[]]

export interface Parsed {
  readonly entries: readonly Entry[]
  /** Ids of what could not be read as an entry. */
  readonly malformed: readonly string[]
}

/** Entries of one stream, in their order. */
export function parseEntries(raw: readonly RawEntry[]): Parsed {
  const entries: Entry[] = []
  const malformed: string[] = []
  for (const [id, fields] of raw) {
    const entry = fields && parseEntry(id, fields)
    if (entry) entries.push(entry)
    else malformed.push(id)
  }
  return { entries, malformed }
}

function parseEntry(id: string, fields: readonly string[]): Entry | null {
  const named = new Map<string, string>()
  for (let i = 0; i + 1 < fields.length; i += 2) named.set(fields[i]!, fields[i + 1]!)
  const runId = named.get('runId')
  const userId = named.get('userId')
  const text = named.get('text')
  const seq = Number(named.get('seq') ?? Number.NaN)
  if (runId === undefined || userId === undefined || text === undefined) return null
  return Number.isSafeInteger(seq) && seq > 0 ? { id, runId, seq, userId, text } : null
}
