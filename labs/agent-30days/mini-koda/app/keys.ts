/**
 * Every name that the assembled system writes into Redis; stands in for day 10's `keys.ts`.
 *
 * All keys of a shard share the hash tag `{s<n>}`, so that lease, fence, substream and numbering lie in
 * one slot of a cluster and one script may touch them together. Day 14's prefix stands in front of
 * each: the environment, and before that the run's own space.
 */

import { namespaced } from '#exercises/day-14/env.ts'

/** The consumer group of every substream. */
export const GROUP = 'workers'

/** Holds the shard count that the data was written with. */
export const SHARD_COUNT_KEY = namespaced('koda:shard-count')

/** The one place where a shard's keys are made. */
function shardKey(shard: number, what: string): string {
  return namespaced(`koda:{s${shard}}:${what}`)
}

/** The lease of one shard. Its value is `leaseValue(…)`. */
export function leaseKey(shard: number): string {
  return shardKey(shard, 'lease')
}

/** What stands in a lease: whose it is, and with which token. */
export function leaseValue(workerId: string, token: number): string {
  return `${workerId}|${token}`
}

/** Counter that mints the fence tokens of a shard. */
export function fenceCounter(shard: number): string {
  return shardKey(shard, 'fence')
}

/** The substream of one shard. */
export function runsStream(shard: number): string {
  return shardKey(shard, 'runs')
}

/** Entries that were handed out too often. */
export function deadStream(shard: number): string {
  return shardKey(shard, 'dead')
}

/** Counter of the messages of one session. */
export function sessionKey(shard: number, session: string): string {
  return shardKey(shard, `seq:${session}`)
}

/** Which seq an idempotency key got within a session. */
export function acceptedKey(shard: number, session: string, idempotencyKey: string): string {
  return shardKey(shard, `accepted:${session}:${idempotencyKey}`)
}
