/** All together: a message that kills its worker is set aside after three deliveries. */

import {
  type Check,
  complaint,
  effects,
  ended,
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
  rounds,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const DELIVERIES = 3
const MESSAGES = 3

export function deadCheck(times: Times): Omit<Check, 'id' | 'exercise'> {
  const deaths = Array.from({ length: DELIVERIES }, (_, k) => k + 1)
  return {
    title: 'a message that kills its worker three times is set aside, the next go on',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        customer: customerProcess(rounds([USER], MESSAGES), 'start'),
        [A]: workerProcess(A, times, 'timeline', {
          SHARDS: String(SHARD),
          HANDLE_MS: String(times.whileMs),
        }),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        ...deaths.map(
          (nth) =>
            ({
              id: `death-${nth}`,
              when: { on: said(A, 'handler.start', { seq: 1 }), nth, plusMs: times.whileMs / 2 },
              do: { verb: 'restart', process: A },
            }) as const,
        ),
      ],
      until: {
        on: { kind: 'process.output', where: { process: A }, json: { event: 'acknowledged' } },
        nth: MESSAGES - 1,
        plusMs: times.whileMs,
      },
      limitMs: 2 * times.limitMs,
    },
    judge: judgeDead,
  }
}

export function judgeDead(history: History): Finding {
  const expected = 'message 1 set aside after 3 deliveries, messages 2 and 3 done in order'
  const started = history.output.said(A, 'handler.start').filter(({ fields }) => fields.seq === 1)
  const evidence = started.map((line) => seen(line, A, 'begins message 1'))
  const [dead] = history.output.said(A, 'dead-letter')
  if (dead) evidence.push(seen(dead, A, 'sets message 1 aside'))
  const seqs = effects(history, STORE).map(({ seq }) => seq)
  if (dead && started.length === DELIVERIES && seqs.join(' ') === '2 3') {
    return held({ expected, got: expected, evidence })
  }
  const got = `message 1 begun ${started.length} times, messages ${seqs.join(' ')} done.${complaint(history, A)}`
  if (started.length < DELIVERIES && !(dead && seqs.length >= MESSAGES - 1)) {
    return inconclusive({ expected, got, evidence })
  }
  const hint = 'The single checks look at one thing each.'
  return violated({ expected, got, evidence, file: 'day-10/worker.ts', hint })
}
