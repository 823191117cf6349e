/**
 * The stored shard count. With another one a process would look for a user's messages where nobody
 * put them, so it refuses to start.
 */

import type { Redis } from 'ioredis'
import { SHARD_COUNT_KEY } from '#exercises/keys.ts'

/** Stores the count if there is none yet. Rejects when the data was written with another one. */
export async function refuseOtherShardCount(redis: Redis, shardCount: number): Promise<void> {
  await redis.set(SHARD_COUNT_KEY, shardCount, 'NX')
  const stored = await redis.get(SHARD_COUNT_KEY)
  if (stored === String(shardCount)) return
  throw new Error(
    `${SHARD_COUNT_KEY}: expected ${shardCount}, the SHARD_COUNT of this program, got ${stored}. ` +
      'The data was written with that count; start a program that has it too.',
  )
}
