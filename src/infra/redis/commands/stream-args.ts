/** Arguments that several stream commands share: ids, interval ends, trimming. Source: t_stream.c. */
import { error } from '../../../wire/resp.ts'
import { type Call, word } from '../command.ts'
import { INVALID_STREAM_ID, NOT_AN_INTEGER, SYNTAX } from '../errors.ts'
import { type Int, parseInt64 } from '../integers.ts'
import type { Trim } from '../stream.ts'
import { type EntryId, MAX_ID, MIN_ID, parseId } from '../stream-id.ts'

/** A bound that is beyond every count in practice: Redis takes 64 bits, a stream here never has. */
export function toCount(value: Int): number {
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER)
}

/** Throws the "not an integer" reply, or `refusal` where the command has words of its own. */
export function integer(bytes: Buffer | undefined, refusal = NOT_AN_INTEGER): Int {
  const value = bytes === undefined ? null : parseInt64(bytes)
  if (value === null) throw refusal
  return value
}

export function strictId(bytes: Buffer): EntryId {
  const parsed = parseId(bytes, 0n, { strict: true })
  if (parsed === null) throw INVALID_STREAM_ID
  return parsed.id
}

/** As `strictId`, and `-` and `+` for the ends. */
export function intervalId(bytes: Buffer): EntryId {
  const parsed = parseId(bytes, 0n)
  if (parsed === null) throw INVALID_STREAM_ID
  return parsed.id
}

const HALF_MAX = 0xffffffffffffffffn
const OPEN = 40

function interval(bytes: Buffer, missingSeq: bigint): { id: EntryId; open: boolean } {
  const open = bytes.length > 1 && bytes[0] === OPEN
  const parsed = parseId(open ? bytes.subarray(1) : bytes, missingSeq, { strict: open })
  if (parsed === null) throw INVALID_STREAM_ID
  return { id: parsed.id, open }
}

/** The first id of an interval; `(` leaves the given one out. */
export function intervalStart(bytes: Buffer): EntryId {
  const { id, open } = interval(bytes, 0n)
  if (!open) return id
  if (id === MAX_ID) throw error('ERR invalid start ID for the interval')
  return id + 1n
}

export function intervalEnd(bytes: Buffer): EntryId {
  const { id, open } = interval(bytes, HALF_MAX)
  if (!open) return id
  if (id === MIN_ID) throw error('ERR invalid end ID for the interval')
  return id - 1n
}

const TWO_STRATEGIES = error(
  'ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
)
const LIMIT_ALONE = error(
  'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
)
const LIMIT_EXACT = error('ERR syntax error, LIMIT cannot be used without the special ~ option')
const NO_STRATEGY = error('ERR syntax error, XTRIM must be called with a trimming strategy')
const NEGATIVE_MAXLEN = error('ERR The MAXLEN argument must be >= 0.')
const NEGATIVE_LIMIT = error('ERR The LIMIT argument must be >= 0.')

/** Entries that an approximate trim looks at when no LIMIT is given: 100 blocks of 100. */
const DEFAULT_LIMIT = 10_000

export interface AddOrTrimArgs {
  readonly trim: Trim | null
  readonly createStream: boolean
  /** `*` when the id is the server's to choose. */
  readonly id: { readonly id: EntryId; readonly autoSeq: boolean } | '*'
  /** Place of the id among the arguments; their number when there was none. */
  readonly idPlace: number
}

/** Options of XADD up to and with its id, or all of XTRIM's. */
export function addOrTrimArgs(call: Call, isAdd: boolean): AddOrTrimArgs {
  const { args } = call
  let trim: Trim | null = null
  let createStream = true
  let limit: Int | null = null
  let id: AddOrTrimArgs['id'] = '*'
  let i = 2
  for (; i < args.length; i++) {
    const name = word(args[i])
    const more = args.length - 1 - i
    if (isAdd && name === '*') break
    if ((name === 'maxlen' || name === 'minid') && more > 0) {
      if (trim !== null) throw TWO_STRATEGIES
      const mark = word(args[i + 1])
      const marked = more >= 2 && (mark === '~' || mark === '=')
      const bytes = args[i + (marked ? 2 : 1)] as Buffer
      const how = { approximate: marked && mark === '~', limit: 0 }
      if (name === 'maxlen') {
        const maxLength = integer(bytes)
        if (maxLength < 0) throw NEGATIVE_MAXLEN
        trim = { kind: 'maxlen', maxLength: toCount(maxLength), ...how }
      } else trim = { kind: 'minid', minId: strictId(bytes), ...how }
      i += marked ? 2 : 1
    } else if (name === 'limit' && more > 0) {
      limit = integer(args[++i])
      if (limit < 0) throw NEGATIVE_LIMIT
    } else if (isAdd && name === 'nomkstream') createStream = false
    else if (isAdd) {
      const parsed = parseId(args[i] as Buffer, 0n, { strict: true, autoSeq: true })
      if (parsed === null) throw INVALID_STREAM_ID
      id = parsed
      break
    } else throw SYNTAX
  }
  if (limit !== null && limit !== 0 && trim === null) throw LIMIT_ALONE
  if (!isAdd && trim === null) throw NO_STRATEGY
  if (limit !== null && trim?.approximate !== true) throw LIMIT_EXACT
  if (trim?.approximate) trim = { ...trim, limit: limit === null ? DEFAULT_LIMIT : toCount(limit) }
  return { trim, createStream, id, idPlace: i }
}
