/** Check 2: a worker freezes with a message in hand, and wakes up when another has its shard. */

import {
  appends,
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
  plants,
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

const FREEZE = 'freeze-a'
const MESSAGES = 3

export function frozenCheck(times: Times): Check {
  const env = { SHARDS: String(SHARD), SELF_STOP: 'off' }
  return {
    id: 2,
    exercise: null,
    without: ONE_SHARD,
    title: 'a frozen worker wakes up: its renewal and its write are refused',
    note: 'self-stop off',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        customer: customerProcess(rounds([USER], MESSAGES), 'start'),
        [A]: workerProcess(A, times, 'timeline', { ...env, HANDLE_MS: String(times.whileMs) }),
        // It works for long enough that A wakes up after B's token is planted and before B is done.
        [B]: workerProcess(B, times, 'timeline', {
          ...env,
          SWEEP_MS: String(times.sweepMs / 2),
          HANDLE_MS: `${times.sweepMs + 3 * times.whileMs},${times.handlingMs}`,
        }),
      },
      timeline: [
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        {
          id: FREEZE,
          // In the middle of its work: after the last look at its belief, before the write.
          when: { on: said(A, 'handler.start'), plusMs: times.whileMs / 2 },
          do: { verb: 'freeze', process: A, forMs: times.freezeMs },
        },
        { id: 'start-b', when: { step: FREEZE }, do: start(B) },
      ],
      until: {
        on: { kind: 'process.output', where: { process: B }, json: { event: 'acknowledged' } },
        nth: MESSAGES,
        plusMs: times.whileMs,
      },
      limitMs: times.limitMs,
    },
    judge: judgeFrozen,
  }
}

export function judgeFrozen(history: History): Finding {
  const expected = `A’s late renewal and late write refused; B did all ${MESSAGES} messages, in order`
  const evidence: Evidence[] = []
  const fail = (got: string, file: string, hint: string) =>
    violated({ expected, got, evidence, file, hint })
  const early = endedByItself(history, [STORE, GATEWAY, A, B], expected, 'day-10/worker.ts')
  if (early) return early
  const begun = history.output.said(A, 'handler.start')[0]
  const freeze = history.lives.biteOf(FREEZE)
  if (!begun || !freeze) {
    return inconclusive({ expected, got: `A never began a message.${complaint(history, A)}` })
  }
  const token = Number(begun.fields.token)
  evidence.push(seen(begun, A, `begins message 1, token ${token}`), seen(freeze, A, 'freezes'))
  const successor = history.leases.terms(LEASE).find((term) => term.by === B)
  const thaw = history.lives.thawOf(A)
  const written = effects(history, STORE)
  const wrong = disorder(written)
  const late = appends(history, STORE).find(({ by, exchange }) => {
    return by === A && thaw !== null && thaw !== undefined && exchange.request.i > thaw.i
  })
  if (successor)
    evidence.push(seen({ t: successor.from }, B, `claims ${LEASE}: ${successor.value}`))
  if (thaw) evidence.push(seen(thaw, A, 'thaws'))
  if (late) {
    const what = `answers A’s late write of message ${late.seq}: ${late.outcome}`
    evidence.push({ t: late.exchange.response?.t ?? history.endUs, who: STORE, what })
  }
  if (late?.wrote) {
    return fail(
      `A’s late write landed with token ${late.token}`,
      'day-10/store.ts',
      'The store compares each write’s token with the highest that the shard has seen.',
    )
  }
  if (wrong) return fail(wrong.got, wrong.file, wrong.hint)
  const plant = plants(history, STORE).find(({ by, shard }) => by === B && shard === SHARD)
  if (!successor || !thaw || !plant?.planted || !late) {
    return inconclusive({
      expected,
      got: `the story did not come about.${complaint(history, B)}`,
      evidence,
    })
  }
  const renewal = history.redis.exchanges(A).find(({ command, answer }) => {
    // By a script that compares, or by a look before it: both find that the lease is not A's.
    return command.i > thaw.i && command.argv.includes(LEASE) && answer !== null
  })
  if (renewal?.answer) {
    const { argv } = renewal.command
    const what = `answers A’s late renewal (${argv[0]}): ${String(renewal.answer.reply)}`
    evidence.push(seen(renewal.answer, 'redis', what))
  }
  if (successor.extensions.some(({ by }) => by === A)) {
    return fail(
      'A’s late renewal went through: it moved B’s expiry',
      'day-10/renew.ts',
      'A renewal compares the whole value and extends, in one script.',
    )
  }
  if (!renewal) {
    return inconclusive({ expected, got: 'A’s late renewal never reached Redis', evidence })
  }
  if (late.outcome !== 'refused') {
    return fail(
      `A’s late write was answered ${late.outcome}`,
      'day-10/store.ts',
      'A stale token is refused, with the highest token that the shard has seen.',
    )
  }
  const done = written.filter(({ by }) => by === B).length
  if (done < MESSAGES) {
    return fail(
      `B did ${done} of ${MESSAGES} messages.${complaint(history, B)}`,
      'day-10/worker.ts',
      'Whoever takes a shard over handles what its predecessor left.',
    )
  }
  return held({ expected, got: expected, evidence })
}
