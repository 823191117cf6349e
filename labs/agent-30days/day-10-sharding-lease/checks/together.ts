/** All exercises at once, self-stop on: a worker freezes in the middle of a conversation. */

import {
  appends,
  type Check,
  complaint,
  effects,
  ended,
  endedByItself,
  type Finding,
  firstOutOfPlace,
  type History,
  held,
  inconclusive,
  said,
  seen,
  start,
  takenAlive,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  B,
  customerProcess,
  gatewayProcess,
  LEASES,
  NEIGHBOUR,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const FREEZE = 'freeze-a'
/** Where the users belong, and where the untouched starter sends them: enough, and much quicker. */
const LOOKED_AT = [6, SHARD]
const CONVERSATION = [
  [USER, 'cancel the order'],
  [NEIGHBOUR, 'where is my parcel?'],
  [USER, 'no, keep it'],
  [USER, 'deliver tomorrow'],
] as const

export function togetherCheck(times: Times): Omit<Check, 'id' | 'exercise'> {
  const env = { HANDLE_MS: String(times.whileMs), SHARDS: LOOKED_AT.join(',') }
  return {
    title: 'all files together: a frozen worker, self-stop on',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        gateway: gatewayProcess,
        customer: customerProcess(CONVERSATION),
        [A]: workerProcess(A, times, 'timeline', env),
        [B]: workerProcess(B, times, 'timeline', env),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        {
          id: FREEZE,
          when: { on: said(A, 'handler.start'), plusMs: times.settleMs },
          do: { verb: 'freeze', process: A, forMs: times.freezeMs + times.sweepMs },
        },
        { id: 'start-b', when: { step: FREEZE, plusMs: times.sweepMs }, do: start(B) },
      ],
      until: { step: FREEZE, plusMs: times.freezeMs + 4 * times.sweepMs },
      limitMs: times.limitMs,
    },
    judge: judgeTogether,
  }
}

/** Each message once, each conversation in order, tokens never back, no live lease taken. */
export function judgeTogether(history: History): Finding {
  const expected = `${CONVERSATION.length} messages, each once and in order, tokens never going back`
  const early = endedByItself(history, [STORE, 'gateway', A, B], expected, 'worker.ts')
  if (early) return early
  const bite = history.lives.biteOf(FREEZE)
  const elsewhere = history.output
    .said('gateway', 'published')
    .find(({ fields }) => !LOOKED_AT.includes(Number(fields.shard)))
  if (elsewhere) {
    return violated({
      expected,
      got: `${String(elsewhere.fields.userId)} was sent to shard ${String(elsewhere.fields.shard)}`,
      file: 'shard.ts',
      hint: 'Exercise 1 (check 1) looks at this alone.',
    })
  }
  if (!bite) {
    return inconclusive({ expected, got: `A never began a message.${complaint(history, A)}` })
  }
  const written = effects(history, STORE)
  const evidence = [
    seen(bite, A, 'freezes'),
    ...written.map(({ exchange, by, runId, seq, token }) =>
      seen(exchange.response!, by, `writes ${runId} message ${seq}, token ${token}`),
    ),
  ]
  const fail = (got: string, file: string, hint: string) =>
    violated({ expected, got, evidence, file, hint })

  const [taken] = takenAlive(history, LEASES)
  if (taken) {
    const got = `${taken.key} of ${taken.by} was written over by ${taken.ended?.by} while alive`
    return fail(got, 'lease.ts', 'Exercise 2 (check 2) looks at this alone.')
  }
  const wrong = firstOutOfPlace(written)
  if (wrong?.kind === 'token') {
    return fail(wrong.got, 'store.ts', 'Exercise 4 (check 5) looks at this alone.')
  }
  if (wrong) return fail(wrong.got, 'worker.ts', 'Exercise 5 (check 4) looks at this alone.')
  if (written.length < CONVERSATION.length) {
    const tried = appends(history, STORE).length
    const got = `${written.length} of ${CONVERSATION.length} messages written, ${tried} tried.${complaint(history, B)}`
    return fail(got, 'worker.ts', 'Look at the single checks first; they look at one thing each.')
  }
  return held({ expected, got: expected, evidence })
}
