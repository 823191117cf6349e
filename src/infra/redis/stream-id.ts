/**
 * Stream entry ids: `<ms>-<seq>`, two unsigned 64-bit numbers, held as one 128-bit integer
 * `ms * 2^64 + seq`, so that order is plain comparison and an id can be a key of a Map.
 * Source of the accepted spellings: streamGenericParseIDOrReply in Redis 7.0.
 */
import { cText } from './c-text.ts'

export type EntryId = bigint

const HALF_BITS = 64n
const HALF_MAX = 0xffffffffffffffffn
export const MIN_ID: EntryId = 0n
export const MAX_ID: EntryId = (1n << 128n) - 1n

export function makeId(ms: bigint, seq: bigint): EntryId {
  return (ms << HALF_BITS) | seq
}

export const msOf = (id: EntryId): bigint => id >> HALF_BITS
export const seqOf = (id: EntryId): bigint => id & HALF_MAX

export function idText(id: EntryId): string {
  return `${id >> HALF_BITS}-${id & HALF_MAX}`
}

export function idBytes(id: EntryId): Buffer {
  return Buffer.from(idText(id), 'latin1')
}

/** As C's strtoull reads it: leading zeros, spaces and a plus are taken. */
function half(text: string): bigint | null {
  const digits = /^[ \t\n\v\f\r]*\+?([0-9]+)$/.exec(text)?.[1]
  if (digits === undefined) return null
  const value = BigInt(digits)
  return value > HALF_MAX ? null : value
}

export interface ParsedId {
  readonly id: EntryId
  /** The text was `<ms>-*`: the sequence number is the server's to choose. */
  readonly autoSeq: boolean
}

/**
 * Reads `<ms>`, `<ms>-<seq>`, and `-` and `+` unless `strict`. A missing sequence number becomes
 * `missingSeq`. With `autoSeq`, `<ms>-*` is accepted. Null when the text is no id.
 */
export function parseId(
  bytes: Buffer,
  missingSeq: bigint,
  options: { readonly strict?: boolean; readonly autoSeq?: boolean } = {},
): ParsedId | null {
  if (bytes.length > 127) return null
  const text = cText(bytes)
  if (!options.strict && text === '-') return { id: MIN_ID, autoSeq: false }
  if (!options.strict && text === '+') return { id: MAX_ID, autoSeq: false }
  const dash = text.indexOf('-')
  const ms = half(dash === -1 ? text : text.slice(0, dash))
  if (ms === null) return null
  if (dash === -1) return { id: makeId(ms, missingSeq), autoSeq: false }
  const rest = text.slice(dash + 1)
  if (options.autoSeq && rest === '*') return { id: makeId(ms, 0n), autoSeq: true }
  const seq = half(rest)
  return seq === null ? null : { id: makeId(ms, seq), autoSeq: false }
}
