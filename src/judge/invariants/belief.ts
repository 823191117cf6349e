/** I3: inside the stated bounds no two workers believe at one instant that they own a resource. */

import { type Belief, beliefsOf } from '../facts/beliefs.ts'
import { type Grant, grantsOf } from '../facts/grants.ts'
import { groupedBy } from '../facts/grouped.ts'
import { type Moment, stoodStillUs } from '../facts/lives.ts'
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

export const belief: Invariant = {
  id: 'I3',
  name: 'belief',
  sentence:
    'Inside the stated bounds of drift and pause no two workers believe at one real instant that they own a resource; and each stops believing in time.',
  scope:
    'The lines by which workers say what they hold, on the trace’s own clock. A worker that stood still for longer than TTL minus self-stop is outside the bounds until it says something new: there only the fence must hold. In time: self-stop and one look at the clock after the last good renewal, pauses added. Clock rates are not in a trace.',
  check(history, setting) {
    const { leases, beliefs: names } = setting
    if (!names || !leases) return notApplicable('the lab’s processes tell no beliefs about leases')
    if (!names.selfStop) {
      return notApplicable('holders do not stop by themselves in this run: nothing bounds a belief')
    }
    const beliefs = beliefsOf(history, names).filter(
      ({ resource }) => !leases.staged.includes(resource),
    )
    const end = showsAt(history, history.endUs)
    const grants = grantsOf(history, leases)
    const violations = [
      ...atOnce(beliefs, setting, end),
      ...beliefs.flatMap((each) => outlived(each, grants, setting, end)),
    ]
    return verdict(beliefs.length, violations, 'no process said that it holds a lease')
  },
}

/** Two beliefs in one resource that overlap, both inside the bounds. */
function* atOnce(beliefs: readonly Belief[], setting: Setting, end: Moment): Generator<Violation> {
  const byResource = groupedBy(beliefs, ({ resource }) => resource)
  for (const [resource, own] of byResource) {
    for (const [at, later] of own.entries()) {
      for (const earlier of own.slice(0, at)) {
        if (earlier.life === later.life || !overlap(earlier, later)) continue
        if (paused(earlier, later.from.t, setting) || paused(later, later.from.t, setting)) continue
        yield violation({
          of: [earlier.from, later.from],
          actors: [earlier.process, later.process],
          resource,
          sentence: `${later.process} believed at ${sec(later.from.t)} to own ${resource}, which ${earlier.process} believed to own from ${sec(earlier.from.t)} until ${earlier.to ? sec(earlier.to.t) : `the end, ${sec(end.t)}`}`,
        })
      }
    }
  }
}

function overlap(earlier: Belief, later: Belief): boolean {
  return earlier.to === null || earlier.to.t > later.from.t
}

/** Whether a belief's process had stood still for too long in the last TTL before `t`. */
function paused({ life, from }: Belief, t: number, { leases, bounds }: Setting): boolean {
  const allowedUs = (leases!.ttlMs - bounds.selfStopMs - bounds.watchMs) * 1000
  const since = Math.max(from.t, t - 2 * leases!.ttlMs * 1000)
  return stoodStillUs(life, since, t) > Math.max(0, allowedUs)
}

/** A belief that went on although its last good renewal lay too far back. */
function outlived(
  own: Belief,
  grants: readonly Grant[],
  { bounds, leases }: Setting,
  end: Moment,
): readonly Violation[] {
  const { life, process, resource, from } = own
  const until = own.to ?? end
  const grant = grants.findLast(
    (each) => each.by === process && each.resource === resource && each.i < from.i,
  )
  if (!grant) {
    return [
      violation({
        of: [from, until],
        actors: [process],
        resource,
        sentence: `${process} believed from ${sec(from.t)} on to own ${resource}, which it had never been granted`,
      }),
    ]
  }
  const renewals: Moment[] = [
    grant,
    ...grant.term.extensions.filter(({ by, i }) => by === process && i < until.i),
  ]
  const boundUs = (bounds.selfStopMs + bounds.watchMs + bounds.latencyMs) * 1000
  for (const [at, last] of renewals.entries()) {
    const next = renewals[at + 1] ?? until
    const movedUs = next.t - last.t - stoodStillUs(life, last.t, next.t)
    if (movedUs <= boundUs) continue
    return [
      violation({
        of: [last, next],
        actors: [process],
        tokens: [grant.token],
        resource,
        sentence: `${process} still believed at ${sec(next.t)} to own ${resource} with token ${grant.token}, last renewed at ${sec(last.t)}: it had to stop itself after ${sec(bounds.selfStopMs * 1000)} of a TTL of ${sec(leases!.ttlMs * 1000)}`,
      }),
    ]
  }
  return []
}
