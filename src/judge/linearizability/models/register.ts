/**
 * A register: one value that is read, written, or swapped if it is as expected.
 */

import type { Model } from '../operation.ts'

export type RegisterInput =
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly value: string }
  | { readonly kind: 'swap'; readonly expected: string | null; readonly value: string }

export type RegisterOutput =
  /** Null: nothing was ever written. */
  | { readonly kind: 'value'; readonly value: string | null }
  | { readonly kind: 'written' }
  | { readonly kind: 'swapped'; readonly done: boolean }

type State = string | null

export const registerModel: Model<State, RegisterInput, RegisterOutput> = {
  name: 'register',
  initial: null,
  step(state, input, output) {
    switch (input.kind) {
      case 'read':
        return output.kind === 'value' && output.value === state ? [state] : []
      case 'write':
        return output.kind === 'written' ? [input.value] : []
      case 'swap': {
        const fits = state === input.expected
        if (output.kind !== 'swapped' || output.done !== fits) return []
        return [fits ? input.value : state]
      }
    }
  },
  stepUnknown(state, input) {
    if (input.kind === 'read') return []
    if (input.kind === 'swap' && input.expected !== state) return []
    return [input.value]
  },
  key: (state) => JSON.stringify(state),
  describe({ client, input, outcome }) {
    const output = outcome.kind === 'known' ? outcome.output : null
    const asked = {
      read: 'reads',
      write: `writes ${'value' in input ? input.value : ''}`,
      swap: `swaps ${input.kind === 'swap' ? `${input.expected ?? 'nothing'} for ${input.value}` : ''}`,
    }[input.kind]
    if (!output) return `${client} ${asked}: no answer`
    if (output.kind === 'value') return `${client} ${asked}: ${output.value ?? 'nothing'}`
    const done = output.kind === 'written' || output.done
    return `${client} ${asked}: ${done ? 'done' : 'not as expected'}`
  },
  describeState: (state) => (state === null ? 'nothing is stored' : `${state} is stored`),
}
