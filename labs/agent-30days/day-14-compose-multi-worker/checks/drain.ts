/** Check 4: SIGTERM during a run. The run ends, nothing new is touched, the lease is handed back. */

import {
  type Check,
  complaint,
  type Evidence,
  ended,
  endedByItself,
  expiryAt,
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
import { lastBeatBefore, linesOf, visited } from './beats.ts'
import { probeFault, probeProcesses, probesEnded, probeTimeline } from './drain-probe.ts'
import { acceptedRuns, acknowledgementOf, handedOut, storeCalls } from './runs.ts'
import {
  A,
  B,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  leaseKey,
  STORE,
  storeProcess,
  type Times,
  visitorProcess,
  workerProcess,
} from './setting.ts'

const FILE = 'shutdown.ts'
const TERM = 'term-a'
const LEASE = leaseKey(0)
const LATER = 'later-customer'
const VISITOR = 'visitor'

export function drainCheck(times: Times): Check {
  // One shard, so that the successor has just the lease to wait for that A holds.
  const env = { SHARDS: '1' }
  return {
    id: 4,
    exercise: 3,
    title: 'SIGTERM during a run: it ends, and all is handed over',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        [A]: workerProcess(A, times, env),
        [B]: workerProcess(B, times, env, 'timeline'),
        customer: customerProcess(
          [
            { text: 'the long run', workMs: times.longRunMs },
            // B is busy with it for long enough that a third one is waiting when A’s run ends.
            { text: 'the next run', workMs: times.longRunMs },
          ],
          'timeline',
        ),
        [LATER]: customerProcess([{ text: 'a later run' }], 'timeline'),
        [VISITOR]: visitorProcess(['/admin/workers']),
        ...probeProcesses(times),
      },
      timeline: [
        { id: 'customer', when: { on: said(A, 'lease.held') }, do: start('customer') },
        {
          id: TERM,
          when: { on: said(A, 'run.started') },
          do: { verb: 'term', process: A },
        },
        { id: LATER, when: { step: TERM }, do: start(LATER) },
        { id: 'start-b', when: { step: TERM, plusMs: times.beatMs }, do: start(B) },
        {
          id: 'term-again',
          when: { step: TERM, plusMs: times.beatMs },
          do: { verb: 'term', process: A },
        },
        {
          id: VISITOR,
          when: { on: said(B, 'lease.held'), plusMs: times.whileMs },
          do: start(VISITOR),
        },
        ...probeTimeline(ended(VISITOR)),
      ],
      until: probesEnded,
      limitMs: times.limitMs,
    },
    judge: (history) => judgeDrain(history, times),
  }
}

export function judgeDrain(history: History, times: Times): Finding {
  const expected =
    'the run ends done and acknowledged, later ones are untouched, the lease is handed back'
  const early = endedByItself(history, [STORE, GATEWAY, B], expected, FILE)
  if (early) return early
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  const term = history.lives.biteOf(TERM)
  const accepted = acceptedRuns(history)
  const [long] = accepted
  const entry = handedOut(history).find(({ runId }) => runId === long?.runId)
  const begun = storeCalls(history, '/runs/begin').find(({ runId }) => runId === long?.runId)
  const inHand =
    begun?.by === A && begun.exchange.response && term && begun.exchange.response.i < term.i
  if (!long || !term || !entry || !inHand) {
    return inconclusive({
      expected,
      got: `A had no run in hand.${complaint(history, A)}`,
      evidence,
    })
  }
  evidence.push(seen(begun.exchange.response!, A, `begins ${long.text}`), seen(term, A, 'SIGTERM'))

  const exit = history.lives.exitOf(A)
  const finish = storeCalls(history, '/runs/finish').find(({ runId, wrote }) => {
    return runId === long.runId && wrote
  })
  const stored = finish?.by === A ? finish.exchange.response! : null
  if (finish)
    evidence.push(seen(finish.exchange.response!, finish.by, `stores the result: ${finish.status}`))
  if (exit) evidence.push(seen(exit, A, `ends, code ${exit.code ?? exit.signal}`))
  const touched = handedOut(history).find(({ runId, to }) => {
    return runId !== long.runId && to.some(({ process, i }) => process === A && i > term.i)
  })
  if (touched) {
    const run = accepted.find(({ runId }) => runId === touched.runId)
    const at = touched.to.find(({ process }) => process === A)!
    evidence.push(seen(at, A, `is given ${run?.text ?? touched.runId}`))
    return fail(
      'A took a new run after SIGTERM',
      'Take nothing new comes first, before anything is waited for: what is not taken is there for the others.',
    )
  }
  if (!stored) {
    return fail(
      finish
        ? `A left the run running; ${finish.by} had to do it again`
        : 'A left the run running, and nobody has done it',
      'The run in hand may end: wait for it before anything is given back or closed.',
    )
  }
  const acknowledged = acknowledgementOf(history, entry.entryId)
  if (acknowledged?.process !== A || finish?.status !== 'done') {
    return fail(
      'the run has its result, and A did not acknowledge it',
      'A run in hand is over when it is stored, done and acknowledged; runInHand resolves then.',
    )
  }
  evidence.push(seen(acknowledged, A, 'acknowledges it'))
  if (!accepted.some(({ runId, t }) => runId !== long.runId && t < acknowledged.t)) {
    return inconclusive({ expected, got: 'no other run was waiting meanwhile', evidence })
  }

  const [mine] = history.leases.terms(LEASE).filter(({ by }) => by === A)
  const released = mine?.ended
  if (!mine) return inconclusive({ expected, got: 'A never held the lease', evidence })
  if (released?.how !== 'deleted' || released.by !== A) {
    return fail(
      'the run ended, and A kept the lease: it had to lapse',
      'Give back each lease that is held (releaseIfOwner in lease.ts) before the connections are closed.',
    )
  }
  evidence.push(seen(released, A, `gives ${LEASE} back`))
  if (released.i < acknowledged.i) {
    return fail(
      'A gave the lease back while its run was still in hand',
      'First the effects stop, then the lease goes: whoever gets it may rely on that.',
    )
  }
  const renewed = mine.extensions.some(({ by, i }) => by === A && i > term.i && i < acknowledged.i)
  const beaten = lastBeatBefore(history, A, acknowledged.t)
  if (!renewed || beaten === null || beaten <= term.t) {
    return fail(
      `during the run A ${renewed ? 'stopped beating' : 'stopped renewing'}`,
      'Until the run is over this worker is alive and holds its lease: heartbeat and renewals go on.',
    )
  }

  const visit = visited(history, VISITOR, '/admin/workers')
  if (!exit) {
    return fail('A never ended', 'When everything is given back, close the connections.')
  }
  if (exit.code !== 0 || exit.t - term.t > times.platformGraceMs * 1000) {
    return fail(
      `A ended with ${exit.code ?? exit.signal}, ${inMs(exit.t - term.t)} after SIGTERM`,
      'A worker that was asked to go ends with code 0, before the platform kills it.',
    )
  }
  const next = history.leases.terms(LEASE).find(({ by }) => by === B)
  if (!next || visit?.status !== 200) {
    return inconclusive({ expected, got: `B did not take over.${complaint(history, B)}`, evidence })
  }
  evidence.push(seen({ t: next.from }, B, `claims ${LEASE}: ${inMs(next.from - released.t)} later`))
  const standby = history.output.said(B, 'worker.ready').some(({ i }) => i < released.i)
  const wouldLapse = expiryAt(mine, released.t) ?? Number.POSITIVE_INFINITY
  if (standby && next.from >= wouldLapse) {
    return inconclusive({ expected, got: 'B came when the lease would have lapsed', evidence })
  }
  if (linesOf(visit.body).has(A)) {
    return fail(
      'A is gone, and its row is still in the panel',
      'Stop the heartbeat, wait for a beat that is under way, and take the row away after that (presence.ts).',
    )
  }
  const fault = probeFault(history, times)
  if (fault === 'unfinished') {
    return inconclusive({ expected, got: 'shutdown was not asked to the end', evidence })
  }
  if (fault) {
    evidence.push(...fault.evidence)
    return fail(`the run ended, but asked directly (${fault.plan}): ${fault.what}`, fault.hint)
  }
  return held({
    expected,
    got: 'the run ended done and acknowledged, later ones untouched; lease handed back, taken by B',
    evidence,
  })
}
