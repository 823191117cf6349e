/** Exercise 1: which shard a user belongs to. */

import { createHash } from 'node:crypto'

/** A power of two, above the number of workers there will ever be, and fixed for the life of the data. */
export const SHARD_COUNT = 256

/** Shard of a user, 0 … SHARD_COUNT − 1: the same in every process, language and year. */
export function shardOf(userId: string): number {
  const digest = createHash('sha1').update(userId, 'utf8').digest()
  return digest.readUInt32BE(0) % SHARD_COUNT
}
