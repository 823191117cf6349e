/** I11: a resource without a holder gets a new one within the stated bound. */

import type { History } from '../../trace/history.ts'
import { aliveAt, decidedEnd, type Grant, grantsOf } from '../facts/grants.ts'
import { awakeThrough, type Life, livesOf } from '../facts/lives.ts'
import type { Setting } from '../setting.ts'
import { sec } from '../words.ts'
import {
  type Invariant,
  notApplicable,
  showsAt,
  type Violation,
  verdict,
  violation,
} from './invariant.ts'

export const takeover: Invariant = {
  id: 'I11',
  name: 'takeover',
  sentence:
    'What a dead holder leaves is taken over within TTL and sweep of its last good renewal.',
  scope:
    'Every lease lapses one TTL after it was granted or renewed, and once it is over another is granted within a sweep: provided that throughout that sweep a worker was up and awake, may hold the resource and had room for it. What was over too late in the trace is not judged.',
  check(history, setting) {
    const { leases } = setting
    if (!leases) return notApplicable('the lab has no leases')
    const grants = grantsOf(history, leases)
    const lives = livesOf(history)
    const violations: Violation[] = []
    let facts = grants.length
    for (const grant of grants) {
      const long = tooLong(grant, setting)
      if (long) violations.push(long)
      const late = leftAlone(grant, grants, lives, history, setting)
      if (late === 'not judged') continue
      facts += 1
      if (late) violations.push(late)
    }
    return verdict(facts, violations, 'no lease was granted')
  },
}

/** A lease that was given more time than a TTL keeps everybody waiting for its dead holder. */
function tooLong(grant: Grant, { leases, bounds }: Setting): Violation | null {
  const { term, resource, by, token } = grant
  const given = [{ i: grant.i, t: grant.t, expireAt: term.firstExpireAt }, ...term.extensions]
  const allowedUs = (leases!.ttlMs + bounds.latencyMs) * 1000
  const bad = given.find(
    ({ t, expireAt }) => (expireAt ?? Number.POSITIVE_INFINITY) - t > allowedUs,
  )
  if (!bad) return null
  const until = bad.expireAt === null ? 'for ever' : `until ${sec(bad.expireAt)}`
  return violation({
    of: [grant, bad],
    actors: [by],
    tokens: [token],
    resource,
    sentence: `${by} took ${resource} with token ${token} ${until} at ${sec(bad.t)}: if it dies, nobody can take over within ${sec(leases!.ttlMs * 1000)} and a sweep`,
  })
}

/** A resource that stayed free although somebody could have taken it. */
function leftAlone(
  grant: Grant,
  grants: readonly Grant[],
  lives: readonly Life[],
  history: History,
  { leases, bounds, workers }: Setting,
): Violation | null | 'not judged' {
  const { over, resource } = grant
  if (!over || over.how === 'overwritten') return 'not judged'
  const deadline = over.t + (leases!.sweepMs + bounds.latencyMs) * 1000
  const next = grants.find((each) => each.resource === resource && each.i > grant.i)
  if (next && next.t <= deadline) return null
  if (history.endUs < deadline) return 'not judged'
  const shows = showsAt(history, deadline)
  const free = Object.entries(workers).find(([process, { share, resources }]) => {
    if (resources && !resources.includes(resource)) return false
    const life = lives.findLast((each) => each.process === process && each.from.t <= over.t)
    if (!life || !awakeThrough(life, over.t, deadline)) return false
    const held = grants.filter((each) => each.by === process && aliveAt(each, shows))
    return held.length < share
  })
  if (!free) return 'not judged'
  const [candidate] = free
  const how = over.how === 'lapsed' ? 'lapsed' : `was deleted by ${over.by ?? 'the server'}`
  return violation({
    of: [decidedEnd(grant), next ?? shows],
    actors: [grant.by, candidate, next?.by ?? null],
    tokens: [grant.token, next?.token ?? null],
    resource,
    sentence: `the lease of ${resource}, token ${grant.token} of ${grant.by}, ${how} at ${sec(over.t)} and was ${next ? `granted to ${next.by} at ${sec(next.t)}` : `still free at ${sec(shows.t)}`} although ${candidate} was awake and had room for it: the bound was ${sec(deadline)}`,
  })
}
