/** Exercise 2: claiming a shard. */

import type { Redis } from 'ioredis'
import { fenceCounter, leaseKey, leaseValue } from './keys.ts'

/** The lease of `shard` for `ttlMs`, with its fence token, or null while another worker holds it. */
export async function tryAcquire(
  redis: Redis,
  shard: number,
  workerId: string,
  ttlMs: number,
): Promise<{ token: number } | null> {
  const token = await redis.incr(fenceCounter(shard))
  // TODO exercise 2: this takes the lease from whoever holds it. How does SET leave a live key alone,
  // and how does its answer tell that it did?
  await redis.set(leaseKey(shard), leaseValue(workerId, token), 'PX', ttlMs)
  return { token }
}
