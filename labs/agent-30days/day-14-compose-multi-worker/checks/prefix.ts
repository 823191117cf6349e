/** Check 5: dev and prod have names of their own, and nothing of prod's is read by dev. */

import {
  type Check,
  complaint,
  type Evidence,
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
import { handedOut, storeCalls } from './runs.ts'
import {
  A,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  redisUrl,
  STORE,
  storeProcess,
  type Times,
  workerProcess,
} from './setting.ts'

const FILE = 'env.ts'
const PROBE = 'probe'
/** The same questions in a key space of its own. */
const IN_SPACE = 'probe-in-space'
const SPACE = 'run-7:'
/** The run that the probe puts into prod's stream. */
const PROD_RUN = 'run-of-prod'
const PROBED_KEYS = ['koda:runs', 'koda:workers', 'lease:shard:2', 'a:b', 'koda:runs']

/** What `APP_ENV` may be: null is not set, and an answer of null an error. */
export const ENVIRONMENTS: readonly (readonly [value: string | null, answer: string | null])[] = [
  [null, 'dev'],
  ['dev', 'dev'],
  ['prod', 'prod'],
  ['', null],
  ['Prod', null],
  ['production', null],
  [' prod', null],
  ['test', null],
  ['null', null],
]

export const SAFETY: readonly (readonly [asked: string, answer: string | null])[] = [
  ['dev memory', 'allowed'],
  ['dev real', 'allowed'],
  ['prod memory', null],
  ['prod real', 'allowed'],
]

export function prefixCheck(times: Times): Check {
  return {
    id: 5,
    exercise: 4,
    title: 'dev reads nothing of prod',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        [A]: workerProcess(A, times),
        customer: customerProcess([{ text: 'for dev' }]),
        [PROBE]: {
          program: 'app/probe-env.ts',
          begins: 'timeline',
          ends: true,
          env: { REDIS_URL: redisUrl, PUT: 'yes' },
        },
        [IN_SPACE]: { program: 'app/probe-env.ts', ends: true, env: { KEY_PREFIX: SPACE } },
      },
      timeline: [{ id: PROBE, when: { on: said(A, 'acknowledged') }, do: start(PROBE) }],
      until: { on: ended(PROBE), plusMs: 3 * times.workMs },
      limitMs: times.limitMs,
    },
    judge: judgePrefix,
  }
}

export function judgePrefix(history: History): Finding {
  const expected = 'dev:koda:runs and prod:koda:runs; a message for prod is read 0 times by dev'
  const early = endedByItself(history, [STORE, GATEWAY, A], expected, FILE)
  if (early) return early
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  const put = history.redis.exchanges(PROBE).find(({ command }) => {
    return command.argv[0] === 'XADD' && command.argv.includes(PROD_RUN)
  })
  if (!put) {
    const got = `nothing was put into prod’s stream.${complaint(history, A)}`
    return inconclusive({ expected, got, evidence })
  }
  const stream = put.command.argv[1]!
  evidence.push(seen(put.command, PROBE, `puts a message for prod into ${stream}`))
  const reads = handedOut(history, stream)
    .filter(({ runId }) => runId === PROD_RUN)
    .flatMap(({ to }) => to)
  for (const read of reads) evidence.push(seen(read, read.process, 'reads it, in dev'))
  const begun = storeCalls(history, '/runs/begin').filter(({ runId }) => runId === PROD_RUN)
  const names = (probe: string, env: string) =>
    history.output
      .said(probe, 'name')
      .filter(({ fields }) => fields.env === env)
      .map(({ fields }) => String(fields.name))
  const dev = names(PROBE, 'dev')
  if (reads.length > 0 || begun.length > 0) {
    return fail(
      `dev and prod both have ${dev[0]}; a message for prod was read ${reads.length} time${reads.length === 1 ? '' : 's'} by dev`,
      'Both environments compute one name. Let the environment stand in it: in namespaced, through which every name goes.',
    )
  }
  for (const [probe, env, space] of [
    [PROBE, 'dev', ''],
    [PROBE, 'prod', ''],
    [IN_SPACE, 'dev', SPACE],
    [IN_SPACE, 'prod', SPACE],
  ] as const) {
    const told = names(probe, env)
    if (told.length < PROBED_KEYS.length) {
      return inconclusive({ expected, got: 'env.ts was not asked to the end', evidence })
    }
    for (const [k, key] of PROBED_KEYS.entries()) {
      const wanted = `${space}${env}:${key}`
      if (told[k] === wanted) continue
      return fail(
        `in ${env}, ${space === '' ? '' : `with KEY_PREFIX ${space}, `}${key} is called ${told[k]}, not ${wanted}`,
        'Every key has its environment in front, in dev as in prod: <env>:<key>, and KEY_PREFIX before that.',
      )
    }
  }
  const [own] = names(PROBE, 'own')
  if (own !== dev[0]) {
    return fail(
      `without APP_ENV the stream is ${own}`,
      'Not set means dev: the environment that a name is made for is appEnv() where none is given.',
    )
  }
  const stray = history.redis.effects().find(({ effect, by }) => {
    return by !== null && by.process !== PROBE && !effect.key.startsWith('dev:')
  })
  if (stray) {
    evidence.push(seen(stray.effect, stray.by!.process, `writes ${stray.effect.key}`))
    return fail(
      `${stray.by!.process} wrote ${stray.effect.key}, without dev in front`,
      'Names are made by namespaced and by nothing else; one that goes around it is shared with prod.',
    )
  }
  const done = storeCalls(history, '/runs/finish').filter(({ wrote }) => wrote).length
  if (done !== 1) {
    return inconclusive({ expected, got: `dev did ${done} runs of its own, not 1`, evidence })
  }
  return (
    probeFault(history, 'app-env', ENVIRONMENTS, evidence, (asked, got, wanted) =>
      fail(
        `names are right, but APP_ENV ${asked === null ? 'not set' : `= "${asked}"`} gave ${got}, not ${wanted}`,
        'Not set means dev; else exactly dev or prod. Anything else, the empty text too, is an error: a slip must not decide where data goes.',
      ),
    ) ??
    probeFault(history, 'prod-safety', SAFETY, evidence, (asked, got, wanted) =>
      fail(
        `names are right, but ${asked} gave ${got}, not ${wanted}`,
        'Only prod in memory is refused.',
      ),
    ) ??
    (history.output.said(PROBE, 'env.probed').length === 0
      ? inconclusive({ expected, got: 'env.ts was not asked to the end', evidence })
      : held({
          expected,
          got: `${dev[0]} and ${stream}; a message for prod was read 0 times by dev`,
          evidence,
        }))
  )
}

/** The finding for the first answer that is not the wanted one. */
function probeFault(
  history: History,
  event: string,
  wanted: readonly (readonly [asked: string | null, answer: string | null])[],
  evidence: Evidence[],
  fail: (asked: string | null, got: string, wanted: string) => Finding,
): Finding | null {
  const told = history.output.said(PROBE, event)
  const show = (answer: unknown) => (answer === null ? 'an error' : String(answer))
  for (const [k, [asked, answer]] of wanted.entries()) {
    const line = told[k]
    if (!line || line.fields.answer === answer) continue
    evidence.push(seen(line, PROBE, `${event} ${asked ?? 'not set'}: ${show(line.fields.answer)}`))
    return fail(asked, show(line.fields.answer), show(answer))
  }
  return null
}
