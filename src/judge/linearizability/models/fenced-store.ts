/**
 * A fenced store: appends messages, each once, and refuses tokens below the highest that it knows.
 *
 * Every call with a token that is not refused makes it known, a duplicate's too.
 */

import type { Model } from '../operation.ts'

export type StoreInput =
  | { readonly kind: 'plant'; readonly token: number }
  /** `message` names it: conversation and place. */
  | { readonly kind: 'append'; readonly token: number; readonly message: string }

export type StoreOutput = 'accepted' | 'duplicate' | 'refused'

export interface StoreState {
  readonly highest: number
  readonly messages: ReadonlySet<string>
}

export const fencedStoreModel: Model<StoreState, StoreInput, StoreOutput> = {
  name: 'fenced store',
  initial: { highest: 0, messages: new Set() },
  step(state, input, output) {
    const { highest, messages } = state
    const stale = input.token < highest
    if (output === 'refused') return stale ? [state] : []
    if (stale) return []
    const raised = { highest: input.token, messages }
    if (input.kind === 'plant') return output === 'accepted' ? [raised] : []
    const known = messages.has(input.message)
    if (known !== (output === 'duplicate')) return []
    return [known ? raised : { ...raised, messages: new Set(messages).add(input.message) }]
  },
  stepUnknown(state, input) {
    const { highest, messages } = state
    if (input.token < highest) return []
    if (input.kind === 'append' && !messages.has(input.message)) {
      return [{ highest: input.token, messages: new Set(messages).add(input.message) }]
    }
    return input.token > highest ? [{ highest: input.token, messages }] : []
  },
  key: ({ highest, messages }) => `${highest} ${[...messages].sort().join('\n')}`,
  describe({ client, input, outcome }) {
    const asked =
      input.kind === 'plant'
        ? `plants token ${input.token}`
        : `appends ${input.message} with token ${input.token}`
    return `${client} ${asked}: ${outcome.kind === 'known' ? outcome.output : 'no answer'}`
  },
  describeState: ({ highest, messages }) =>
    `the store knows token ${highest} and ${messages.size === 1 ? '1 message' : `${messages.size} messages`}`,
}
