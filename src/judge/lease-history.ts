/**
 * Questions about leases that more than one check asks: belief (what workers say), truth (what the
 * server has), and where the two part.
 *
 * Belief lines: `lease.held { shard, token }` and `lease.lost { shard }`. Truth: terms of the keys that
 * `leaseKey` names. All times are trace microseconds.
 */

import type { History, Term } from '../trace/history.ts'
import { parseLease } from '../trace/history.ts'
import { inMs } from './finding.ts'

/** Shards that a process believes to hold at `t` → the token it believes in. */
export function believed(
  history: History,
  process: string,
  t: number,
): ReadonlyMap<number, number> {
  const holds = new Map<number, number>()
  for (const line of history.output.said(process)) {
    if (line.t > t) break
    const { shard, token } = line.fields
    if (typeof shard !== 'number') continue
    if (line.event === 'lease.held') holds.set(shard, typeof token === 'number' ? token : 0)
    if (line.event === 'lease.lost') holds.delete(shard)
  }
  return holds
}

/** Of these lease keys, those that the server has under `owner` at `t`: shard → token. */
export function owned(
  history: History,
  owner: string,
  t: number,
  leaseKey: (shard: number) => string,
  shardCount: number,
): ReadonlyMap<number, number> {
  const holds = new Map<number, number>()
  for (let shard = 0; shard < shardCount; shard += 1) {
    const term = history.leases.termAt(leaseKey(shard), t)
    const lease = term && parseLease(term.value)
    if (lease?.owner === owner) holds.set(shard, lease.token)
  }
  return holds
}

/** Terms that ended because another's value was written over them while they were running. */
export function takenAlive(history: History, keyStart: string): readonly Term[] {
  return history.leases
    .keys()
    .filter((key) => key.startsWith(keyStart))
    .flatMap((key) => history.leases.terms(key))
    .filter((term) => term.ended?.how === 'overwritten')
    .sort((a, b) => a.ended!.i - b.ended!.i)
}

/** What was done to a term by others than the process that set it, from event `i` on. */
export function meddling(term: Term): readonly {
  readonly i: number
  readonly t: number
  readonly by: string
  readonly what: string
}[] {
  const found: { i: number; t: number; by: string; what: string }[] = []
  let expireAt = term.firstExpireAt
  for (const extension of term.extensions) {
    if (extension.by !== null && extension.by !== term.by) {
      const what =
        expireAt === null || extension.expireAt === null
          ? 'changed its expiry'
          : `moved its expiry by ${inMs(extension.expireAt - expireAt)}`
      found.push({ i: extension.i, t: extension.t, by: extension.by, what })
    }
    expireAt = extension.expireAt
  }
  const { ended } = term
  if (ended && ended.by !== null && ended.by !== term.by && ended.how !== 'lapsed') {
    const what = ended.how === 'deleted' ? 'deleted it' : 'wrote over it'
    found.push({ i: ended.i, t: ended.t, by: ended.by, what })
  }
  return found
}
