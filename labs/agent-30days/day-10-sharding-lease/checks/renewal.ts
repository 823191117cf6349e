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
  said,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  B,
  LEASE,
  leaseKey,
  redisUrl,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  workerProcess,
} from './setting.ts'

const FILE = 'renew.ts'
const HOLD = 'hold-renewal'
const PROBE = 'probe'
const PROBED = leaseKey(7)
/** What the probe asks, in order, and what a renewal answers. */
const PROBE_ANSWERS = [
  ['absent', 0],
  ['older token', 0],
  ['mine', 1],
  ['foreign', 0],
] as const
const EXTENDING = [
  ...['PEXPIRE', 'EXPIRE', 'PEXPIREAT', 'EXPIREAT', 'GETEX'],
  ...['SET', 'SETEX', 'PSETEX', 'EVAL', 'EVALSHA'],
]

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
        [PROBE]: {
          program: 'app/probe-renewal.ts',
          env: { REDIS_URL: redisUrl, LEASE_TTL_MS: String(times.leaseTtlMs) },
          ends: true,
        },
        [A]: workerProcess(A, times, 'start', one),
        [B]: workerProcess(B, times, 'timeline', one),
      },
      timeline: [
        {
          id: HOLD,
          // The first renewal, in good time, goes through: it must be seen to extend the lease.
          when: { on: said(A, 'lease.held', { shard: SHARD }), plusMs: times.renewMs * 1.5 },
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
    judge: (history) => judgeRenewal(history, times.leaseTtlMs),
  }
}

export function judgeRenewal(history: History, leaseTtlMs: number): Finding {
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
  const inTime = firstRenewal(history, claim.i, bite?.i ?? Number.POSITIVE_INFINITY, leaseTtlMs)
  if (inTime.gaveUp) {
    evidence.push(seen(inTime.gaveUp, A, `drops shard ${SHARD}: ${inTime.gaveUp.fields.reason}`))
    return fail(
      'A gave the shard up although the lease was still its own',
      'renew answers 1 when it has extended the lease, and 0 only when the stored value is not mine.',
    )
  }
  if (inTime.steps.length > 1) {
    const names = inTime.steps.map((step) => step.command.argv[0]).join(', ')
    for (const { command } of inTime.steps)
      evidence.push(seen(command, A, `sends ${command.argv[0]}`))
    return fail(
      `A’s renewal takes ${inTime.steps.length} commands (${names})`,
      'Whatever comes between two commands can change the lease. Put the comparison and the extension into one script.',
    )
  }
  if (inTime.steps.length === 1 && !inTime.extended) {
    evidence.push(seen(inTime.steps[0]!.command, A, 'renews in good time'))
    return fail(
      `A’s renewal in good time did not give the lease another ${inMs(leaseTtlMs * 1000)}`,
      'While the stored value is mine, the script has to extend the lease by ttlMs (in milliseconds: PEXPIRE) and to answer what that answers.',
    )
  }
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
  const probed = probeGot(history, leaseTtlMs)
  if (probed.status === 'unfinished') {
    return inconclusive({ expected, got: 'the renewal was not probed to the end', evidence })
  }
  if (probed.status === 'wrong') {
    for (const line of probed.lines) {
      const answer = line.fields.error ?? line.fields.answer
      evidence.push(seen(line, PROBE, `${String(line.fields.what)}: ${String(answer)}`))
    }
    return fail(
      `a renewal asked directly: ${probed.what}`,
      'Compare the whole stored value, owner and token. Extend only what is there and equal, and answer 1; else change nothing and answer 0.',
    )
  }
  return held({ expected, got: expected, evidence })
}

/** What A sent to extend its lease before any was held up, and what came of it. */
function firstRenewal(history: History, from: number, to: number, leaseTtlMs: number) {
  const within = ({ i }: { readonly i: number }) => i > from && i < to
  const steps = history.redis.exchanges(A).filter(({ command, answer }) => {
    const { argv } = command
    const extends_ = EXTENDING.includes(argv[0] ?? '') && argv.includes(LEASE)
    return within(command) && extends_ && answer !== null && tookPlace(answer.reply)
  })
  const term = history.leases.terms(LEASE).find(({ by }) => by === A)
  const extended = term?.extensions.some(
    (each) => each.by === A && within(each) && isFullLife(each.t, each.expireAt, leaseTtlMs),
  )
  const gaveUp = history.output
    .said(A, 'lease.lost')
    .find((line) => within(line) && line.fields.shard === SHARD && extended)
  return { steps, extended: extended === true, gaveUp }
}

/** Neither an error nor put off until EXEC. */
function tookPlace(reply: ReplyValue): boolean {
  if (reply === null || typeof reply !== 'object') return true
  return !('error' in reply) && !('ok' in reply && reply.ok === 'QUEUED')
}

function isFullLife(t: number, expireAt: number | null, leaseTtlMs: number): boolean {
  return expireAt !== null && Math.abs(expireAt - t - leaseTtlMs * 1000) <= leaseTtlMs * 100
}

/** The probe's answers, held against what happened to the lease that it asked about. */
function probeGot(history: History, leaseTtlMs: number) {
  const lines = history.output.said(PROBE, 'renewal.answer')
  if (lines.length < PROBE_ANSWERS.length) return { status: 'unfinished' } as const
  const at = PROBE_ANSWERS.findIndex(([, answer], k) => lines[k]!.fields.answer !== answer)
  const wrong = (what: string) => ({ status: 'wrong', what, lines }) as const
  if (at >= 0) {
    const { fields } = lines[at]!
    const got = fields.error === undefined ? `answered ${String(fields.answer)}` : 'failed'
    return wrong(`‘${PROBE_ANSWERS[at]![0]}’ ${got}, not ${PROBE_ANSWERS[at]![1]}`)
  }
  const [mine, foreign, ...more] = history.leases.terms(PROBED)
  if (more.length > 0 || mine?.ended?.how !== 'overwritten') {
    return wrong('it set or removed the lease')
  }
  const [extension, second] = mine.extensions
  if (!extension || second || !isFullLife(extension.t, extension.expireAt, leaseTtlMs)) {
    return wrong('the lease did not get its full time once')
  }
  return foreign?.extensions.length === 0
    ? ({ status: 'right' } as const)
    : wrong('it changed somebody else’s lease')
}

function show(reply: ReplyValue): string {
  if (reply === null) return 'nothing'
  if (typeof reply !== 'object') return String(reply)
  if ('ok' in reply) return reply.ok
  return 'error' in reply ? `an error (${reply.error})` : JSON.stringify(reply)
}
