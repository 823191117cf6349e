/**
 * Puts a message where prod's workers would read it, and tells the names of both environments.
 * Settings: `REDIS_URL`, `SHARD`, `RUN`.
 */

import { say } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { required, wholeNumber } from 'agent-30days-shared/settings.ts'
import { namespaced } from '#exercises/day-14/env.ts'

const { env } = process
const redis = connectForCommands(required(env, 'REDIS_URL', 'such as redis://127.0.0.1:6379'))
const shard = wholeNumber(env, 'SHARD', 0, 0)
const key = `koda:{s${shard}}:runs`
const [dev, prod] = [namespaced(key, 'dev'), namespaced(key, 'prod')]
say('names', { dev, prod })
const fields = [
  'runId',
  required(env, 'RUN', 'a session'),
  'seq',
  '1',
  'userId',
  'prod',
  'text',
  'x',
]
await redis.xadd(prod, '*', ...fields)
say('put', { stream: prod })
redis.disconnect()
