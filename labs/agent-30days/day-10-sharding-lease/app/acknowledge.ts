/**
 * Fenced acknowledgement: an acknowledgement is a write too, and one from a deposed holder would take
 * a message away from its successor.
 */

import type { Redis } from 'ioredis'
import { GROUP, leaseKey, leaseValue, runsStream } from '#exercises/keys.ts'

/**
 * KEYS[1] lease · KEYS[2] substream · ARGV[1] the value I wrote · ARGV[2] group · ARGV[3] entry id
 * Answers 1 acknowledged, 0 nothing was pending, -1 the lease is not mine.
 */
const ACKNOWLEDGE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
return redis.call('XACK', KEYS[2], ARGV[2], ARGV[3])`

/** Takes one entry off the pending list, if the lease is still this worker's. */
export async function acknowledge(
  redis: Redis,
  shard: number,
  workerId: string,
  token: number,
  entryId: string,
): Promise<'acknowledged' | 'nothing-pending' | 'not-mine'> {
  const keys = [leaseKey(shard), runsStream(shard)]
  const mine = leaseValue(workerId, token)
  const answer = await redis.eval(ACKNOWLEDGE, 2, ...keys, mine, GROUP, entryId)
  if (answer === -1) return 'not-mine'
  return answer === 1 ? 'acknowledged' : 'nothing-pending'
}
