/**
 * Calls `tryAcquire` directly, on the lease of a shard beyond those in use. `PLAN` lists what to do:
 * `claim`, `wait` (a while), `clear` (removes the lease, as if it had lapsed). Prints each answer.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { leaseKey } from '#exercises/keys.ts'
import { tryAcquire } from '#exercises/lease.ts'
import { checkClaim } from './contract.ts'

const SHARD = 300
const me = process.env.WORKER_ID ?? 'probe'
const ttlMs = Number(process.env.LEASE_TTL_MS ?? 30_000)
const waitMs = Number(process.env.WAIT_MS ?? 1000)
const redis = connectForCommands(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')

async function claim(): Promise<void> {
  try {
    const won = checkClaim(await tryAcquire(redis, SHARD, me, ttlMs))
    say('claim.answer', { token: won?.token ?? null })
  } catch (error) {
    say('claim.answer', { error: textOf(error) })
  }
}

for (const step of (process.env.PLAN ?? 'claim').split(',')) {
  if (step === 'claim') await claim()
  else if (step === 'clear') await redis.del(leaseKey(SHARD))
  else await new Promise((resolve) => setTimeout(resolve, waitMs))
}
redis.disconnect()
