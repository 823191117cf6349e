/** Check 4: SIGTERM with a message in hand. The worker finishes it and hands its shard over. */

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
  WORKERS,
  workerProcess,
} from './setting.ts'

const TERM = 'term-a'
const FILE = 'day-14/shutdown.ts'
const MESSAGES = 3

export function drainedCheck(times: Times): Check {
  const env = { SHARDS: String(SHARD) }
  return {
    id: 4,
    exercise: null,
    without: ONE_SHARD,
    title: 'SIGTERM: the run in hand ends, the shard is handed over at once',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        customer: customerProcess(rounds([USER], MESSAGES), 'start'),
        [A]: workerProcess(A, times, 'timeline', { ...env, HANDLE_MS: String(times.longRunMs) }),
        [B]: workerProcess(B, times, 'timeline', env),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        { id: 'start-b', when: { on: said(A, 'handler.start') }, do: start(B) },
        {
          id: TERM,
          when: { step: 'start-b', plusMs: times.whileMs },
          do: { verb: 'term', process: A },
        },
      ],
      until: {
        on: { kind: 'process.output', where: { process: B }, json: { event: 'acknowledged' } },
        nth: MESSAGES - 1,
        plusMs: times.sweepMs,
      },
      limitMs: times.limitMs,
    },
    judge: (history) => judgeDrained(history, times),
  }
}

export function judgeDrained(history: History, times: Times): Finding {
  const expected = 'message 1 done by A, then its lease given back, exit 0; B did 2 and 3'
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string, file = FILE) =>
    violated({ expected, got, evidence, file, hint })
  const early = endedByItself(history, [STORE, GATEWAY, B], expected, 'day-10/worker.ts')
  if (early) return early
  const term = history.lives.biteOf(TERM)
  const begun = history.output.said(A, 'handler.start')[0]
  if (!term || !begun) {
    return inconclusive({ expected, got: `A had nothing in hand.${complaint(history, A)}` })
  }
  evidence.push(seen(begun, A, 'begins message 1'), seen(term, A, 'SIGTERM'))
  const written = effects(history, STORE)
  const wrong = disorder(written)
  if (wrong) return fail(wrong.got, wrong.hint, wrong.file)
  const [first] = written
  if (first) evidence.push(seen(first.exchange.response!, first.by, 'writes message 1'))
  if (first?.by !== A) {
    return fail(
      first ? `A left message 1 undone; ${first.by} did it again` : 'message 1 was never done',
      'The run in hand may end: wait for it before anything is given back or closed.',
    )
  }
  const more = written.find(({ by, seq }) => by === A && seq > 1)
  if (more) {
    return fail(
      `A did message ${more.seq} after SIGTERM`,
      'Take nothing new comes first: what is not begun stays pending for a successor.',
    )
  }
  const [mine] = history.leases.terms(LEASE).filter(({ by }) => by === A)
  const released = mine?.ended
  const exit = history.lives.exitOf(A)
  if (released?.how !== 'deleted' || released.by !== A) {
    return fail(
      'A kept the lease: it had to lapse',
      'Give back each lease that is held (releaseIfOwner) before the connections are closed.',
    )
  }
  evidence.push(seen(released, A, `gives ${LEASE} back`))
  if (released.i < first.exchange.response!.i) {
    return fail(
      'A gave the lease back while its message was in hand',
      'First the effects stop, then the lease goes.',
    )
  }
  const row = history.redis.effects().findLast(({ effect }) => effect.key === WORKERS)
  if (exit) evidence.push(seen(exit, A, `ends, code ${exit.code ?? exit.signal}`))
  if (exit?.code !== 0 || exit.t - term.t > times.platformGraceMs * 1000) {
    return fail(
      exit ? `A ended with ${exit.code ?? exit.signal}` : 'A never ended',
      'A worker that was asked to go ends with code 0, before the platform kills it.',
    )
  }
  const next = history.leases.terms(LEASE).find(({ by }) => by === B)
  if (!next || !row || written.length < MESSAGES) {
    return inconclusive({ expected, got: `B did not go on.${complaint(history, B)}`, evidence })
  }
  const took = next.from - released.t
  evidence.push(seen({ t: next.from }, B, `claims ${LEASE}, ${inMs(took)} later`))
  if (took > 2 * times.sweepMs * 1000) {
    return fail(
      `B had to wait ${inMs(took)}`,
      'A planned exit costs the successor one sweep; a kill costs it a TTL.',
    )
  }
  return held({ expected, got: `${expected}, ${inMs(took)} after the handover`, evidence })
}
