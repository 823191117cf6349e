/**
 * What must be true before a process may take part. Each refusal names what was expected and what came.
 *
 * Four accidents that only show on the worst day: a drain that the platform cuts short, two environments
 * in one another's keys, a server that throws leases away when its memory is full, and data that was
 * written with another shard count. (The fifth, a blocking read on the connection of the renewals, is
 * ruled out by how the connections are made: see redis.ts.)
 */

import { refuseOtherShardCount } from 'day-10-sharding-lease/app/shard-count.ts'
import type { Redis } from 'ioredis'
import { SHARD_COUNT } from '#exercises/day-10/shard.ts'
import { appEnv, namespaced } from '#exercises/day-14/env.ts'

export interface DrainTimes {
  readonly drainCeilingMs: number
  readonly platformGraceMs: number
  /** What the platform spends of the grace before it sends SIGTERM. */
  readonly preStopMs: number
}

/** Rejects with the first thing that is wrong. */
export async function checkBoot(redis: Redis, times: DrainTimes | null): Promise<void> {
  appEnv()
  if (times !== null) checkDrain(times)
  checkPrefix()
  await checkEviction(redis)
  await refuseOtherShardCount(redis, SHARD_COUNT)
}

/** Throws unless the drain ends before the platform kills. */
export function checkDrain({ drainCeilingMs, platformGraceMs, preStopMs }: DrainTimes): void {
  const left = platformGraceMs - preStopMs
  if (drainCeilingMs < left) return
  throw new Error(
    `DRAIN_CEILING_MS: expected less than ${left} (PLATFORM_GRACE_MS − PRE_STOP_MS), got ${drainCeilingMs}. ` +
      'The platform kills before the drain has come to its end.',
  )
}

function checkPrefix(): void {
  if (namespaced('x') !== 'x') return
  throw new Error(
    'env.ts: expected namespaced to put something in front of a key, got the bare key.',
  )
}

/** Throws where a full server would drop keys that carry an expiry, as every lease does. */
async function checkEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new Error(
    `maxmemory-policy: expected noeviction, got ${policy}. A full server would throw leases away.`,
  )
}
