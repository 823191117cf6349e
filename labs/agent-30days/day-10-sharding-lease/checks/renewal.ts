/** Check 3: a renewal that comes too late must leave the successor's lease alone. */

import {
  type Check,
  complaint,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  inMs,
  meddling,
  type ReplyValue,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  B,
  LEASE,
  SHARD,
  STORE,
  said,
  storeProcess,
  type Times,
  workerProcess,
} from './setting.ts'

const FILE = 'renew.ts'
const HOLD = 'hold-renewal'
const EXTENDING = ['PEXPIRE', 'EXPIRE', 'PEXPIREAT', 'EXPIREAT', 'EVAL', 'EVALSHA', 'FCALL', 'SET']

export function renewalCheck(times: Times): Check {
  const one = { SHARDS: String(SHARD), SELF_STOP: 'off' }
  return {
    id: 3,
    exercise: 3,
    title: 'a late renewal leaves the successor’s lease alone',
    note: 'self-stop off',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [A]: workerProcess(A, times, 'start', one),
        [B]: workerProcess(B, times, 'timeline', one),
      },
      timeline: [
        {
          id: HOLD,
          when: { on: said(A, 'lease.held', { shard: SHARD }) },
          do: { verb: 'hold', process: A, command: EXTENDING, argv: [LEASE] },
        },
        { id: 'start-b', when: { step: HOLD }, do: { verb: 'start', process: B } },
        {
          id: 'release',
          // Not at once: an expiry that moves must move by an amount that cannot be overlooked.
          when: {
            on: {
              kind: 'redis.effect',
              where: { op: 'set', key: LEASE, value: { startsWith: `${B}|` } },
            },
            plusMs: times.whileMs,
          },
          do: { verb: 'release', step: HOLD },
        },
      ],
      until: { step: 'release', plusMs: times.whileMs },
      limitMs: times.limitMs,
    },
    judge: judgeRenewal,
  }
}

export function judgeRenewal(history: History): Finding {
  const expected = 'A’s renewal answered 0, B’s expiry unchanged, A dropped the shard'
  const early = endedByItself(history, [A, B], expected, FILE)
  if (early) return early
  const claim = history.output.said(A, 'lease.held').find(({ fields }) => fields.shard === SHARD)
  if (!claim) {
    return inconclusive({ expected, got: `A never held shard ${SHARD}.${complaint(history, A)}` })
  }
  const evidence = [seen(claim, A, `holds shard ${SHARD}, token ${String(claim.fields.token)}`)]
  const successor = history.leases.terms(LEASE).find((term) => term.by === B)
  if (successor) evidence.push(seen({ t: successor.from }, B, `claims it: ${successor.value}`))
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  const bite = history.lives.biteOf(HOLD)
  if (!bite && successor) {
    return fail(
      `A sent nothing that extends ${LEASE}, and the lease lapsed.${complaint(history, A)}`,
      'renew must send a command that gives the lease more time: PEXPIRE, inside a script that first compares.',
    )
  }
  if (!bite) return inconclusive({ expected, got: 'A’s renewal was never held up' })
  evidence.push(seen(bite, A, 'its renewal is held at the door of Redis'))
  const release = history.lives.releaseOf(HOLD)
  if (!successor || !release) {
    return inconclusive({
      expected,
      got: 'B did not take over while A’s renewal was held',
      evidence,
    })
  }
  evidence.push(seen(release, A, 'its renewal is let through'))

  const late = history.redis
    .exchanges(A)
    .filter(({ command }) => command.i > release.i && command.argv.includes(LEASE))
  const first = late.find(({ command }) => EXTENDING.includes(command.argv[0] ?? ''))
  const name = first?.command.argv[0] ?? 'renewal'
  const answers = late.flatMap(({ answer }) =>
    typeof answer?.reply === 'number' ? [answer.reply] : [],
  )
  const answer = answers[0] ?? null
  if (first?.answer) {
    evidence.push(seen(first.answer, 'redis', `answers A’s ${name}: ${show(first.answer.reply)}`))
  }
  const drop = history.output
    .said(A, 'lease.lost')
    .find(({ i, fields }) => i > release.i && fields.shard === SHARD)
  evidence.push(
    drop
      ? seen(drop, A, `drops shard ${SHARD}: ${String(drop.fields.reason)}`)
      : { t: history.endUs, who: A, what: `still believes to hold shard ${SHARD}` },
  )
  const kept = drop ? 'A dropped the shard' : 'A kept the shard'

  const harm = meddling(successor).find(({ by }) => by === A)
  if (harm) {
    evidence.push(seen(harm, 'redis', `B’s lease: A ${harm.what}`))
    const moved = harm.what.startsWith('moved its expiry')
      ? harm.what.replace('moved its expiry', 'B’s expiry moved')
      : `B’s lease: A ${harm.what}`
    return fail(
      `A’s ${name} answered ${show(first?.answer?.reply ?? null)}, ${moved}, ${kept}`,
      'Between your comparison and your extension the lease lapsed and went to B, and the extension hit B’s lease. Redis runs a script without letting anything in between: put both into RENEW_SCRIPT and send it with redis.eval.',
    )
  }
  const expiry = successor.firstExpireAt
  if (expiry !== null) {
    evidence.push({ t: history.endUs, who: 'redis', what: `B’s lease lapses at ${inMs(expiry)}` })
  }
  if (!drop) {
    return fail(
      `A’s renewal answered ${show(answer ?? first?.answer?.reply ?? null)}, B’s expiry unchanged, A kept the shard.${complaint(history, A)}`,
      'The lease belongs to B and A did not notice. renew must answer 0 when the stored value is not the one that A wrote.',
    )
  }
  if (answer !== null && answer !== 0) {
    return fail(
      `Redis answered ${answer} to A although the lease is B’s`,
      'Let the script answer 0 when the stored value is not mine, and 1 only when it extended the lease.',
    )
  }
  return held({ expected, got: expected, evidence })
}

function show(reply: ReplyValue): string {
  if (reply === null) return 'nothing'
  if (typeof reply !== 'object') return String(reply)
  if ('ok' in reply) return reply.ok
  return 'error' in reply ? `an error (${reply.error})` : JSON.stringify(reply)
}
