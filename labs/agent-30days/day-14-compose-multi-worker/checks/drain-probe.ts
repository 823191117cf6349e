/**
 * The second half of check 4: `shutdown` called directly, with duties that take their time.
 *
 * Four plans, each in a process of its own: nothing in hand, a run that ends in time (and a second call
 * meanwhile), a run that ends only when it is aborted, a lease that is lost on the way. What must come before what is asked of the
 * steps that the probe prints; what became of leases and row is read from the server.
 */

import {
  type EventPattern,
  type Evidence,
  type History,
  type ProcessSpec,
  type Step,
  said,
  seen,
  start,
  type Term,
} from '../../../../src/judge/index.ts'
import { leaseKey, redisUrl, type Times, timesEnv, WORKERS } from './setting.ts'

const PLANS = ['idle', 'run', 'ceiling', 'late'] as const
type Plan = (typeof PLANS)[number]
const process = (plan: Plan) => `probe-${plan}`
/** Shards of the leases that the plans hold: one that is theirs, and the next, which has been taken. */
const shardOf = (plan: Plan) => 900 + 2 * PLANS.indexOf(plan)
const mineOf = (plan: Plan) => leaseKey(shardOf(plan))
const lostOf = (plan: Plan) => leaseKey(shardOf(plan) + 1)
const THIEF = 'thief'
const HOLD = 'hold-release'
/** Commands that can remove a lease. */
const REMOVING = ['DEL', 'UNLINK', 'GETDEL', 'EXPIRE', 'PEXPIRE', 'SET', 'EVAL', 'EVALSHA', 'EXEC']

export function probeProcesses(times: Times): Readonly<Record<string, ProcessSpec>> {
  const probe = (plan: Plan): ProcessSpec => ({
    program: 'app/probe-shutdown.ts',
    begins: 'timeline',
    ends: true,
    env: {
      ...timesEnv(times),
      REDIS_URL: redisUrl,
      PLAN: plan,
      SHARD: String(shardOf(plan)),
      UNIT_MS: String(times.whileMs),
    },
  })
  const thief: ProcessSpec = {
    program: 'app/probe-thief.ts',
    begins: 'timeline',
    ends: true,
    env: { REDIS_URL: redisUrl, SHARD: String(shardOf('late')) },
  }
  return {
    ...Object.fromEntries(PLANS.map((plan) => [process(plan), probe(plan)])),
    [THIEF]: thief,
  }
}

/**
 * All at once, when the story before them is over. The late one's removal of its lease is held at the
 * server's door until somebody else has the lease.
 */
export function probeTimeline(after: EventPattern): readonly Step[] {
  return [
    ...PLANS.map((plan) => {
      return { id: process(plan), when: { on: after }, do: start(process(plan)) }
    }),
    {
      id: HOLD,
      when: { on: said(process('late'), 'shutdown.step', { what: 'asked to go' }) },
      do: { verb: 'hold', process: process('late'), command: REMOVING, argv: [mineOf('late')] },
    },
    { id: THIEF, when: { on: { kind: 'fault.bit', where: { step: HOLD } } }, do: start(THIEF) },
    {
      id: 'release-release',
      when: { on: said(THIEF, 'lease.taken') },
      do: { verb: 'release', step: HOLD },
    },
  ]
}

export const probesEnded = {
  on: { kind: 'process.exited', where: { process: { startsWith: 'probe-' } } },
  nth: PLANS.length,
}

export interface ProbeFault {
  readonly plan: string
  readonly what: string
  readonly hint: string
  readonly evidence: readonly Evidence[]
}

const NAMES: Readonly<Record<Plan, string>> = {
  late: 'the lease has lapsed and is another’s when the release arrives',
  idle: 'nothing in hand',
  run: 'a run that ends in time',
  ceiling: 'a run that does not end',
}

/** What is wrong in the first plan that shows it; null when nothing is. */
export function probeFault(history: History, times: Times): ProbeFault | 'unfinished' | null {
  for (const plan of PLANS) {
    const fault = faultOf(history, times, plan)
    if (fault !== null) return fault
  }
  return null
}

/** Steps that come in this order; one that a plan does not have is left out. */
const ORDER: readonly (readonly [before: string, after: string, hint: string])[] = [
  ['takes nothing new', 'run ended', 'Take nothing new before you wait for anything.'],
  ['run ended', 'renewing stops', 'Until the run is over, the lease is renewed.'],
  [
    'run ended',
    'lease',
    'First the effects stop, then the lease goes. An aborted run takes a while to stop, too.',
  ],
  ['run ended', 'heartbeat stops', 'Until the run is over, this worker is alive, and beats.'],
  ['last beat written', 'closed', 'Wait for the heartbeat to stop before the connections go.'],
  ['lease', 'closed', 'Wait until the leases are given back before the connections go.'],
  ['renewing stops', 'closed', 'Renewals and claims come to an end before the connections do.'],
  ['closed', 'first call ends', 'shutdown resolves when all is closed, and not before.'],
]

function faultOf(history: History, times: Times, plan: Plan): ProbeFault | 'unfinished' | null {
  const who = process(plan)
  const steps = history.output.said(who, 'shutdown.step')
  const evidence = steps.map((step) => seen(step, who, String(step.fields.what)))
  const fault = (what: string, hint: string): ProbeFault => {
    return { plan: NAMES[plan], what, hint, evidence }
  }
  const all = (what: string) => steps.filter(({ fields }) => fields.what === what)
  const at = (what: string): { readonly i: number; readonly t: number } | null =>
    what === 'lease' ? releaseOf(history, plan) : (all(what)[0] ?? null)

  const asked = at('asked to go')
  if (!asked) return 'unfinished'
  const failed = steps.find(({ fields }) => String(fields.what).includes('call fails'))
  if (failed) {
    return fault(
      String(failed.fields.what),
      'Everything before close() may still use the connections.',
    )
  }
  const aborts = all('run aborted')
  const ceilingUs = times.drainCeilingMs * 1000
  if (plan === 'ceiling') {
    const waited = (aborts[0]?.t ?? history.endUs) - asked.t
    if (aborts.length === 0) {
      return fault(
        all('closed').length > 0 ? 'the run was left without being aborted' : 'it waited for ever',
        'A run that does not end within ceilingMs is given up: abortRun, and then wait for it to settle.',
      )
    }
    if (waited < ceilingUs || waited > ceilingUs + times.whileMs * 1000) {
      return fault(
        `the run was aborted after ${seconds(waited)}, not after ${seconds(ceilingUs)}`,
        'The ceiling is handed in, in milliseconds, and counts from the call.',
      )
    }
  } else if (aborts.length > 0) {
    return fault(
      'the run was aborted',
      'Only a run that is still in hand after ceilingMs is given up.',
    )
  }
  const once = ['takes nothing new', 'renewing stops', 'heartbeat stops', 'closed']
  for (const what of once) {
    const found = all(what)
    if (found.length === 0)
      return fault(`missing: ${what}`, `Each part has its turn: ${once.join(', ')}.`)
    if (found.length > 1) {
      return fault(
        `twice: ${what}`,
        'A second signal joins the first: both calls wait for one and the same shutdown.',
      )
    }
  }
  if (plan !== 'late' && !releaseOf(history, plan)) {
    return fault('the lease was not given back', 'releaseIfOwner (lease.ts), for each lease held.')
  }
  const harmed = harmTo(history, plan)
  if (harmed) {
    return fault(
      'a lease went that was not ours any more',
      'Owner and token must both be ours, compared in the step that removes: releaseIfOwner does it.',
    )
  }
  for (const [before, after, hint] of ORDER) {
    const [one, other] = [at(before), at(after)]
    if (one && other && one.i > other.i) return fault(`‘${after}’ came before ‘${before}’`, hint)
  }
  if (rowStays(history, who)) {
    return fault(
      'its row is there again',
      'A beat may be under way: stop the heartbeat, wait for it, and only then forget the row.',
    )
  }
  const second = plan === 'run' ? at('second call ends') : null
  const closed = at('closed')!
  if (second && second.i < closed.i) {
    return fault(
      'the second call did not wait',
      'A second signal joins the first: both calls wait for one and the same shutdown.',
    )
  }
  return null
}

/** The moment the plan's own lease went; null if it did not. */
function releaseOf(history: History, plan: Plan): Term['ended'] {
  const { ended = null } = history.leases.terms(mineOf(plan))[0] ?? {}
  return ended?.how === 'deleted' ? ended : null
}

/** Whether a lease that had become another's was touched. */
function harmTo(history: History, plan: Plan): boolean {
  const [lost, ...more] = history.leases.terms(lostOf(plan))
  const taken = plan === 'late' ? history.leases.terms(mineOf(plan)).at(-1) : undefined
  return [lost, taken].some((term) => term && isTouched(term)) || more.length > 0
}

function isTouched(term: Term): boolean {
  return term.ended !== null || term.extensions.length > 0
}

/** Whether the last that happened to the row was not its removal. */
function rowStays(history: History, who: string): boolean {
  const last = history.redis.exchanges(who).findLast(({ command }) => {
    const { argv } = command
    return argv.includes(WORKERS) && argv.includes(who)
  })
  return last?.command.argv[0] !== 'HDEL'
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(1)} s`
}
