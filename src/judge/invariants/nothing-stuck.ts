/** I6: no entry stays pending for too long without an owner at work on it. */

import type { History } from '../../trace/history.ts'
import { type Entry, messageKey, messagesOf } from '../facts/entries.ts'
import { type Grant, grantsOf, holderAt } from '../facts/grants.ts'
import { groupedBy } from '../facts/grouped.ts'
import type { Moment } from '../facts/lives.ts'
import { storeCalls } from '../facts/store.ts'
import type { Setting } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, showsAt, verdict, violation } from './invariant.ts'

export const nothingStuck: Invariant = {
  id: 'I6',
  name: 'nothing stuck',
  sentence:
    'No entry stays pending for longer than TTL, sweep and the longest handling without an owner at work on it.',
  scope:
    'Entries from their first delivery to their acknowledgement. At work: the holder of the lease, by the server’s account, was handed entries of the stream, said that it begins one, wrote to the store or acknowledged, whichever entry of the stream that was. An entry that the trace follows for a shorter time than the bound is not judged.',
  check(history, setting) {
    const { messages: names, leases, bounds } = setting
    if (!names || !leases)
      return notApplicable('the lab has no streams that are worked on by lease')
    const { deliveries, acknowledgements } = messagesOf(history, names)
    const work = workOf(history, setting, grantsOf(history, leases))
    const boundUs =
      (leases.ttlMs + leases.sweepMs + bounds.longestHandlingMs + bounds.latencyMs) * 1000
    const ends = new Map(acknowledgements.map((each) => [each.entry, each]))
    const seen = new Set<Entry>()
    const violations = []
    let facts = 0
    for (const { entry, to, i, t } of deliveries) {
      if (seen.has(entry)) continue
      seen.add(entry)
      const done = ends.get(entry) ?? null
      const end = done ?? showsAt(history, history.endUs)
      if (done || end.t - t > boundUs) facts += 1
      const signs: Moment[] = [
        { i, t },
        ...(work.get(entry.resource) ?? []).filter((sign) => sign.i > i && sign.i < end.i),
        end,
      ]
      for (const [at, next] of signs.entries()) {
        const last = signs[at - 1]
        if (!last || next.t - last.t <= boundUs) continue
        violations.push(
          violation({
            of: [last, showsAt(history, last.t + boundUs)],
            actors: [to],
            resource: entry.resource,
            sentence: `message ${entry.seq} of ${entry.run}, handed to ${to} at ${sec(t)}, was pending and no owner was at work on ${entry.resource} from ${sec(last.t)} ${next === end && !done ? `to the end, ${sec(next.t)}` : `until ${sec(next.t)}`}: longer than ${sec(boundUs)}`,
          }),
        )
        break
      }
    }
    return verdict(facts, violations, 'no entry was handed out and followed for long enough')
  },
}

/** Signs of work by the holder of the moment, resource by resource, in order. */
function workOf(
  history: History,
  { messages, store, beliefs }: Setting,
  grants: readonly Grant[],
): ReadonlyMap<string, readonly Moment[]> {
  const { deliveries, acknowledgements, entries } = messagesOf(history, messages!)
  const known = new Map(entries.map((entry) => [messageKey(entry), entry]))
  const signs: (Moment & { readonly by: string; readonly resource: string })[] = [
    ...deliveries.map(({ i, t, to, entry }) => ({ i, t, by: to, resource: entry.resource })),
    ...acknowledgements.map(({ i, t, by, entry }) => ({ i, t, by, resource: entry.resource })),
    ...(store ? storeCalls(history, store) : []).map(({ asked, by, resource }) => {
      return { ...asked, by, resource }
    }),
    ...(beliefs ? history.output.said(null, beliefs.began) : []).flatMap((line) => {
      const { i, t, process, fields } = line
      const message = { run: String(fields[beliefs!.run]), seq: Number(fields[beliefs!.seq]) }
      const entry = known.get(messageKey(message))
      return entry ? [{ i, t, by: process, resource: entry.resource }] : []
    }),
  ]
  const owners = signs
    .filter((sign) => holderAt(grants, sign.resource, sign)?.by === sign.by)
    .sort((a, b) => a.i - b.i)
  return groupedBy(owners, ({ resource }) => resource)
}
