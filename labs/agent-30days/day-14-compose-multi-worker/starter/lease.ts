/** Given: giving a lease back. (Claiming and renewing are those of day 10.) */

import type { Redis } from 'ioredis'

/** A lease that is held. `value` is the whole of what was written: `<worker>|<token>`. */
export interface Lease {
  readonly key: string
  readonly value: string
}

/**
 * Comparison and removal in one step: between two, the lease could lapse and be somebody else's.
 * KEYS[1] lease · ARGV[1] the value I wrote
 * Answers 1 given back, 0 no longer mine.
 */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

/** Gives a lease back while the whole value, owner and token, is still mine. True if it was. */
export async function releaseIfOwner(redis: Redis, { key, value }: Lease): Promise<boolean> {
  return (await redis.eval(RELEASE, 1, key, value)) === 1
}
