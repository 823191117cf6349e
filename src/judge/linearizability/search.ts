/**
 * The search for an order of one resource's operations: Wing and Gong's, with memoised states.
 *
 * Operations stand in a list of calls and returns by time. The search takes an operation whose call
 * stands before the first return in the list, lifts it out and goes on with the states that the model
 * allows; at a return that cannot be passed it goes back. A configuration (what is lifted, and the
 * states) that was met before is not entered again. The budget counts states handed to the model, so
 * the same history costs the same on every machine. At equal times a call stands before a return:
 * operations that touch in time count as concurrent.
 * Source: Wing and Gong 1993; Lowe 2017; the shape of the search is that of Horn and Kroening 2015.
 */

import type { Model, Operation } from './operation.ts'

export type Search<State, In, Out> =
  | { readonly kind: 'found'; readonly steps: number }
  | { readonly kind: 'out-of-budget'; readonly steps: number; readonly longest: number }
  | {
      readonly kind: 'none'
      readonly steps: number
      /** The longest order that was found, and the states after it. */
      readonly prefix: readonly Operation<In, Out>[]
      readonly states: readonly State[]
    }

/** Something that the list goes on from: its head, or an entry. */
interface Link<In, Out> {
  next: Entry<In, Out> | null
}

interface Entry<In, Out> extends Link<In, Out> {
  readonly operation: Operation<In, Out>
  readonly us: number
  readonly isCall: boolean
  /** Place among the operations with a known outcome, or among the others, by call. */
  readonly n: number
  previous: Link<In, Out> | null
  /** The return of a call; null for a call with an unknown outcome. */
  readonly end: Entry<In, Out> | null
}

interface Frame<State, In, Out> {
  readonly entry: Entry<In, Out>
  readonly states: readonly State[]
  readonly nowUs: number
  readonly low: number
  readonly high: number
}

/** Looks for an order, handing at most `budget` states to the model. */
export function searchOrder<State, In, Out>(
  model: Model<State, In, Out>,
  operations: readonly Operation<In, Out>[],
  budget: number,
): Search<State, In, Out> {
  const list = listOf(operations)
  const stack: Frame<State, In, Out>[] = []
  const seen = new Set<string>()
  const known = new Uint8Array(operations.length)
  const unknown = new Set<number>()
  let best: { prefix: Operation<In, Out>[]; states: readonly State[]; count: number } | null = null
  let left = operations.filter(({ outcome }) => outcome.kind === 'known').length
  const all = left
  let states: readonly State[] = [model.initial]
  let nowUs = Number.NEGATIVE_INFINITY
  // Known operations before `low` are all lifted, and none from `high` on.
  let low = 0
  let high = 0
  let steps = 0
  let entry = list.next
  const keepBest = (): void => {
    if (best !== null && best.count >= all - left) return
    best = { prefix: stack.map((frame) => frame.entry.operation), states, count: all - left }
  }

  while (left > 0) {
    if (entry?.isCall) {
      const { operation, n, end } = entry
      const earliestUs = Math.max(nowUs, operation.callUs)
      const window = { earliestUs, latestUs: firstReturnUs(entry) }
      steps += states.length
      if (steps > budget) {
        keepBest()
        return { kind: 'out-of-budget', steps: budget, longest: best!.count }
      }
      const next = stepAll(model, states, operation, window)
      if (next.size > 0) {
        if (end) known[n] = 1
        else unknown.add(n)
        let nextLow = low
        while (known[nextLow] === 1) nextLow += 1
        const nextHigh = end ? Math.max(high, n + 1) : high
        const key = `${lifted(known, nextLow, nextHigh)}/${[...unknown].sort((a, b) => a - b)}/${[...next.keys()].sort().join(';')}`
        if (!seen.has(key)) {
          seen.add(key)
          stack.push({ entry, states, nowUs, low, high })
          states = [...next.values()]
          nowUs = earliestUs
          low = nextLow
          high = nextHigh
          if (end) left -= 1
          lift(entry)
          entry = list.next
          continue
        }
        if (end) known[n] = 0
        else unknown.delete(n)
      }
      entry = entry.next
      continue
    }
    keepBest()
    const frame = stack.pop()
    if (!frame) return { kind: 'none', steps, prefix: best!.prefix, states: best!.states }
    ;({ states, nowUs, low, high } = frame)
    if (frame.entry.end) {
      known[frame.entry.n] = 0
      left += 1
    } else unknown.delete(frame.entry.n)
    unlift(frame.entry)
    entry = frame.entry.next
  }
  return { kind: 'found', steps }
}

/** The states after an operation, by key. */
function stepAll<State, In, Out>(
  model: Model<State, In, Out>,
  states: readonly State[],
  { input, outcome }: Operation<In, Out>,
  window: { readonly earliestUs: number; readonly latestUs: number },
): Map<string, State> {
  const next = new Map<string, State>()
  for (const state of states) {
    const after =
      outcome.kind === 'known'
        ? model.step(state, input, outcome.output, window)
        : model.stepUnknown(state, input, window)
    for (const each of after) next.set(model.key(each), each)
  }
  return next
}

/** Known operations that are lifted, as text: how many from the start, and which ones beyond. */
function lifted(known: Uint8Array, low: number, high: number): string {
  let text = String(low)
  for (let n = low; n < high; n += 1) if (known[n] === 1) text += `,${n}`
  return text
}

/** A bound for whatever is lifted now: all that stays in the list comes after it. */
function firstReturnUs<In, Out>(from: Entry<In, Out>): number {
  for (let entry: Entry<In, Out> | null = from; entry; entry = entry.next) {
    if (!entry.isCall) return entry.us
  }
  return Number.POSITIVE_INFINITY
}

/** Calls and returns by time. */
function listOf<In, Out>(operations: readonly Operation<In, Out>[]): Link<In, Out> {
  const byCall = [...operations].sort((a, b) => a.callUs - b.callUs)
  const entries: Entry<In, Out>[] = []
  let knownCount = 0
  let unknownCount = 0
  for (const operation of byCall) {
    const { callUs, outcome } = operation
    const shared = { operation, previous: null, next: null }
    if (outcome.kind === 'unknown') {
      entries.push({ ...shared, us: callUs, isCall: true, n: unknownCount++, end: null })
      continue
    }
    const n = knownCount++
    const end = { ...shared, us: outcome.returnUs, isCall: false, n, end: null }
    entries.push({ ...shared, us: callUs, isCall: true, n, end }, end)
  }
  entries.sort((a, b) => a.us - b.us || Number(b.isCall) - Number(a.isCall))
  const head: Link<In, Out> = { next: null }
  let last = head
  for (const each of entries) {
    last.next = each
    each.previous = last
    last = each
  }
  return head
}

function lift<In, Out>(entry: Entry<In, Out>): void {
  for (const each of entry.end ? [entry, entry.end] : [entry]) {
    if (each.previous) each.previous.next = each.next
    if (each.next) each.next.previous = each.previous
  }
}

/** Puts back what was lifted last. */
function unlift<In, Out>(entry: Entry<In, Out>): void {
  for (const each of entry.end ? [entry.end, entry] : [entry]) {
    if (each.previous) each.previous.next = each
    if (each.next) each.next.previous = each
  }
}
