/** Check 1: three workers share the shards evenly, and a user's messages all go to one of them. */

import {
  type Check,
  complaint,
  type Evidence,
  effects,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  owned,
  said,
  start,
  takenAlive,
  violated,
} from '../../../../src/judge/index.ts'
import { disorder } from './order.ts'
import {
  A,
  B,
  C,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  LEASES,
  leaseKey,
  NAMES,
  rounds,
  SHARD_COUNT,
  STORE,
  storeProcess,
  type Times,
  workerProcess,
} from './setting.ts'

/** The first takes what does not come out even. */
const SHARES = [
  [A, 86],
  [B, 85],
  [C, 85],
] as const
const USERS = ['u-1001', 'u-1059', ...Array.from({ length: 18 }, (_, n) => `u-${2000 + 7 * n}`)]
const EACH = 3
const MESSAGES = USERS.length * EACH

export function splitCheck(times: Times): Check {
  return {
    id: 1,
    exercise: null,
    without: NAMES,
    title: 'three workers share the shards evenly; a user stays with one of them',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        [A]: workerProcess(A, times, 'start'),
        [B]: workerProcess(B, times, 'start'),
        [C]: workerProcess(C, times, 'start'),
        customer: customerProcess(rounds(USERS, EACH), 'timeline'),
      },
      timeline: [
        {
          id: 'customer',
          // Whoever came first has let go of what it held above its share by then.
          when: { on: said(C, 'sweep.done'), nth: 6 },
          do: start('customer'),
        },
      ],
      until: {
        on: { kind: 'process.output', json: { event: 'acknowledged' } },
        nth: MESSAGES,
        plusMs: times.whileMs,
      },
      limitMs: times.limitMs / 2,
    },
    judge: judgeSplit,
  }
}

export function judgeSplit(history: History): Finding {
  const shares = SHARES.map(([name, share]) => `${letter(name)} ${share}`).join(', ')
  const expected = `${shares} of ${SHARD_COUNT} shards; ${USERS.length} users with one worker each`
  const early = endedByItself(history, [STORE, GATEWAY, A, B, C], expected, 'day-10/lease.ts')
  if (early) return early
  const t = history.endUs
  const holdings = SHARES.map(([name]) => owned(history, name, t, leaseKey, SHARD_COUNT))
  const counts = SHARES.map(([name], k) => `${letter(name)} ${holdings[k]!.size}`).join(', ')
  const evidence: Evidence[] = SHARES.map(([name], k) => ({
    t,
    who: 'redis',
    what: `${name} has the leases of ${holdings[k]!.size} shards`,
  }))
  const fail = (got: string, file: string, hint: string) =>
    violated({ expected, got, evidence, file, hint })

  const taken = takenAlive(history, LEASES).find(({ key }) => key.endsWith(':lease'))
  if (taken) {
    const got = `${taken.key} of ${taken.by} was written over by ${taken.ended?.by} while alive`
    return fail(got, 'day-10/lease.ts', 'A claim leaves a lease alone that another worker holds.')
  }
  const written = effects(history, STORE)
  const wrong = disorder(written)
  if (wrong) return fail(wrong.got, wrong.file, wrong.hint)
  const workers = new Map<string, Set<string>>()
  for (const { runId, by } of written) {
    workers.set(runId, (workers.get(runId) ?? new Set()).add(by))
  }
  const torn = [...workers].find(([, by]) => by.size > 1)
  if (torn) {
    const got = `${torn[0]} was answered by ${[...torn[1]].join(' and ')}`
    return fail(got, 'day-10/shard.ts', 'A user has one shard, and a shard one worker.')
  }
  const sent = history.output.said(GATEWAY, 'published').length
  if (written.length < MESSAGES) {
    const got = `${counts}; ${written.length} of ${sent} messages done.${complaint(history, A)}`
    return sent < MESSAGES
      ? inconclusive({ expected, got, evidence })
      : fail(got, 'day-10/worker.ts', 'Every message has an effect.')
  }
  const even = SHARES.every(([, share], k) => holdings[k]!.size === share)
  if (!even) {
    return fail(
      `${counts} of ${SHARD_COUNT} shards`,
      'day-14/heartbeat.ts',
      'The share follows who is alive: each worker counts the beats that are young enough.',
    )
  }
  const shards = new Set(written.map(({ shard }) => shard))
  if (shards.size < USERS.length / 2) {
    return fail(
      `${USERS.length} users fell on ${shards.size} shards`,
      'day-10/shard.ts',
      'Users spread over all shards, by a digest of their id.',
    )
  }
  return held({
    expected,
    got: `${counts} of ${SHARD_COUNT} shards; ${USERS.length} users with one worker each`,
    evidence,
  })
}

function letter(name: string): string {
  return name.slice(-1).toUpperCase()
}
