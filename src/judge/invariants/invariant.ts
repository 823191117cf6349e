/**
 * What an invariant is, and what it answers: a rule over a whole history, with the events that break it.
 *
 * Pure: trace and setting in, verdict out; must not throw on any trace. A verdict never passes in
 * silence: `held` says at how many facts it looked, without a single one it is `vacuous`, and where the
 * lab (or this trace) has nothing that the rule speaks of it is `not-applicable`. Times are trace µs.
 */

import type { History } from '../../trace/history.ts'
import { firstEvent } from '../facts/lives.ts'
import type { Setting } from '../setting.ts'

export type InvariantId = `I${number}`

export interface Invariant {
  readonly id: InvariantId
  readonly name: string
  /** The rule, in one sentence. */
  readonly sentence: string
  /** What of a trace it reads, and what it leaves out. */
  readonly scope: string
  check(history: History, setting: Setting): InvariantVerdict
}

export type InvariantVerdict =
  | { readonly kind: 'held'; readonly facts: number }
  | { readonly kind: 'vacuous'; readonly reason: string }
  | { readonly kind: 'not-applicable'; readonly reason: string }
  | {
      readonly kind: 'violated'
      readonly facts: number
      /** At least one; that which showed first comes first. */
      readonly violations: readonly Violation[]
    }

/** An event of the trace. */
export interface EventRef {
  readonly i: number
  readonly t: number
}

export interface Violation {
  /** The two that contradict each other, the earlier one first. */
  readonly events: readonly [EventRef, EventRef]
  readonly actors: readonly string[]
  readonly tokens: readonly number[]
  readonly resource: string
  /** Who did what, when, and against what. */
  readonly sentence: string
}

/** A violation under construction; events in any order. */
export interface Contradiction {
  readonly of: readonly [EventRef, EventRef]
  readonly actors: readonly (string | null)[]
  readonly tokens?: readonly (number | null)[]
  readonly resource: string
  readonly sentence: string
}

export function violation({ of, actors, tokens, resource, sentence }: Contradiction): Violation {
  const [a, b] = of
  const [first, second] = a.i <= b.i ? [a, b] : [b, a]
  return {
    events: [ref(first), ref(second)],
    actors: [...new Set(actors)].filter((actor) => actor !== null),
    tokens: [...new Set(tokens ?? [])].filter((token) => token !== null),
    resource,
    sentence,
  }
}

/** The verdict on `facts` looked at; `idle` says what was missing if there are none. */
export function verdict(
  facts: number,
  violations: readonly Violation[],
  idle: string,
): InvariantVerdict {
  if (violations.length > 0) {
    const sorted = [...violations].sort((a, b) => a.events[1].i - b.events[1].i)
    return { kind: 'violated', facts, violations: sorted }
  }
  return facts === 0 ? { kind: 'vacuous', reason: idle } : { kind: 'held', facts }
}

export function notApplicable(reason: string): InvariantVerdict {
  return { kind: 'not-applicable', reason }
}

/** The first event at `t` or later, or the last one: where something shows that did not happen. */
export function showsAt(history: History, t: number): EventRef {
  const event = firstEvent(history, t, 'from') ?? history.events.at(-1)
  return event ? ref(event) : { i: 0, t: 0 }
}

function ref({ i, t }: EventRef): EventRef {
  return { i, t }
}
