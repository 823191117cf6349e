/**
 * Every name that this lab writes into Redis, made in one place.
 *
 * `KEY_PREFIX` (default: empty) stands in front of each of them, so that two runs can share a server
 * without meeting. Nothing else in the lab may spell out a key.
 */

const prefix = process.env.KEY_PREFIX ?? ''

/** The consumer group of every substream. */
export const GROUP = 'workers'

/** Counter that mints the fence tokens of a shard: here one number, rising, for all shards. */
export function fenceCounter(_shard: number): string {
  return `${prefix}lease:fence`
}

/** Holds the shard count that the data was written with. */
export const SHARD_COUNT_KEY = `${prefix}koda:shard-count`

/** The lease of one shard. Its value is `leaseValue(…)`. */
export function leaseKey(shard: number): string {
  return `${prefix}lease:shard:${shard}`
}

/** What stands in a lease: whose it is, and with which token. */
export function leaseValue(workerId: string, token: number): string {
  return `${workerId}|${token}`
}

/** The substream of one shard. */
export function runsStream(shard: number): string {
  return `${prefix}koda:runs:s${shard}`
}

/** Counter of the messages of one conversation. */
export function sequenceKey(runId: string): string {
  return `${prefix}koda:seq:${runId}`
}
