/**
 * Which shard a user belongs to: by digest, unless the account is so busy that it has one of its own.
 *
 * `HOT_ACCOUNTS` names them, separated by commas, in an order that must never change: the first has
 * shard 256, the next 257. They lie at and above the hashed shards, so that the hash stays as it is.
 */

import { checkShard } from 'day-10-sharding-lease/app/contract.ts'
import { SHARD_COUNT, shardOf } from '#exercises/day-10/shard.ts'

const hot = (process.env.HOT_ACCOUNTS ?? '').split(',').filter((userId) => userId !== '')

/** Hashed ones and those of hot accounts. */
export const ALL_SHARDS = SHARD_COUNT + hot.length

/** The user's shard, 0 … ALL_SHARDS − 1. */
export function shardFor(userId: string): number {
  const reserved = hot.indexOf(userId)
  if (reserved >= 0) return SHARD_COUNT + reserved
  return checkShard(shardOf(userId), SHARD_COUNT, userId)
}
