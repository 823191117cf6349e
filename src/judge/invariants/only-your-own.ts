/** I8: release and renewal touch the caller's own epoch. */

import type { RedisCommand } from '../../trace/events.ts'
import { doersOf, type Grant, grantsOf, leasesCarried } from '../facts/grants.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const onlyYourOwn: Invariant = {
  id: 'I8',
  name: 'only your own',
  sentence: 'Release and renewal touch only the caller’s own lease, of the caller’s own epoch.',
  scope:
    'Extensions and removals of leases, by whom; where a command carries a lease’s value, also for which token it was meant. A renewal that brings back a lease that was over is none of the caller’s own. A claim that writes over a lease is for I2.',
  check(history, { leases }) {
    if (!leases) return notApplicable('the lab has no leases')
    const grants = grantsOf(history, leases)
    const doers = doersOf(history)
    const touches = grants.flatMap((grant) => touchesOf(grant, doers))
    const violations = touches.flatMap(({ grant, i, t, command, what }) => {
      const { resource, token, by } = grant
      const meant = meantBy(command, leases.separator, grant.owner)
      const stranger = command.process !== by
      if (!stranger && (meant === null || meant === token)) return []
      return [
        violation({
          of: [grant, { i, t }],
          actors: [command.process, by],
          tokens: [meant, token],
          resource,
          sentence: `${command.process}${meant !== null && meant !== token ? `, with token ${meant},` : ''} ${what} at ${sec(t)}, which had been granted to ${stranger ? by : 'it anew'} with token ${token} at ${sec(grant.t)}`,
        }),
      ]
    })
    const revived = grants.flatMap((grant) => {
      const before = grants.find(
        (each) =>
          each.i < grant.i &&
          each.resource === grant.resource &&
          each.owner === grant.owner &&
          each.token === grant.token,
      )
      if (!before) return []
      return [
        violation({
          of: [before, grant],
          actors: [grant.by],
          tokens: [grant.token],
          resource: grant.resource,
          sentence: `${grant.by} brought its lease of ${grant.resource} with token ${grant.token} back at ${sec(grant.t)}, which had been over since ${sec(before.over?.t ?? grant.t)}`,
        }),
      ]
    })
    return verdict(
      touches.length + revived.length,
      [...violations, ...revived],
      'no lease was renewed or released',
    )
  },
}

/** Extensions and removals of one grant, with the commands that made them. */
function touchesOf(grant: Grant, doers: ReadonlyMap<number, RedisCommand>) {
  const { term, over, resource } = grant
  const found: { grant: Grant; i: number; t: number; command: RedisCommand; what: string }[] = []
  for (const { i, t } of term.extensions) {
    const command = doers.get(i)
    if (command) found.push({ grant, i, t, command, what: `renewed the lease of ${resource}` })
  }
  const command = over?.how === 'deleted' ? doers.get(over.i) : undefined
  if (over && command) {
    const { i, t } = over
    found.push({ grant, i, t, command, what: `released the lease of ${resource}` })
  }
  return found
}

/** The token in a command's arguments, if a value of this owner is among them. */
function meantBy({ argv }: RedisCommand, separator: string, owner: string): number | null {
  return leasesCarried(argv, separator).find((lease) => lease.owner === owner)?.token ?? null
}
