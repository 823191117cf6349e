/**
 * What a Redis server answers, as values.
 *
 * Shapes, chosen so that the frequent ones cost no wrapper: a bulk string is a `Buffer`, a missing
 * one `null`, an integer a `number` (a `bigint` beyond 2^53), an array an array. Status lines,
 * errors and the missing array are small objects tagged by `kind`. Protocol: RESP2.
 */
import type { ReplyValue } from '../trace/events.ts'

export interface StatusReply {
  readonly kind: 'status'
  readonly text: string
}

/** `text` begins with the error code, as on the wire: `ERR …`, `WRONGTYPE …`. */
export interface ErrorReply {
  readonly kind: 'error'
  readonly text: string
}

export interface NullArrayReply {
  readonly kind: 'null-array'
}

export type Reply =
  | Buffer
  | null
  | number
  | bigint
  | StatusReply
  | ErrorReply
  | NullArrayReply
  | readonly Reply[]

export const OK: StatusReply = { kind: 'status', text: 'OK' }
export const QUEUED: StatusReply = { kind: 'status', text: 'QUEUED' }
export const NULL_ARRAY: NullArrayReply = { kind: 'null-array' }

export function status(text: string): StatusReply {
  return { kind: 'status', text }
}

export function error(text: string): ErrorReply {
  return { kind: 'error', text }
}

/** A bulk string from text, one byte a character. */
export function bulk(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1')
}

export function isError(reply: Reply): reply is ErrorReply {
  return (
    typeof reply === 'object' && reply !== null && (reply as { kind?: string }).kind === 'error'
  )
}

/** As plain JSON for a trace: bytes as latin1, integers beyond 2^53 as decimal text. */
export function replyToValue(reply: Reply): ReplyValue {
  if (reply === null || typeof reply === 'number') return reply
  if (typeof reply === 'bigint') return reply.toString()
  if (Buffer.isBuffer(reply)) return reply.toString('latin1')
  if (Array.isArray(reply)) return reply.map(replyToValue)
  const tagged = reply as StatusReply | ErrorReply | NullArrayReply
  if (tagged.kind === 'status') return { ok: tagged.text }
  return tagged.kind === 'error' ? { error: tagged.text } : null
}
