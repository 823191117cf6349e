/**
 * The gateway of the assembled system: day 14's, taking runs in by shard.
 *
 * `POST /runs { userId, text }`   202 with `{ runId, seq, shard, status }`; the same `Idempotency-Key`
 * of the same user, the same run. Settings: those of day 14's gateway.
 */

import { randomUUID } from 'node:crypto'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { gatewayConfig } from 'day-14-compose-multi-worker/app/config.ts'
import type { Accept } from 'day-14-compose-multi-worker/app/gateway.ts'
import { HttpRunStore } from 'day-14-compose-multi-worker/app/run-store.ts'
import { serveGateway } from 'day-14-compose-multi-worker/app/serve-gateway.ts'
import { checkBoot } from './boot.ts'
import { publish } from './intake.ts'
import { runIdOf } from './run-id.ts'

const LONGEST_KEY = 200

const config = gatewayConfig(process.env)
const redis = connectForCommands(config.redisUrl)
const store = new HttpRunStore(config.storeUrl, config.times.callTimeoutMs)

const accept: Accept = async (context) => {
  const body: unknown = await context.req.json().catch(() => null)
  const { userId, text } = (body ?? {}) as { readonly userId?: unknown; readonly text?: unknown }
  if (typeof userId !== 'string' || userId === '' || typeof text !== 'string' || text === '') {
    const error = 'expected { userId, text }, both texts'
    return { answer: context.json({ error }, 400), isNew: null }
  }
  const key = context.req.header('idempotency-key') ?? randomUUID()
  if (key === '' || key.length > LONGEST_KEY) {
    const error = `Idempotency-Key: expected 1 to ${LONGEST_KEY} characters, got ${key.length}`
    return { answer: context.json({ error }, 400), isNew: null }
  }
  const { session, seq, shard, isNew } = await publish(redis, userId, text, key)
  const runId = runIdOf(session, seq)
  say('published', { userId, runId, seq, shard, again: !isNew })
  const { status } = await store.open(runId, runId).catch((error: unknown) => {
    // The entry is in the stream: the run is accepted, and its worker opens the row.
    say('gateway.error', { runId, error: textOf(error) })
    return { status: 'queued' }
  })
  return { answer: context.json({ runId, seq, shard, status }, 202), isNew }
}

await checkBoot(redis, null)
serveGateway(config, redis, store, accept)
