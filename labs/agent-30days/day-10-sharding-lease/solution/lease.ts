/** Exercise 2: claiming a shard. */

import type { Redis } from 'ioredis'
import { fenceCounter, leaseKey } from './keys.ts'

/**
 * Claims a free lease and mints its token in one step.
 * KEYS[1] lease · KEYS[2] token counter · ARGV[1] worker id · ARGV[2] time to live in ms
 * Answers the token, or 0 when somebody holds the lease.
 *
 * In one script a token is minted only for a lease that is really granted. With INCR first and SET NX
 * second, a claimer delayed between the two can win later with a smaller token than its predecessor
 * had: the store turns it away (safe), but nothing moves until it notices and claims again (stuck).
 */
export const CLAIM_SCRIPT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local token = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1] .. '|' .. token, 'NX', 'PX', ARGV[2])
return token`

/** The lease of `shard` for `ttlMs`, with its fence token, or null while another worker holds it. */
export async function tryAcquire(
  redis: Redis,
  shard: number,
  workerId: string,
  ttlMs: number,
): Promise<{ token: number } | null> {
  const token = (await redis.eval(
    CLAIM_SCRIPT,
    2,
    leaseKey(shard),
    fenceCounter(shard),
    workerId,
    ttlMs,
  )) as number
  return token === 0 ? null : { token }
}
