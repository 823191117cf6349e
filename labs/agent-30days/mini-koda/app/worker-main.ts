/**
 * A worker of the assembled system: day 10's worker, with day 14's heartbeat and drain.
 *
 * Its share follows who is alive (crowd.ts), entries that were handed out too often are set aside
 * (dead-letters.ts). Settings: those of both labs, and `PRE_STOP_MS`, `VERSION`.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands, connectForReads } from 'agent-30days-shared/redis.ts'
import { wholeNumber } from 'agent-30days-shared/settings.ts'
import { endWith } from 'agent-30days-shared/slip.ts'
import { workerConfig } from 'day-10-sharding-lease/app/config.ts'
import { Worker } from 'day-10-sharding-lease/app/worker.ts'
import { readTimes } from 'day-14-compose-multi-worker/app/times.ts'
import { startHeartbeat } from '#exercises/day-14/heartbeat.ts'
import { releaseIfOwner } from '#exercises/day-14/lease.ts'
import { beat } from '#exercises/day-14/presence.ts'
import { shutdown } from '#exercises/day-14/shutdown.ts'
import { checkBoot } from './boot.ts'
import { Crowd } from './crowd.ts'
import { sift } from './dead-letters.ts'
import { KodaStore } from './koda-store.ts'
import { ALL_SHARDS } from './shards.ts'

/** Shards that one sweep gives back at most, so that others find them a few at a time. */
const GIVE_BACK = 64

const { env } = process
const config = workerConfig(env)
const times = readTimes(env)
const { workerId } = config
const version = env.VERSION || 'unknown'
const redis = connectForCommands(config.redisUrl)
const reads = connectForReads(config.redisUrl)
const store = new KodaStore(config.storeUrl, config.callTimeoutMs)

await checkBoot(redis, { ...times, preStopMs: wholeNumber(env, 'PRE_STOP_MS', 0, 0) })
const shards = config.shards ?? Array.from({ length: ALL_SHARDS }, (_, shard) => shard)
const crowd = new Crowd(redis, workerId, times, shards)
const worker = new Worker(config, ALL_SHARDS, redis, reads, store, {
  async share() {
    const share = await crowd.share()
    const leases = worker.surrender(Math.min(worker.holds - share, GIVE_BACK))
    await Promise.all(leases.map((lease) => releaseIfOwner(redis, lease)))
    return share
  },
  orphans: (held) => crowd.orphans(held),
  async sift(holding, entries) {
    const { alive, dead } = await sift(redis, workerId, holding, entries)
    if (dead !== null) {
      say('dead-letter', { shard: holding.shard, runId: dead.runId, seq: dead.seq })
      await store.fail(holding, dead)
    }
    return alive
  },
})
const heartbeat = startHeartbeat(
  () => beat(redis, workerId, { inFlight: worker.inHand, version }),
  times.beatMs,
)
say('worker.ready', { workerId, pid: process.pid })
worker.start()

const duties = {
  workerId,
  redis,
  heartbeat,
  leases: () => worker.leases(),
  takeNothingNew() {
    say('worker.draining', { inFlight: worker.inHand })
    worker.takeNothingNew()
    // A read that waits would still be given what comes next.
    reads.disconnect()
  },
  runInHand: () => worker.workInHand(),
  abortRun: () => worker.abortWork(),
  stopRenewing: () => worker.stopRenewing(),
  close() {
    worker.stop()
    store.close()
    reads.disconnect()
    redis.disconnect()
    say('worker.closed')
  },
}

process.on('SIGTERM', () => {
  shutdown(duties, times.drainCeilingMs).catch((error: unknown) => {
    say('drain.failed', { error: textOf(error) })
    endWith(error)
  })
})
