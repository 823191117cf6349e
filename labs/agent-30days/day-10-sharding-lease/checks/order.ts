/** Check 4: one after the other within a shard, across the death of the worker. */

import {
  appends,
  type Check,
  complaint,
  deliveredFrom,
  effects,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  acknowledgement,
  B,
  customerProcess,
  ended,
  gatewayProcess,
  SHARD,
  STORE,
  STREAM,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const FILE = 'worker.ts'
const KILL = 'kill-a'
const MESSAGES = 6
/** A is killed while this many are acknowledged. */
const BEFORE_KILL = 3

/** Handling times by seq in units: whoever runs beside the others, overtakes. */
const UNITS = [1, 3, 2, 6, 4, 5]

export function orderCheck(times: Times): Check {
  const env = {
    SHARDS: String(SHARD),
    HANDLE_MS: UNITS.map((units) => units * times.handlingMs).join(','),
  }
  const texts = ['cancel the order', 'no, keep it', 'deliver tomorrow', 'at noon', 'ring', 'thanks']
  return {
    id: 4,
    exercise: 5,
    title: 'six messages of one user, in order, through a kill',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        gateway: gatewayProcess,
        customer: customerProcess(texts.map((text) => [USER, text] as const)),
        [A]: workerProcess(A, times, 'timeline', env),
        [B]: workerProcess(B, times, 'timeline', env),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        {
          id: KILL,
          when: { on: acknowledgement(A), nth: BEFORE_KILL },
          do: { verb: 'kill', process: A },
        },
        { id: 'start-b', when: { step: KILL }, do: start(B) },
      ],
      until: { on: acknowledgement(B), nth: MESSAGES - BEFORE_KILL, plusMs: times.whileMs },
      limitMs: times.limitMs,
    },
    judge: judgeOrder,
  }
}

function start(process: string) {
  return { verb: 'start', process } as const
}

export function judgeOrder(history: History): Finding {
  const wanted = Array.from({ length: MESSAGES }, (_, i) => i + 1)
  const expected = `effects in the order ${wanted.join(' ')}, each once; B handles the last ${MESSAGES - BEFORE_KILL}`
  const early = endedByItself(history, [A, B], expected, FILE)
  if (early) return early
  const delivery = history.redis
    .exchanges(A)
    .find(({ answer }) => deliveredFrom(answer?.reply ?? null, STREAM).length > 0)
  const delivered = deliveredFrom(delivery?.answer?.reply ?? null, STREAM).length
  if (delivered !== MESSAGES) {
    const got = `A was given ${delivered} messages in one read instead of ${MESSAGES}.${complaint(history, A)}`
    return inconclusive({ expected, got })
  }
  const evidence = [seen(delivery!.answer!, A, `is given messages 1 to ${MESSAGES} in one read`)]
  const written = effects(history, STORE)
  for (const { exchange, seq, by } of written) {
    evidence.push(seen(exchange.response!, by, `writes message ${seq}`))
  }
  const order = written.map(({ seq }) => seq)
  const shown = order.length > 0 ? `effects in the order ${order.join(' ')}` : 'no effect at all'
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  const bite = history.lives.biteOf(KILL)
  if (bite) evidence.push(seen(bite, A, 'is killed (SIGKILL)'))
  const jumped = order.find((seq, at) => seq !== at + 1)
  if (jumped !== undefined) {
    return fail(
      shown,
      'Messages overtook each other: where they run side by side, the quicker one ends first. Take them in the order in which they came, and begin one only when the one before it is done; what can you await, and where?',
    )
  }
  if (!bite) {
    return fail(
      `${shown}, and A acknowledged fewer than ${BEFORE_KILL}.${complaint(history, A)}`,
      'Each entry has to be given to handle, and processShard resolves when all of them are done.',
    )
  }
  const again = appends(history, STORE).find(({ outcome }) => outcome === 'duplicate')
  if (again) {
    evidence.push(seen(again.exchange.request, again.by, `writes message ${again.seq} once more`))
    return fail(
      `${shown}, but message ${again.seq} was handled twice`,
      'Give each entry to handle exactly once.',
    )
  }
  if (order.length < MESSAGES) {
    const got = `${shown}: ${MESSAGES - order.length} messages without effect.${complaint(history, B)}`
    return fail(
      got,
      'Some entries were never given to handle, or never ended. Go through all of them.',
    )
  }
  const misplaced = written.filter(({ seq, exchange, by }) => {
    const late = seq > BEFORE_KILL
    return late ? by !== B || exchange.request.i < bite.i : by !== A
  })
  if (misplaced.length > 0) {
    const got = `message ${misplaced[0]!.seq} was written by ${misplaced[0]!.by}`
    return fail(
      `${shown}, but ${got}`,
      'When A dies, what it has not acknowledged must be untouched: begin a message only when the one before it is done.',
    )
  }
  return held({
    expected,
    got: `${shown}, each once; B handled the last ${MESSAGES - BEFORE_KILL}`,
    evidence,
  })
}
