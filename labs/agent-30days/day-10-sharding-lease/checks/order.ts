/** Check 4: one after the other within a shard, across the death of the worker. */

import {
  appends,
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
  seen,
  start,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  acknowledgement,
  B,
  customerProcess,
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
const PROBE = 'probe'
/** What the probe must see, run by run. */
const PROBE_STEPS = {
  order: 'begin 1, end 1, begin 2, end 2, begin 3, end 3, begin 4, end 4, resolved',
  failure: 'begin 1, end 1, begin 2, fail 2, rejected',
} as const

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
        [PROBE]: {
          program: 'app/probe-worker.ts',
          env: { HANDLE_MS: String(times.probeUnitMs) },
          ends: true,
        },
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
  const overlap = firstOverlap(history)
  if (overlap) {
    const { begun, open, by } = overlap
    evidence.push(
      seen(begun, by, `begins message ${begun.fields.seq}, message ${open} is not done`),
    )
    return fail(
      `${shown}, but message ${begun.fields.seq} was begun before message ${open} was done`,
      'This time the quicker one was not the later one; next time it will be. Begin a message only when the one before it is done: what does handle give you to wait for?',
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
  const probed = probeWrong(history)
  if (probed === 'unfinished') {
    return inconclusive({
      expected,
      got: `${shown}, but the probe did not get to its end`,
      evidence,
    })
  }
  if (probed) {
    for (const line of probed.lines) evidence.push(seen(line, PROBE, String(line.fields.what)))
    return fail(`${shown}, but asked directly: ${probed.got}`, probed.hint)
  }
  return held({
    expected,
    got: `${shown}, each once; B handled the last ${MESSAGES - BEFORE_KILL}`,
    evidence,
  })
}

/** The first message that a worker began while another of its was neither done nor given up. */
function firstOverlap(history: History) {
  for (const by of [A, B]) {
    let open: number | null = null
    const lines = ['handler.start', 'acknowledged', 'work.failed']
      .flatMap((event) => history.output.said(by, event).map((line) => ({ event, line })))
      .sort((a, b) => a.line.i - b.line.i)
    for (const { event, line } of lines) {
      if (event === 'handler.start') {
        if (open !== null) return { by, begun: line, open }
        open = Number(line.fields.seq)
      } else if (event === 'work.failed' || line.fields.seq === open) open = null
    }
  }
  return null
}

/** How the probe's runs differ from what they must be; null when they do not. */
function probeWrong(history: History) {
  if (history.output.said(PROBE, 'shard.probed').length === 0) return 'unfinished'
  for (const [run, wanted] of Object.entries(PROBE_STEPS)) {
    const lines = history.output
      .said(PROBE, 'shard.step')
      .filter(({ fields }) => fields.run === run)
    const got = lines.map(({ fields }) => fields.what).join(', ')
    if (got === wanted) continue
    const hint =
      run === 'failure'
        ? 'When handle rejects, stop there: begin nothing after it, and let the rejection pass on to the caller.'
        : 'A shard’s messages go one after the other, whoever they are from, and processShard resolves when the last one is done.'
    return { got, hint, lines }
  }
  return null
}
