/**
 * How the gateway takes a run in: shard, number and entry in one script, once for each idempotency key.
 *
 * Two gateways cannot publish 2 before 1, and a request that is sent again after a lost answer gets the
 * number that it has. The row in the store comes after: an entry whose gateway died in between is
 * handled all the same, its worker opens the row.
 */

import type { Redis } from 'ioredis'
import { acceptedKey, runsStream, sessionKey } from './keys.ts'
import { sessionOf } from './run-id.ts'
import { shardFor } from './shards.ts'

/**
 * KEYS[1] counter of the session · KEYS[2] substream · KEYS[3] mark of the idempotency key
 * ARGV[1] life of the mark in ms · ARGV[2] session · ARGV[3] user · ARGV[4] text
 * Answers { seq, 1 new or 0 known }.
 */
const PUBLISH = `
local known = redis.call('GET', KEYS[3])
if known then return { tonumber(known), 0 } end
local seq = redis.call('INCR', KEYS[1])
redis.call('SET', KEYS[3], seq, 'PX', ARGV[1])
redis.call('XADD', KEYS[2], '*', 'runId', ARGV[2], 'seq', seq, 'userId', ARGV[3], 'text', ARGV[4])
return { seq, 1 }`

const MARK_LIFE_MS = 86_400_000

export interface Accepted {
  readonly session: string
  readonly seq: number
  readonly shard: number
  /** False where the idempotency key was known. */
  readonly isNew: boolean
}

/** Publishes a message of a user. */
export async function publish(
  redis: Redis,
  userId: string,
  text: string,
  idempotencyKey: string,
): Promise<Accepted> {
  const shard = shardFor(userId)
  const session = sessionOf(userId)
  const keys = [
    sessionKey(shard, session),
    runsStream(shard),
    acceptedKey(shard, session, idempotencyKey),
  ]
  const answer = await redis.eval(PUBLISH, 3, ...keys, MARK_LIFE_MS, session, userId, text)
  const [seq, isNew] = answer as [number, number]
  return { session, seq, shard, isNew: isNew === 1 }
}
