/** I2: never two unexpired leases for one resource. */

import { type Grant, grantsOf } from '../facts/grants.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const oneGrant: Invariant = {
  id: 'I2',
  name: 'one grant',
  sentence: 'There are never two unexpired leases for one resource.',
  scope:
    'Grants at the lease server. A lease counts as unexpired until the time that it was granted or last extended to, unless its own holder gave it back: so removal by others, eviction and a jump of the server’s clock are no excuse for the next grant. An owner that writes a newer token over its own lease in one life renews it.',
  check(history, { leases }) {
    if (!leases) return notApplicable('the lab has no leases')
    const grants = grantsOf(history, leases)
    const last = new Map<string, Grant>()
    const violations = []
    for (const grant of grants) {
      const { resource } = grant
      const before = last.get(resource)
      last.set(resource, grant)
      if (!before || !unexpired(before, grant)) continue
      violations.push(
        violation({
          of: [before, grant],
          actors: [before.by, grant.by],
          tokens: [before.token, grant.token],
          resource,
          sentence: `${grant.by} was granted token ${grant.token} at ${sec(grant.t)} although token ${before.token} of ${before.by} ${aliveUntil(before)}${how(before)}`,
        }),
      )
    }
    return verdict(grants.length, violations, 'no lease was granted')
  },
}

/** Whether the earlier grant had time left and was not given back when the next one was made. */
function unexpired(before: Grant, next: Grant): boolean {
  const { term, over } = before
  if (term.expireAt !== null && term.expireAt <= next.t) return false
  if (over?.how === 'deleted' && over.by === before.by) return false
  const renewsItself =
    over?.how === 'overwritten' &&
    before.by === next.by &&
    before.owner === next.owner &&
    before.incarnation === next.incarnation &&
    next.token > before.token
  return !renewsItself
}

function aliveUntil({ term: { expireAt } }: Grant): string {
  return expireAt === null ? 'never lapses' : `was good until ${sec(expireAt)}`
}

function how({ over }: Grant): string {
  if (over?.how === 'overwritten') return ': it was written over'
  if (over?.how === 'deleted') {
    return `: ${over.by === null ? 'the server' : over.by} had deleted it at ${sec(over.t)}`
  }
  return `: the server had let it lapse at ${sec(over?.t ?? 0)}`
}
