/**
 * Asks `env.ts` directly: names in both environments, what `APP_ENV` may be, and when prod is refused.
 * With `PUT=yes` it then puts a message into what prod's stream is called, as somebody at prod would.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import {
  appEnv,
  assertProdSafety,
  leaseKey,
  namespaced,
  runsStream,
  workersKey,
} from '#exercises/env.ts'
import { checkKey } from './contract.ts'

const ENVIRONMENTS = ['dev', 'prod'] as const

for (const env of ENVIRONMENTS) {
  const names = [
    runsStream(env),
    workersKey(env),
    leaseKey(2, env),
    namespaced('a:b', env),
    namespaced('koda:runs', env),
  ]
  for (const name of names) say('name', { env, name: checkKey(name, 'namespaced') })
}
say('name', { env: 'own', name: checkKey(runsStream(), 'runsStream') })

const values = [undefined, 'dev', 'prod', '', 'Prod', 'production', ' prod', 'test', 'null']
for (const value of values) {
  answer('app-env', value ?? null, () => appEnv(value === undefined ? {} : { APP_ENV: value }))
}
for (const env of ENVIRONMENTS) {
  for (const mode of ['memory', 'real'] as const) {
    answer('prod-safety', `${env} ${mode}`, () => {
      assertProdSafety(mode, env)
      return 'allowed'
    })
  }
}

if (process.env.PUT === 'yes') {
  const redis = connectForCommands(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
  await redis.xadd(runsStream('prod'), '*', 'runId', 'run-of-prod', 'text', 'for prod')
  redis.disconnect()
}
say('env.probed')

function answer(event: string, asked: string | null, ask: () => string): void {
  try {
    say(event, { asked, answer: ask() })
  } catch (error) {
    say(event, { asked, answer: null, error: textOf(error) })
  }
}
