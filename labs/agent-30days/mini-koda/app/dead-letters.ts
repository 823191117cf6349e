/**
 * Entries that kill whoever touches them: after three deliveries they are set aside.
 *
 * The server counts deliveries, so a worker that dies before it could count itself is counted too. The
 * entry is copied to the shard's `dead` stream and acknowledged in one script, and only while the lease
 * is still the caller's: an acknowledgement is a write like any other.
 */

import { type Holding, LeaseLost } from 'day-10-sharding-lease/app/holding.ts'
import type { Redis } from 'ioredis'
import type { Entry } from '#exercises/day-10/worker.ts'
import { deadStream, GROUP, leaseKey, leaseValue, runsStream } from './keys.ts'

/** Times that an entry is handed out; before the next it is dead. */
export const DELIVERIES = 3

/**
 * KEYS[1] lease · KEYS[2] substream · KEYS[3] dead stream
 * ARGV[1] the value I wrote · ARGV[2] group · ARGV[3] entry id · ARGV[4] deliveries · ARGV[5 …] fields
 * Answers 1 set aside, 0 nothing was pending, -1 the lease is not mine.
 */
const BURY = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
if redis.call('XACK', KEYS[2], ARGV[2], ARGV[3]) == 0 then return 0 end
redis.call('XADD', KEYS[3], '*', 'entry', ARGV[3], 'deliveries', ARGV[4], unpack(ARGV, 5))
return 1`

type PendingReply = readonly (readonly [id: string, owner: string, idle: number, count: number])[]

/** How often this pending entry was handed out. */
async function deliveriesOf(redis: Redis, shard: number, entryId: string): Promise<number> {
  const rows = (await redis.xpending(runsStream(shard), GROUP, entryId, entryId, 1)) as PendingReply
  return rows[0]?.[3] ?? 0
}

/**
 * Sets the first entry aside if it was handed out too often; answers the others, and it. Only the first
 * of a shard can have been begun. Those behind it were handed out as often for nothing, so their count
 * begins anew when it is gone.
 */
export async function sift(
  redis: Redis,
  workerId: string,
  holding: Holding,
  entries: readonly Entry[],
): Promise<{ readonly alive: readonly Entry[]; readonly dead: Entry | null }> {
  const [first, ...others] = entries
  if (first === undefined) return { alive: [], dead: null }
  const { shard, token } = holding
  const count = await deliveriesOf(redis, shard, first.id)
  if (count <= DELIVERIES) return { alive: entries, dead: null }
  const { id, runId, seq, userId, text } = first
  const answer = await redis.eval(
    BURY,
    3,
    ...[leaseKey(shard), runsStream(shard), deadStream(shard)],
    ...[leaseValue(workerId, token), GROUP, id, count],
    ...['runId', runId, 'seq', seq, 'userId', userId, 'text', text],
  )
  if (answer === -1) throw new LeaseLost('the lease is not mine')
  if (others.length > 0) {
    const ids = others.map((entry) => entry.id)
    const stream = runsStream(shard)
    await redis.xclaim(stream, GROUP, workerId, 0, ...ids, 'RETRYCOUNT', 1, 'JUSTID')
  }
  return { alive: others, dead: first }
}
