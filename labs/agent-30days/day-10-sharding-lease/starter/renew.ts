/** Exercise 3: renewing a lease, only while it is still mine. */

import type { Redis } from 'ioredis'
import { leaseKey, leaseValue } from './keys.ts'

/**
 * KEYS[1] lease · ARGV[1] the value I wrote · ARGV[2] time to live in ms
 * Answers 1 renewed, 0 no longer mine.
 */
export const RENEW_SCRIPT = `
-- TODO exercise 3: compare and extend here, where nothing can come between
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
  // TODO exercise 3: what if the lease lapses, and another worker claims it, between these two calls?
  // Send RENEW_SCRIPT with redis.eval instead.
  if ((await redis.get(leaseKey(shard))) !== mine) return 0
  return await redis.pexpire(leaseKey(shard), ttlMs)
}
