/** I1: what a resource accepts never goes back in token. */

import { messagesOf } from '../facts/entries.ts'
import { type Grant, grantsOf, lastGrantTo, leasesCarried } from '../facts/grants.ts'
import { type StoreCall, storeCalls } from '../facts/store.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, type Violation, verdict, violation } from './invariant.ts'

export const fence: Invariant = {
  id: 'I1',
  name: 'fence',
  sentence: 'What a resource accepts never goes back in token.',
  scope:
    'Writes and plants that the store accepted, and acknowledgements that the stream accepted, which are writes too. An acknowledgement carries the token in its arguments, else that of the last lease of its sender.',
  check(history, setting) {
    const { store, leases, messages } = setting
    if (!store && !(leases && messages)) {
      return notApplicable('the lab has neither a store nor leases over streams')
    }
    const grants = leases ? grantsOf(history, leases) : []
    const accepted = store
      ? storeCalls(history, store).filter(({ outcome }) => outcome === 'accepted')
      : []
    const violations = [...goingBack(accepted, grants)]
    let facts = accepted.length
    if (leases && messages) {
      for (const { entry, by, command, i, t } of messagesOf(history, messages).acknowledgements) {
        const { resource } = entry
        const [carried] = leasesCarried(command.argv, leases.separator)
        const token = carried?.token ?? lastGrantTo(grants, by, resource, { i })?.token
        if (token === undefined) continue
        facts += 1
        const newer = grants.find(
          (grant) => grant.resource === resource && grant.i < i && grant.token > token,
        )
        if (!newer) continue
        violations.push(
          violation({
            of: [newer, { i, t }],
            actors: [by, newer.by],
            tokens: [token, newer.token],
            resource,
            sentence: `${zombie(by, token, resource, grants, t)} acknowledged ${entry.run} message ${entry.seq} with token ${token} at ${sec(t)} after token ${newer.token} had been granted to ${newer.by} at ${sec(newer.t)}`,
          }),
        )
      }
    }
    return verdict(facts, violations, 'nothing was accepted')
  },
}

/** Each accepted call whose token is smaller than one accepted before it. */
function* goingBack(
  accepted: readonly StoreCall[],
  grants: readonly Grant[],
): Generator<Violation> {
  const highest = new Map<string, StoreCall>()
  for (const call of accepted) {
    const { resource, token, by, t } = call
    const top = highest.get(resource)
    if (!top || token >= top.token) {
      highest.set(resource, call)
      continue
    }
    const did = call.kind === 'write' ? 'wrote' : 'planted its token, as if it were new,'
    yield violation({
      of: [top, call],
      actors: [by, top.by],
      tokens: [token, top.token],
      resource,
      sentence: `${zombie(by, token, resource, grants, t)} ${did} with token ${token} at ${sec(t)} after token ${top.token} of ${top.by} had been ${top.kind === 'plant' ? 'planted' : 'accepted'} at ${sec(top.t)}`,
    })
  }
}

/** The actor's name, and since when it has been without its lease, where the leases tell. */
function zombie(
  by: string,
  token: number,
  resource: string,
  grants: readonly Grant[],
  t: number,
): string {
  const grant = grants.find((each) => each.resource === resource && each.token === token)
  const since = grant?.over?.t
  return since !== undefined && since <= t ? `${by}, a zombie since ${sec(since)},` : by
}
