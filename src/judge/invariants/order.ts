/** I4: effects of one user follow the order of enqueueing. */

import type { History } from '../../trace/history.ts'
import { compareIds, type Message, messageKey, messagesOf } from '../facts/entries.ts'
import { groupedBy } from '../facts/grouped.ts'
import type { Moment } from '../facts/lives.ts'
import { type StoreCall, storeEffects } from '../facts/store.ts'
import type { BeliefSetting } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, type Violation, verdict, violation } from './invariant.ts'

export const order: Invariant = {
  id: 'I4',
  name: 'order',
  sentence: 'The effects of one user’s messages follow the order in which they were enqueued.',
  scope:
    'Messages that took effect at the store, conversation by conversation, against the order of their entries in the stream (or of their seq, where no entry was seen). A message that was overtaken counts whether or not it took effect later, unless it had been put away as a dead letter. A process that says it begins a message while an earlier one that it began has not taken effect handles them side by side: then the order is luck.',
  check(history, { messages: names, store, beliefs }) {
    if (!names || !store)
      return notApplicable('the lab has no messages that take effect in a store')
    const { deliveries, published, deadLetters } = messagesOf(history, names)
    const effects = storeEffects(history, store).map((effect) => {
      return { ...effect, run: effect.run ?? '', seq: effect.seq ?? 0 }
    })
    const handed = deliveries.map(({ entry, i, t }) => ({ ...entry, i, t }))
    const queued = inOrder([...published, ...handed])
    const first = new Map<string, StoreCall>()
    for (const effect of effects) {
      const key = messageKey(effect)
      if (!first.has(key)) first.set(key, effect)
    }
    const violations: Violation[] = beliefs
      ? sideBySide(history, beliefs, queued, [...effects, ...deadLetters])
      : []
    let facts = 0
    for (const [run, own] of queued) {
      // The effect that came first among those of later messages, going from the last to the first.
      let soonest: StoreCall | null = null
      for (const message of own.toReversed()) {
        const effect = first.get(messageKey(message)) ?? null
        if (effect) facts += 1
        if (soonest && (!effect || effect.i > soonest.i)) {
          const dead = deadLetters.find((each) => messageKey(each) === messageKey(message))
          if (!dead || dead.i > soonest.i) {
            violations.push(
              violation({
                of: [soonest, effect ?? message.shown],
                actors: [soonest.by, effect?.by ?? null],
                tokens: [soonest.token, effect?.token ?? null],
                resource: soonest.resource,
                sentence: `${soonest.by} let message ${soonest.seq} of ${run} take effect at ${sec(soonest.t)} before message ${message.seq}, which was enqueued earlier and ${effect ? `took effect at ${sec(effect.t)}` : 'never took effect'}`,
              }),
            )
          }
        }
        if (effect && (!soonest || effect.i < soonest.i)) soonest = effect
      }
    }
    return verdict(facts, violations, 'no message took effect')
  },
}

/** Messages that a process began before an earlier one of the same conversation was done. */
function sideBySide(
  history: History,
  names: BeliefSetting,
  queued: ReadonlyMap<string, readonly Queued[]>,
  done: readonly (Message & Moment)[],
): Violation[] {
  const places = new Map(
    [...queued.values()].flatMap((own) => own.map((each, at) => [messageKey(each), at] as const)),
  )
  const doneAt = new Map<string, number>()
  for (const each of done) {
    const key = messageKey(each)
    doneAt.set(key, Math.min(each.i, doneAt.get(key) ?? each.i))
  }
  const violations: Violation[] = []
  const begun = new Map<string, readonly (Message & Moment)[]>()
  for (const { i, t, process, incarnation, fields } of history.output.said(null, names.began)) {
    const message = { run: String(fields[names.run]), seq: Number(fields[names.seq]), i, t }
    const { run, seq } = message
    const place = places.get(messageKey(message))
    if (place === undefined) continue
    const key = `${incarnation} ${process} ${run}`
    const open = (begun.get(key) ?? []).filter((each) => {
      const end = doneAt.get(messageKey(each))
      return end === undefined || end > i
    })
    begun.set(key, [...open, message])
    const earlier = open.find((each) => (places.get(messageKey(each)) ?? place) < place)
    if (!earlier) continue
    violations.push(
      violation({
        of: [earlier, message],
        actors: [process],
        resource: run,
        sentence: `${process} began message ${seq} of ${run} at ${sec(t)} before message ${earlier.seq}, begun at ${sec(earlier.t)}, had taken effect`,
      }),
    )
  }
  return violations
}

interface Queued extends Message {
  /** Where it was first seen. */
  readonly shown: Moment
}

/** Messages by conversation, each list in the order of enqueueing. */
function inOrder(
  known: readonly (Message & Moment & { readonly id?: string })[],
): ReadonlyMap<string, readonly Queued[]> {
  const ids = new Map(
    known.flatMap((each) => (each.id ? [[messageKey(each), each.id] as const] : [])),
  )
  const single = new Map<string, Queued>()
  for (const { run, seq, i, t } of known) {
    const key = messageKey({ run, seq })
    if (!single.has(key)) single.set(key, { run, seq, shown: { i, t } })
  }
  const runs = groupedBy(single.values(), ({ run }) => run)
  for (const own of runs.values()) {
    own.sort((a, b) => {
      const [x, y] = [ids.get(messageKey(a)), ids.get(messageKey(b))]
      return x && y ? compareIds(x, y) : a.seq - b.seq
    })
  }
  return runs
}
