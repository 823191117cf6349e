/**
 * Is a history of operations linearizable? Each resource on its own, within a budget.
 *
 * Three answers: linearizable; violated, with the longest order that was found and what does not fit
 * behind it, in the model's words; or not decided, because the budget was used up or there was nothing
 * to look at. Never a silent pass. The budget counts states handed to the model and not time, so a
 * verdict is the same on every machine; each resource gets an equal part of what those before it left.
 * Refuses, with a RangeError, a return before its call and a budget that is no whole number from 1.
 */

import { groupedBy } from '../facts/grouped.ts'
import { count, sec } from '../words.ts'
import type { Model, Operation } from './operation.ts'
import { searchOrder } from './search.ts'

export interface Figures {
  readonly operations: number
  readonly resources: number
  /** States handed to the model. */
  readonly states: number
}

export type Linearizability<In, Out> =
  | ({ readonly kind: 'linearizable' } & Figures)
  | ({
      readonly kind: 'violated'
      readonly resource: string
      /** The longest order that the model allows. */
      readonly prefix: readonly Operation<In, Out>[]
      /** The operation that had to come next and cannot. */
      readonly stuck: Operation<In, Out>
      /** Four lines for a person. */
      readonly counterExample: readonly [string, string, string, string]
    } & Figures)
  | ({
      readonly kind: 'not-decided'
      readonly why: 'no-operations' | 'budget'
      /** Resources whose search ran out of budget. */
      readonly undecided: readonly string[]
    } & Figures)

/** `budget` is in states; a hundred an operation are plenty for histories of traces. */
export function checkLinearizable<State, In, Out>(
  model: Model<State, In, Out>,
  operations: readonly Operation<In, Out>[],
  { budget }: { readonly budget: number },
): Linearizability<In, Out> {
  if (!Number.isSafeInteger(budget) || budget < 1) {
    throw new RangeError(`budget: expected a whole number of states from 1, got ${budget}`)
  }
  for (const { callUs, outcome, client } of operations) {
    if (outcome.kind === 'unknown' || outcome.returnUs >= callUs) continue
    throw new RangeError(
      `an operation of ${client} returns at ${outcome.returnUs} µs, before its call at ${callUs} µs`,
    )
  }
  const byResource = groupedBy(operations, ({ resource }) => resource)
  const undecided: string[] = []
  const figures = { operations: operations.length, resources: byResource.size }
  let states = 0
  let waiting = byResource.size
  for (const [resource, own] of byResource) {
    const share = Math.floor((budget - states) / waiting)
    waiting -= 1
    const search = searchOrder(model, own, share)
    states += search.steps
    if (search.kind === 'out-of-budget') undecided.push(resource)
    if (search.kind !== 'none') continue
    const { prefix } = search
    const stuck = firstToReturn(own, prefix)
    return {
      kind: 'violated',
      ...figures,
      states,
      resource,
      prefix,
      stuck,
      counterExample: told(model, resource, own.length, prefix, search.states, stuck),
    }
  }
  if (operations.length === 0 || undecided.length > 0) {
    const why = undecided.length > 0 ? 'budget' : 'no-operations'
    return { kind: 'not-decided', why, undecided, ...figures, states }
  }
  return { kind: 'linearizable', ...figures, states }
}

/** Of the operations that are in no order yet, the one that nothing may be put off behind. */
function firstToReturn<In, Out>(
  own: readonly Operation<In, Out>[],
  prefix: readonly Operation<In, Out>[],
): Operation<In, Out> {
  const placed = new Set(prefix)
  const rest = own.filter((each) => each.outcome.kind === 'known' && !placed.has(each))
  return rest.reduce((a, b) => (returnUs(b) < returnUs(a) ? b : a))
}

function returnUs<In, Out>({ outcome }: Operation<In, Out>): number {
  return outcome.kind === 'known' ? outcome.returnUs : Number.POSITIVE_INFINITY
}

function told<State, In, Out>(
  model: Model<State, In, Out>,
  resource: string,
  total: number,
  prefix: readonly Operation<In, Out>[],
  states: readonly State[],
  stuck: Operation<In, Out>,
): readonly [string, string, string, string] {
  const last = prefix.at(-1)
  const described = [...new Set(states.map((state) => model.describeState(state)))]
  return [
    `${resource}: ${prefix.length} of ${count(total, 'operation')} fit into one order as of a ${model.name}`,
    last ? `the last of them   ${timed(model, last)}` : 'none of them can come first',
    `after it           ${described.join(', or ')}`,
    `which forbids      ${timed(model, stuck)}`,
  ]
}

function timed<State, In, Out>(
  model: Model<State, In, Out>,
  operation: Operation<In, Out>,
): string {
  const { callUs, outcome } = operation
  const until = outcome.kind === 'known' ? `to ${sec(outcome.returnUs)}` : 'on'
  return `${model.describe(operation)} (${sec(callUs)} ${until})`
}
