/**
 * The gateway: takes a user's message, works out the shard, numbers it within its conversation and
 * publishes it to the shard's substream.
 *
 * `POST /messages { userId, text }`   202 with `{ runId, seq, shard }`
 *
 * Number and entry are made in one script, so that two gateways cannot publish 2 before 1. It keeps no
 * state of its own. Settings: `REDIS_URL`, `PORT` (default 3010), `KEY_PREFIX`.
 */

import { type Answer, serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { portOf, required } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { runsStream, sequenceKey } from '#exercises/keys.ts'
import { SHARD_COUNT, shardOf } from '#exercises/shard.ts'
import { checkShard } from './contract.ts'
import { refuseOtherShardCount } from './shard-count.ts'

/** KEYS[1] counter · KEYS[2] substream · ARGV run id, user id, text. Answers the seq. */
const PUBLISH = `
local seq = redis.call('INCR', KEYS[1])
redis.call('XADD', KEYS[2], '*', 'runId', ARGV[1], 'seq', seq, 'userId', ARGV[2], 'text', ARGV[3])
return seq`

const redis = connectForCommands(
  required(process.env, 'REDIS_URL', 'such as redis://127.0.0.1:6379'),
)
const port = portOf(process.env, 3010)

async function publish(body: Readonly<Record<string, unknown>>): Promise<Answer> {
  const { userId, text } = body
  if (typeof userId !== 'string' || userId === '' || typeof text !== 'string') {
    return { status: 400, body: { error: 'expected { userId, text }, both strings' } }
  }
  const shard = checkShard(shardOf(userId), SHARD_COUNT, userId)
  const runId = `run-${userId}`
  const keys = [sequenceKey(runId), runsStream(shard)]
  const seq = (await redis.eval(PUBLISH, 2, ...keys, runId, userId, text)) as number
  say('published', { userId, runId, seq, shard })
  return { status: 202, body: { runId, seq, shard } }
}

await refuseOtherShardCount(redis, SHARD_COUNT)
const server = serveJson(port, { 'POST /messages': publish }, (error) => {
  say('gateway.error', { error: textOf(error) })
  if (isSlip(error)) endWith(error)
})
server.on('listening', () => say('gateway.ready', { port }))

process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  redis.disconnect()
})
