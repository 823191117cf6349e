/**
 * Calls `shutdown` with duties of its own that take their time, and prints each step. `PLAN` is one of
 *
 * `idle` nothing in hand · `run` a run that ends in time, and a second call meanwhile · `ceiling` a run
 * that ends only when it is aborted, and then takes a while · `late` nothing in hand, and somebody has
 * the lease before its release arrives.
 * In each it holds two leases, one of which has become another's long ago, and a beat is under way when
 * the heartbeat is stopped. Settings: `REDIS_URL`, `DRAIN_CEILING_MS`, `UNIT_MS`, `SHARD` (the first of
 * two that nobody uses).
 */

import { setTimeout as pause } from 'node:timers/promises'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { leaseKey } from '#exercises/env.ts'
import { beat } from '#exercises/presence.ts'
import { type Duties, shutdown } from '#exercises/shutdown.ts'

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const ceilingMs = Number(process.env.DRAIN_CEILING_MS ?? 20_000)
const unitMs = Number(process.env.UNIT_MS ?? 1000)
const plan = process.env.PLAN ?? 'idle'
const LIFE_MS = 600_000
const shard = Number(process.env.SHARD ?? 900)

let endRun = () => {}
const workerId = `probe-${plan}`
const step = (what: string) => say('shutdown.step', { what })
const redis = connectForCommands(url)
const mine = { key: leaseKey(shard), value: `${workerId}|7` }
const lost = { key: leaseKey(shard + 1), value: `${workerId}|8` }
await redis.set(mine.key, mine.value, 'PX', LIFE_MS)
await redis.set(lost.key, `${workerId}|9`, 'PX', LIFE_MS)
const write = () => beat(redis, workerId, { inFlight: 0, version: 'probe' })
await write()

const run =
  plan === 'idle' || plan === 'late'
    ? Promise.resolve()
    : new Promise<void>((resolve) => {
        endRun = () => {
          step('run ended')
          resolve()
        }
      })
if (plan === 'run') setTimeout(() => endRun(), 3 * unitMs)

const duties: Duties = {
  workerId,
  redis,
  leases: () => [mine, lost],
  heartbeat: {
    async stop() {
      step('heartbeat stops')
      await pause(unitMs)
      await write()
      step('last beat written')
    },
  },
  takeNothingNew: () => step('takes nothing new'),
  runInHand: () => run,
  abortRun: () => {
    step('run aborted')
    setTimeout(() => endRun(), unitMs)
  },
  stopRenewing: () => step('renewing stops'),
  close: () => {
    step('closed')
    redis.disconnect()
  },
}
async function call(which: string): Promise<void> {
  try {
    await shutdown(duties, ceilingMs)
    step(`${which} call ends`)
  } catch (error) {
    step(`${which} call fails: ${textOf(error)}`)
  }
}

step('asked to go')
const first = call('first')
if (plan === 'run') {
  await pause(unitMs)
  step('asked to go again')
  await call('second')
}
await first
redis.disconnect()
