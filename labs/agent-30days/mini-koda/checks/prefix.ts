/** Check 5: dev and prod share a Redis, and dev reads nothing of prod's. */

import {
  type Check,
  complaint,
  deliveredFrom,
  effects,
  ended,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  said,
  seen,
  start,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  redisUrl,
  rounds,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const PROBE = 'probe'
const FILE = 'day-14/env.ts'
const PROD_RUN = 'run-of-prod'

export function prefixCheck(times: Times): Check {
  return {
    id: 5,
    exercise: null,
    title: 'dev reads nothing of prod',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        [A]: workerProcess(A, times, 'start', { SHARDS: String(SHARD) }),
        customer: customerProcess(rounds([USER], 1), 'timeline'),
        [PROBE]: {
          program: 'app/probe-prod.ts',
          begins: 'timeline',
          ends: true,
          env: { REDIS_URL: redisUrl, SHARD: String(SHARD), RUN: PROD_RUN },
        },
      },
      timeline: [
        { id: 'customer', when: { on: said(A, 'lease.held') }, do: start('customer') },
        { id: PROBE, when: { on: said(A, 'acknowledged') }, do: start(PROBE) },
      ],
      until: { on: ended(PROBE), plusMs: 3 * times.whileMs },
      limitMs: times.limitMs / 2,
    },
    judge: judgePrefix,
  }
}

export function judgePrefix(history: History): Finding {
  const expected = 'a message for prod is read 0 times by dev; every key of dev begins with dev:'
  const early = endedByItself(history, [STORE, GATEWAY, A], expected, FILE)
  if (early) return early
  const put = history.output.said(PROBE, 'put')[0]
  const own = effects(history, STORE).filter(({ runId }) => runId !== PROD_RUN)
  if (!put) {
    const got = `nothing was put into prod’s stream.${complaint(history, A)}`
    return inconclusive({ expected, got })
  }
  const evidence = [seen(put, PROBE, `puts a message for prod into ${String(put.fields.stream)}`)]
  const fail = (got: string) =>
    violated({
      expected,
      got,
      evidence,
      file: FILE,
      hint: 'The environment stands in every name: in namespaced, through which each of them goes.',
    })
  const stream = String(put.fields.stream)
  const reads = history.redis.exchanges(A).filter(({ answer }) => {
    const entries = answer ? deliveredFrom(answer.reply, stream) : []
    return entries.some(({ fields }) => fields.get('runId') === PROD_RUN)
  })
  if (reads.length > 0) return fail(`dev read prod’s message ${reads.length} time(s)`)
  const stray = history.redis
    .effects()
    .find(({ effect, by }) => by !== null && by.process !== PROBE && !effect.key.startsWith('dev:'))
  if (stray) return fail(`${stray.by!.process} wrote ${stray.effect.key}, without dev in front`)
  if (own.length !== 1) {
    const got = `dev did ${own.length} messages of its own, not 1`
    return inconclusive({ expected, got, evidence })
  }
  return held({
    expected,
    got: 'a message for prod was read 0 times by dev; every key of dev begins with dev:',
    evidence,
  })
}
