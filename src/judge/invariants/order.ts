/** I4: effects of one user follow the order of enqueueing. */

import { compareIds, type Message, messagesOf, sameMessage } from '../facts/entries.ts'
import { groupedBy } from '../facts/grouped.ts'
import type { Moment } from '../facts/lives.ts'
import { type StoreCall, storeEffects } from '../facts/store.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const order: Invariant = {
  id: 'I4',
  name: 'order',
  sentence: 'The effects of one user’s messages follow the order in which they were enqueued.',
  scope:
    'Messages that took effect at the store, conversation by conversation, against the order of their entries in the stream (or of their seq, where no entry was seen). A message that was overtaken counts whether or not it took effect later, unless it had been put away as a dead letter.',
  check(history, { messages: names, store }) {
    if (!names || !store)
      return notApplicable('the lab has no messages that take effect in a store')
    const { deliveries, published, deadLetters } = messagesOf(history, names)
    const effects = storeEffects(history, store)
    const handed = deliveries.map(({ entry, i, t }) => ({ ...entry, i, t }))
    const queued = inOrder([...published, ...handed])
    const first = new Map<string, StoreCall>()
    for (const effect of effects) {
      const key = `${effect.run} ${effect.seq}`
      if (!first.has(key)) first.set(key, effect)
    }
    const violations = []
    let facts = 0
    for (const [run, own] of queued) {
      // The effect that came first among those of later messages, going from the last to the first.
      let soonest: StoreCall | null = null
      for (const message of own.toReversed()) {
        const effect = first.get(`${run} ${message.seq}`) ?? null
        if (effect) facts += 1
        if (soonest && (!effect || effect.i > soonest.i)) {
          const dead = deadLetters.find((each) => sameMessage(each, message))
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

interface Queued extends Message {
  /** Where it was first seen. */
  readonly shown: Moment
}

/** Messages by conversation, each list in the order of enqueueing. */
function inOrder(
  known: readonly (Message & Moment & { readonly id?: string })[],
): ReadonlyMap<string, readonly Queued[]> {
  const ids = new Map(known.flatMap((each) => (each.id ? [[keyOf(each), each.id] as const] : [])))
  const single = new Map<string, Queued>()
  for (const { run, seq, i, t } of known) {
    const key = keyOf({ run, seq })
    if (!single.has(key)) single.set(key, { run, seq, shown: { i, t } })
  }
  const runs = groupedBy(single.values(), ({ run }) => run)
  for (const own of runs.values()) {
    own.sort((a, b) => {
      const [x, y] = [ids.get(keyOf(a)), ids.get(keyOf(b))]
      return x && y ? compareIds(x, y) : a.seq - b.seq
    })
  }
  return runs
}

function keyOf({ run, seq }: Message): string {
  return `${run} ${seq}`
}
