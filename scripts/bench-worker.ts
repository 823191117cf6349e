/**
 * Measured by `leaselab bench`: claims half of SHARDS leases (256 if not given) and renews each of them
 * by a script, and does nothing else. An ordinary Node program on ioredis.
 */

import { Redis } from 'ioredis'

const SHARDS = Number(process.env.SHARDS ?? 256)
const SHARE = SHARDS / 2
const TTL_MS = 30_000
const RENEW =
  "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end"

const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const me = process.env.WORKER_ID ?? 'a'
const mine = new Set<number>()
const keyOf = (shard: number): string => `lease:shard:${shard}`

async function sweep(): Promise<void> {
  for (let shard = 0; shard < SHARDS && mine.size < SHARE; shard += 1) {
    if (mine.has(shard)) continue
    if ((await redis.set(keyOf(shard), me, 'PX', TTL_MS, 'NX')) === 'OK') mine.add(shard)
  }
}

async function renew(shard: number): Promise<void> {
  if ((await redis.eval(RENEW, 1, keyOf(shard), me, TTL_MS)) === 0) mine.delete(shard)
}

setInterval(sweep, 5000)
setInterval(() => Promise.all([...mine].map(renew)), 10_000)
await sweep()
