/** I5: every message has exactly one effect, or one dead-letter entry. */

import { type Message, messageKey, messagesOf } from '../facts/entries.ts'
import type { Moment } from '../facts/lives.ts'
import { storeEffects } from '../facts/store.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const once: Invariant = {
  id: 'I5',
  name: 'once',
  sentence: 'Every message has exactly one effect, or one dead-letter entry.',
  scope:
    'Effects at the store, dead letters, and acknowledgements: a message that was acknowledged and had neither effect nor dead letter by the end of the trace is lost. A message that is still pending is not judged here.',
  check(history, { messages: names, store }) {
    if (!names || !store)
      return notApplicable('the lab has no messages that take effect in a store')
    const { acknowledgements, deadLetters, deliveries } = messagesOf(history, names)
    const outcomes = new Map<string, Outcome[]>()
    const add = (message: Message, outcome: Outcome): void => {
      const key = messageKey(message)
      outcomes.set(key, [...(outcomes.get(key) ?? []), { ...outcome, message }])
    }
    for (const { run, seq, i, t, by, token, resource } of storeEffects(history, store)) {
      if (run === null || seq === null) continue
      add({ run, seq }, { i, t, by, token, resource, what: 'took effect' })
    }
    for (const { run, seq, i, t, by } of deadLetters) {
      add({ run, seq }, { i, t, by, token: null, resource: run, what: 'was put away as dead' })
    }
    const violations = []
    for (const own of outcomes.values()) {
      const [first, second] = own.sort((a, b) => a.i - b.i)
      if (!first || !second) continue
      const { run, seq } = first.message!
      violations.push(
        violation({
          of: [first, second],
          actors: [first.by, second.by],
          tokens: [first.token, second.token],
          resource: first.resource,
          sentence: `message ${seq} of ${run} ${first.what} by ${first.by} at ${sec(first.t)} and ${second.what} by ${second.by} at ${sec(second.t)}: once too often`,
        }),
      )
    }
    let lost = 0
    for (const { entry, by, i, t } of acknowledgements) {
      if (outcomes.has(messageKey(entry))) continue
      lost += 1
      const delivery = deliveries.findLast((each) => each.entry === entry && each.i < i)
      violations.push(
        violation({
          of: [delivery ?? { i, t }, { i, t }],
          actors: [by, delivery?.to ?? null],
          resource: entry.resource,
          sentence: `${by} acknowledged message ${entry.seq} of ${entry.run} at ${sec(t)}${delivery ? `, handed to ${delivery.to} at ${sec(delivery.t)},` : ''} and it never took effect: it is lost`,
        }),
      )
    }
    return verdict(outcomes.size + lost, violations, 'no message took effect or was acknowledged')
  },
}

interface Outcome extends Moment {
  readonly by: string
  readonly token: number | null
  readonly resource: string
  readonly what: string
  readonly message?: Message
}
