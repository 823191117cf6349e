/**
 * Takes a lease over, as a worker does when it has lapsed. Settings: `REDIS_URL`, `SHARD`.
 */

import { say } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { leaseKey } from '#exercises/env.ts'

const LIFE_MS = 600_000

const redis = connectForCommands(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
await redis.set(leaseKey(Number(process.env.SHARD)), 'somebody|99', 'PX', LIFE_MS)
say('lease.taken')
redis.disconnect()
