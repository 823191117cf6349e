/** I7: tokens only ever rise, whatever happens to the servers. */

import type { AttributedEffect } from '../../trace/history.ts'
import { type Grant, grantsOf } from '../facts/grants.ts'
import { groupedBy } from '../facts/grouped.ts'
import { type StoreCall, storeCalls } from '../facts/store.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, type Violation, verdict, violation } from './invariant.ts'

export const tokensSurvive: Invariant = {
  id: 'I7',
  name: 'tokens survive',
  sentence:
    'Tokens survive restart, failover and flush: each grant’s is larger than all before it.',
  scope:
    'Grants of one resource against each other and against what the store had accepted before, and the counters that mint them. The first grant of a resource proves nothing, unless the store knows a token already.',
  check(history, { leases, store }) {
    if (!leases) return notApplicable('the lab has no leases')
    const grants = grantsOf(history, leases)
    const accepted = (store ? storeCalls(history, store) : []).filter(
      ({ outcome }) => outcome === 'accepted',
    )
    const { counterStart } = leases
    const drawn = history.redis.effects().filter(({ effect: { op, key } }) => {
      return op === 'set' && counterStart !== null && key.startsWith(counterStart)
    })
    const counters = groupedBy(drawn, ({ effect }) => effect.key)
    const compared = grants.flatMap((grant) => {
      const before = highestBefore(grant, grants, accepted)
      return before ? [{ grant, before }] : []
    })
    const violations = [
      ...compared.flatMap(({ grant, before }) =>
        grant.token > before.token ? [] : [tooSmall(grant, before)],
      ),
      ...[...counters].flatMap(([key, own]) => [...countedBack(own, key)]),
    ]
    const facts = compared.length + drawn.length - counters.size
    return verdict(facts, violations, 'no resource was granted twice')
  },
}

type Known = Grant | StoreCall

/** What carried the highest token of the resource before this grant. */
function highestBefore(
  grant: Grant,
  grants: readonly Grant[],
  accepted: readonly StoreCall[],
): Known | null {
  let highest: Known | null = null
  for (const each of [...grants, ...accepted]) {
    if (each.resource !== grant.resource || each.i >= grant.i) continue
    if (!highest || each.token > highest.token) highest = each
  }
  return highest
}

function tooSmall(grant: Grant, before: Known): Violation {
  const had =
    'term' in before
      ? `token ${before.token} had been granted to ${before.by}`
      : `the store had accepted token ${before.token} of ${before.by}`
  return violation({
    of: [before, grant],
    actors: [grant.by, before.by],
    tokens: [grant.token, before.token],
    resource: grant.resource,
    sentence: `${grant.by} was granted ${grant.resource} with token ${grant.token} at ${sec(grant.t)} after ${had} at ${sec(before.t)}`,
  })
}

function* countedBack(drawn: readonly AttributedEffect[], counter: string): Generator<Violation> {
  for (const [at, { effect, by }] of drawn.entries()) {
    const before = drawn[at - 1]
    if (!before || Number(effect.value) > Number(before.effect.value)) continue
    yield violation({
      of: [before.effect, effect],
      actors: [by?.process ?? null],
      tokens: [Number(effect.value), Number(before.effect.value)],
      resource: counter,
      sentence: `the counter ${counter} stood at ${effect.value} at ${sec(effect.t)} after it had stood at ${before.effect.value} at ${sec(before.effect.t)}`,
    })
  }
}
