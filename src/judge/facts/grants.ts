/**
 * Leases as grants: who was given which resource, with which token, and when that was over.
 *
 * The servers' truth, from the terms of the lease keys; never what processes print. A value that is no
 * `owner|token` makes no grant. A grant is over at the instant at which its time ran out, although a
 * server may tell of it later.
 */

import type { RedisCommand } from '../../trace/events.ts'
import type { History, Term } from '../../trace/history.ts'
import type { LeaseSetting } from '../setting.ts'
import { firstEvent } from './lives.ts'

export interface Grant {
  readonly resource: string
  readonly key: string
  /** As the lease's value names it. */
  readonly owner: string
  readonly token: number
  /** Process whose command was granted it; the owner's name if that is unknown. */
  readonly by: string
  readonly incarnation: number | null
  readonly i: number
  readonly t: number
  readonly term: Term
  readonly over: GrantEnd | null
}

export interface GrantEnd {
  /** Place in the trace where it shows; for a lapse that no server told, past the end of the trace. */
  readonly i: number
  readonly t: number
  readonly how: 'lapsed' | 'deleted' | 'overwritten'
  /** Process that ended it, null for a lapse (or if it is unknown). */
  readonly by: string | null
}

/** All grants but those of staged resources, in the order of the trace. */
export function grantsOf(history: History, leases: LeaseSetting): readonly Grant[] {
  const doers = doersOf(history)
  return history.leases
    .keys()
    .filter((key) => key.startsWith(leases.keyStart))
    .flatMap((key) => {
      const resource = key.slice(leases.keyStart.length)
      if (leases.staged.includes(resource)) return []
      return history.leases.terms(key).flatMap((term) => {
        const lease = ownerAndToken(term.value, leases.separator)
        if (!lease) return []
        const doer = doers.get(term.i)
        return {
          ...lease,
          resource,
          key,
          by: term.by ?? lease.owner,
          incarnation: doer?.incarnation ?? null,
          i: term.i,
          t: term.from,
          term,
          over: endOf(term, history),
        }
      })
    })
    .sort((a, b) => a.i - b.i)
}

/** Whether the grant was alive when this event happened. */
export function aliveAt(grant: Grant, event: { readonly i: number; readonly t: number }): boolean {
  if (grant.i > event.i) return false
  const { over } = grant
  if (over === null) return true
  return over.how === 'lapsed' ? event.t <= over.t : event.i < over.i
}

/**
 * The event that decided when the grant was over: its removal, or, as a lapse is none, the last time
 * that it was given more time.
 */
export function decidedEnd({ i, t, term, over }: Grant): {
  readonly i: number
  readonly t: number
} {
  if (over && over.how !== 'lapsed') return { i: over.i, t: over.t }
  return term.extensions.at(-1) ?? { i, t }
}

/** The grant of a resource that was alive at an event, or null. */
export function holderAt(
  grants: readonly Grant[],
  resource: string,
  event: { readonly i: number; readonly t: number },
): Grant | null {
  return grants.findLast((grant) => grant.resource === resource && aliveAt(grant, event)) ?? null
}

/** The last grant of a resource to this process before an event, alive or not. */
export function lastGrantTo(
  grants: readonly Grant[],
  process: string,
  resource: string,
  event: { readonly i: number },
): Grant | null {
  return (
    grants.findLast(
      (grant) => grant.by === process && grant.resource === resource && grant.i < event.i,
    ) ?? null
  )
}

/** Command behind each change of the key space, by the change's place in the trace. */
export function doersOf(history: History): ReadonlyMap<number, RedisCommand> {
  const doers = new Map<number, RedisCommand>()
  for (const { effect, by } of history.redis.effects()) if (by) doers.set(effect.i, by)
  return doers
}

/** Splits a lease's value. Null if it is none. */
export function ownerAndToken(
  value: string,
  separator: string,
): { readonly owner: string; readonly token: number } | null {
  const at = value.lastIndexOf(separator)
  const text = value.slice(at + separator.length)
  const token = Number(text)
  if (at < 1 || text.trim() === '' || !Number.isSafeInteger(token)) return null
  return { owner: value.slice(0, at), token }
}

/** Leases whose values are among a command's arguments (of a script: among its keys and arguments). */
export function leasesCarried(
  argv: readonly string[],
  separator: string,
): readonly { readonly owner: string; readonly token: number }[] {
  const from = /^(EVAL|EVALSHA|FCALL)$/.test(argv[0] ?? '') ? 3 : 1
  return argv.slice(from).flatMap((arg) => ownerAndToken(arg, separator) ?? [])
}

function endOf(term: Term, history: History): GrantEnd | null {
  const { ended, expireAt } = term
  if (ended) {
    const { i, how, by } = ended
    const lapsedAt = how === 'lapsed' ? Math.min(ended.t, expireAt ?? ended.t) : ended.t
    // A lapse that no server told stands at its term's own place in the view.
    return { i: i === term.i ? showing(history, lapsedAt) : i, t: lapsedAt, how, by }
  }
  if (expireAt === null || expireAt >= history.endUs) return null
  return { i: showing(history, expireAt), t: expireAt, how: 'lapsed', by: null }
}

/** Place of the first event after `t`. */
function showing(history: History, t: number): number {
  return firstEvent(history, t, 'after')?.i ?? history.events.length
}
