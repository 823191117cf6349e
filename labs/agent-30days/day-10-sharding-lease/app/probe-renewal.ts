/**
 * Calls `renew` directly on the lease of a shard that nobody uses: while there is no lease, with a
 * token before the one that is stored, with the right one, and when the lease is somebody else's.
 * Prints the answers.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { leaseKey, leaseValue } from '#exercises/keys.ts'
import { renew } from '#exercises/renew.ts'

const SHARD = 7
const ME = 'probe'
const ttlMs = Number(process.env.LEASE_TTL_MS ?? 30_000)
const redis = connectForCommands(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')

async function ask(what: string, token: number): Promise<void> {
  try {
    say('renewal.answer', { what, answer: await renew(redis, SHARD, ME, token, ttlMs) })
  } catch (error) {
    say('renewal.answer', { what, error: textOf(error) })
  }
}

/** Half a life, so that an extension shows. */
async function store(owner: string, token: number): Promise<void> {
  await redis.set(leaseKey(SHARD), leaseValue(owner, token), 'PX', ttlMs / 2)
}

await ask('absent', 5)
await store(ME, 6)
await ask('older token', 5)
await ask('mine', 6)
await store('other', 6)
await ask('foreign', 6)
redis.disconnect()
