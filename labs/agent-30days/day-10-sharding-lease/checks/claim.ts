/** Check 2: do two workers share the shards, each held by one of them only? */

import {
  believed,
  type Check,
  complaint,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  inMs,
  owned,
  parseLease,
  said,
  seen,
  takenAlive,
  violated,
} from '../../../../src/judge/index.ts'
import { PROBED, probeFault, probeProcesses, probeTimeline } from './claim-probe.ts'
import {
  A,
  B,
  LEASES,
  leaseKey,
  SHARD_COUNT,
  STORE,
  storeProcess,
  type Times,
  workerProcess,
} from './setting.ts'

const FILE = 'lease.ts'
const WIN =
  'A free lease must be won by whoever asks first. Does tryAcquire return { token } when its SET took effect?'

export function claimCheck(times: Times): Check {
  const two = { WORKERS: '2' }
  return {
    id: 2,
    exercise: 2,
    title: 'two workers share the shards without overlap',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [A]: workerProcess(A, times, 'start', two),
        [B]: workerProcess(B, times, 'timeline', two),
        ...probeProcesses(times),
      },
      timeline: [
        {
          // In the middle of A's sweep: near enough that a claim which looks first and takes
          // afterwards is overtaken, far enough that every shard B writes over is long A's.
          id: 'start-b',
          when: { on: said(A, 'lease.held'), nth: SHARD_COUNT / 4 },
          do: { verb: 'start', process: B },
        },
        ...probeTimeline,
      ],
      // After a second look round, so that both have had the chance to want more than they should.
      until: { on: said(B, 'sweep.done'), nth: 2, plusMs: times.whileMs },
      limitMs: times.claimLimitMs,
    },
    judge: (history) => judgeClaim(history, times.leaseTtlMs),
  }
}

/** Belief of both against each other, and against what the server has. */
export function judgeClaim(history: History, leaseTtlMs: number): Finding {
  const half = SHARD_COUNT / 2
  const expected = `A holds ${half}, B holds ${half}, intersection 0, union ${SHARD_COUNT}`
  const early = endedByItself(history, [A, B], expected, FILE)
  if (early) return early
  const silent = [A, B].find((name) => history.output.said(name, 'worker.ready').length === 0)
  const won = history.output.said(A, 'lease.held').length
  if (silent === B && history.lives.startOf(A) && won < SHARD_COUNT / 4) {
    return violated({
      expected,
      got: `A holds ${won} of ${half} shards.${complaint(history, A)}`,
      hint: WIN,
      file: FILE,
    })
  }
  if (silent) {
    return inconclusive({
      expected,
      got: `${silent} never became ready.${complaint(history, silent)}`,
    })
  }

  const t = history.endUs
  const heldByA = believed(history, A, t)
  const heldByB = believed(history, B, t)
  const union = new Set([...heldByA.keys(), ...heldByB.keys()])
  const intersection = heldByA.size + heldByB.size - union.size
  const got = `A holds ${heldByA.size}, B holds ${heldByB.size}, intersection ${intersection}, union ${union.size}`
  const evidence = [
    { t, who: A, what: `believes to hold ${heldByA.size} shards` },
    { t, who: B, what: `believes to hold ${heldByB.size} shards` },
  ]
  const fail = (reason: string, hint: string) =>
    violated({ expected, got: `${got}: ${reason}`, evidence, hint, file: FILE })

  const taken = takenAlive(history, LEASES).filter(({ key }) => key !== PROBED)
  if (taken.length > 0) {
    const { key, value, ended } = taken[0]!
    evidence.push(
      seen(ended!, ended!.by ?? 'somebody', `wrote over ${key} = ${value}, still alive`),
    )
    return fail(
      `NX is missing, ${taken.length} live leases were written over`,
      'A claim must leave a lease alone that another worker holds. SET has an option for exactly that; look also at what it answers when it did nothing.',
    )
  }
  const terms = history.leases
    .keys()
    .filter((key) => key.startsWith(LEASES))
    .flatMap((key) => history.leases.terms(key))
  const endless = terms.find((term) => term.firstExpireAt === null)
  if (endless) {
    evidence.push(
      seen({ t: endless.from }, endless.by ?? 'somebody', `set ${endless.key} for ever`),
    )
    return fail(
      'PX is missing, leases never lapse',
      'If this worker dies now, nobody will ever get its shards. Give the lease its time to live in the same command that sets it.',
    )
  }
  const odd = terms.find((term) => {
    const ttlUs = term.firstExpireAt! - term.from
    return Math.abs(ttlUs - leaseTtlMs * 1000) > leaseTtlMs * 33
  })
  if (odd) {
    const ttl = inMs(odd.firstExpireAt! - odd.from)
    evidence.push(seen({ t: odd.from }, odd.by ?? 'somebody', `set ${odd.key} for ${ttl}`))
    return fail(
      `a lease lives ${ttl} instead of ${inMs(leaseTtlMs * 1000)}`,
      'ttlMs is in milliseconds: PX takes it as it is, EX would take seconds.',
    )
  }
  for (const [name, belief] of [[A, heldByA] as const, [B, heldByB] as const]) {
    const truth = owned(history, name, t, leaseKey, SHARD_COUNT)
    const astray = [...belief].find(([shard, token]) => truth.get(shard) !== token)
    if (!astray) continue
    const [shard, token] = astray
    const term = history.leases.termAt(leaseKey(shard), t)
    const lease = term && parseLease(term.value)
    const real = term ? `'${term.value}'` : 'nothing'
    evidence.push({ t, who: 'redis', what: `${leaseKey(shard)} = ${real}` })
    return fail(
      `${name} believes in shard ${shard} with token ${token}, Redis has ${real}`,
      lease?.owner === name || !term
        ? 'What tryAcquire returns must be what it wrote: the lease’s value is leaseValue(workerId, token).'
        : 'tryAcquire reported a win that was none. Answer null when the claim did nothing.',
    )
  }
  if (heldByA.size === half && heldByB.size === half && intersection === 0) {
    const fault = probeFault(history)
    if (fault === null) return held({ expected, got, evidence })
    if (fault === 'unfinished') {
      return inconclusive({ expected, got: `${got}: claims were not probed to the end`, evidence })
    }
    evidence.push(...fault.evidence)
    return fail(fault.reason, fault.hint)
  }
  return fail(
    `some shards stay without a worker.${complaint(history, heldByA.size < half ? A : B)}`.trim(),
    WIN,
  )
}
