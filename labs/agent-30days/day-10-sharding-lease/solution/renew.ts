/** Exercise 3: renewing a lease, only while it is still mine. */

import type { Redis } from 'ioredis'
import { leaseKey, leaseValue } from './keys.ts'

/**
 * Comparison and extension in one step, so that no lapse and no rival's claim fits in between.
 * KEYS[1] lease · ARGV[1] the value I wrote · ARGV[2] time to live in ms
 * Answers 1 renewed, 0 no longer mine.
 */
export const RENEW_SCRIPT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0`

/** 1: the lease lives another `ttlMs`. 0: it is lost. A rejection means: unknown. */
export async function renew(
  redis: Redis,
  shard: number,
  workerId: string,
  token: number,
  ttlMs: number,
): Promise<number> {
  const mine = leaseValue(workerId, token)
  return (await redis.eval(RENEW_SCRIPT, 1, leaseKey(shard), mine, ttlMs)) as number
}
