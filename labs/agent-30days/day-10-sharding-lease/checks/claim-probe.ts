/**
 * The second half of check 2: tokens, and a claim that is overtaken at Redis' door.
 *
 * Three probes claim a lease beyond those that the workers share. The first one's deciding command is
 * held until the second has won; it must win nothing and harm nothing. Then the lease goes from life
 * to life and from process to process, and its tokens must rise.
 */

import {
  type EventPattern,
  type Evidence,
  ended,
  type History,
  meddling,
  type ProcessSpec,
  parseLease,
  type Step,
  said,
  seen,
} from '../../../../src/judge/index.ts'
import { LEASES, leaseKey, redisUrl, type Times } from './setting.ts'

export const PROBED = leaseKey(300)
const FENCE = 'lease:fence'
const HOLD = 'hold-claim'
const [FIRST, SECOND, THIRD] = ['probe-1', 'probe-2', 'probe-3'] as const
/** Commands that can take a lease. */
const TAKING = ['SET', 'SETNX', 'SETEX', 'PSETEX', 'GETSET', 'MSETNX', 'EVAL', 'EVALSHA']

const HELD: EventPattern = { kind: 'fault.bit', where: { step: HOLD } }

export function probeProcesses(times: Times): Readonly<Record<string, ProcessSpec>> {
  const probe = (name: string, plan: string, begins: 'start' | 'timeline'): ProcessSpec => ({
    program: 'app/probe-lease.ts',
    begins,
    ends: true,
    env: {
      PLAN: plan,
      WORKER_ID: name,
      REDIS_URL: redisUrl,
      LEASE_TTL_MS: String(times.leaseTtlMs),
      WAIT_MS: String(times.whileMs),
    },
  })
  return {
    [FIRST]: probe(FIRST, 'claim', 'start'),
    [SECOND]: probe(SECOND, 'claim,wait,clear,claim', 'timeline'),
    [THIRD]: probe(THIRD, 'clear,claim', 'timeline'),
  }
}

export const probeTimeline: readonly Step[] = [
  {
    id: HOLD,
    when: { atMs: 0 },
    do: { verb: 'hold', process: FIRST, command: TAKING, argv: [PROBED] },
  },
  { id: 'second-probe', when: { on: HELD }, do: { verb: 'start', process: SECOND } },
  {
    id: 'release-claim',
    when: { on: said(SECOND, 'claim.answer') },
    do: { verb: 'release', step: HOLD },
  },
  { id: 'third-probe', when: { on: ended(SECOND) }, do: { verb: 'start', process: THIRD } },
]

export interface ProbeFault {
  readonly reason: string
  readonly hint: string
  readonly evidence: readonly Evidence[]
}

const OVERTAKEN =
  'Between your look and your SET another worker can win. The one command that sets the lease must decide whether it is free, and change nothing when it is not.'
const TOKENS =
  'Each lease gets a token of its own from the counter fenceCounter(shard) in Redis (INCR): larger than all before, whichever process and whichever life it was. Put the same token into the value and into the answer.'

/** What is wrong with the claims that the probes made; null when nothing is, `unfinished` when they did not get to the end. */
export function probeFault(history: History): ProbeFault | 'unfinished' | null {
  const answers = (probe: string) => history.output.said(probe, 'claim.answer')
  const all = [...answers(FIRST), ...answers(SECOND), ...answers(THIRD)]
  const broken = all.find(({ fields }) => fields.error !== undefined)
  if (broken) {
    const evidence = [seen(broken, 'probe', String(broken.fields.error))]
    return { reason: 'a claim asked directly failed', hint: TOKENS, evidence }
  }
  const mine = history.leases.terms(PROBED).find(({ by }) => by === SECOND)
  const harm = mine && meddling(mine).find(({ by }) => by === FIRST)
  const late = answers(FIRST).find(({ fields }) => typeof fields.token === 'number')
  if (harm || late) {
    const evidence = [
      ...(mine ? [seen({ t: mine.from }, SECOND, `claims ${PROBED}`)] : []),
      ...(harm ? [seen(harm, FIRST, harm.what)] : []),
      ...(late ? [seen(late, FIRST, `takes token ${late.fields.token} for won`)] : []),
    ]
    return {
      reason: 'a claim that came too late took or touched the lease',
      hint: OVERTAKEN,
      evidence,
    }
  }
  if (answers(FIRST).length < 1 || answers(SECOND).length < 2 || answers(THIRD).length < 1) {
    return 'unfinished'
  }
  return tokenFault(history)
}

/** Every lease's token was drawn from the counter by the process that has it, once, and they rise. */
function tokenFault(history: History): ProbeFault | null {
  const drawn = history.leases.terms(FENCE)
  const fault = (reason: string, t: number, what: string): ProbeFault => {
    return { reason, hint: TOKENS, evidence: [{ t, who: 'redis', what }] }
  }
  const back = drawn.find((term, k) => k > 0 && Number(term.value) <= Number(drawn[k - 1]!.value))
  if (back) return fault('the token counter went back', back.from, `${FENCE} = ${back.value}`)
  const used = new Set<string>()
  for (const key of history.leases.keys().filter((each) => each.startsWith(LEASES))) {
    let before = 0
    for (const { value, from, by } of history.leases.terms(key)) {
      const token = parseLease(value)?.token ?? Number.NaN
      const shown = `${key} = ${value}`
      if (
        !drawn.some((term) => Number(term.value) === token && term.by === by && term.from <= from)
      ) {
        return fault(`a token did not come from the counter ${FENCE}`, from, shown)
      }
      if (used.has(String(token))) return fault('a token was used twice', from, shown)
      if (token <= before) return fault('a later lease has a smaller token', from, shown)
      used.add(String(token))
      before = token
    }
  }
  return null
}
