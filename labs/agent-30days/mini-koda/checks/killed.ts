/** Check 3: kill -9 with a message in hand. Nobody gives the lease back. */

import {
  type Check,
  complaint,
  type Evidence,
  effects,
  ended,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  inMs,
  said,
  seen,
  start,
  violated,
} from '../../../../src/judge/index.ts'
import { disorder } from './order.ts'
import {
  A,
  B,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  LEASE,
  ONE_SHARD,
  rounds,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const KILL = 'kill-a'
const MESSAGES = 6
const IN_HAND = 4

export function killedCheck(times: Times): Check {
  const env = { SHARDS: String(SHARD), HANDLE_MS: String(times.whileMs) }
  return {
    id: 3,
    exercise: null,
    without: ONE_SHARD,
    title: 'kill -9: another takes over within TTL + sweep, in order, each message once',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        customer: customerProcess(rounds([USER], MESSAGES), 'start'),
        [A]: workerProcess(A, times, 'timeline', env),
        [B]: workerProcess(B, times, 'timeline', env),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        {
          id: KILL,
          when: { on: said(A, 'handler.start', { seq: IN_HAND }), plusMs: times.whileMs / 2 },
          do: { verb: 'kill', process: A },
        },
        { id: 'start-b', when: { step: KILL }, do: start(B) },
      ],
      until: {
        on: { kind: 'process.output', where: { process: B }, json: { event: 'acknowledged' } },
        nth: MESSAGES - IN_HAND + 1,
        plusMs: times.whileMs,
      },
      limitMs: times.limitMs,
    },
    judge: (history) => judgeKilled(history, times),
  }
}

export function judgeKilled(history: History, times: Times): Finding {
  const boundMs = times.leaseTtlMs + times.sweepMs
  const expected = `takeover within ${inMs(boundMs * 1000)}; effects 1 2 3 4 5 6, each once`
  const evidence: Evidence[] = []
  const fail = (got: string, file: string, hint: string) =>
    violated({ expected, got, evidence, file, hint })
  const early = endedByItself(history, [STORE, GATEWAY, A, B], expected, 'day-10/worker.ts')
  if (early) return early
  const kill = history.lives.biteOf(KILL)
  if (!kill) {
    const got = `A never had message ${IN_HAND} in hand.${complaint(history, A)}`
    const wrong = disorder(effects(history, STORE))
    return wrong ? fail(wrong.got, wrong.file, wrong.hint) : inconclusive({ expected, got })
  }
  evidence.push(seen(kill, A, `is killed with message ${IN_HAND} in hand`))
  const written = effects(history, STORE)
  for (const { exchange, by, seq, token } of written) {
    evidence.push(seen(exchange.response!, by, `writes message ${seq}, token ${token}`))
  }
  const wrong = disorder(written)
  if (wrong) return fail(wrong.got, wrong.file, wrong.hint)
  const successor = history.leases.terms(LEASE).find((term) => term.by === B)
  if (!successor) {
    return fail(
      `nobody had the shard ${inMs(history.endUs - kill.t)} after the kill`,
      'day-10/lease.ts',
      'A lease lapses by itself: give it its time to live in the command that sets it.',
    )
  }
  evidence.push(seen({ t: successor.from }, B, `claims ${LEASE}: ${successor.value}`))
  const took = successor.from - kill.t
  if (took > boundMs * 1000) {
    return fail(
      `the takeover took ${inMs(took)}`,
      'day-10/lease.ts',
      'At worst a TTL since the last renewal and one sweep.',
    )
  }
  const seqs = written.map(({ seq }) => seq).join(' ')
  if (written.length !== MESSAGES) {
    return fail(
      `effects ${seqs}.${complaint(history, B)}`,
      'day-10/worker.ts',
      'What the predecessor left pending is taken over before anything new is read.',
    )
  }
  return held({
    expected,
    got: `takeover after ${inMs(took)}; effects ${seqs}, each once`,
    evidence,
  })
}
