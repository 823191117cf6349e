/**
 * A lease: granted to one owner at a time, with a token larger than all before, until it lapses.
 *
 * A lease lapses by itself one TTL after the instant of its grant or last renewal. That instant is only
 * known to lie in a window, so the lapse has one too: before it the lease is there, after it the lease
 * is gone, and in between both may be. Windows are taken wide where an order leaves them open: the
 * model never calls a correct lease wrong. Servers count in whole milliseconds, which is added on both
 * sides. A grant whose answer was lost has a token that nobody knows until its owner shows it.
 */

import { sec } from '../../words.ts'
import type { Model, Window } from '../operation.ts'

export type LeaseInput =
  | { readonly kind: 'acquire'; readonly owner: string; readonly ttlUs: number }
  | {
      readonly kind: 'renew'
      readonly owner: string
      readonly token: number
      readonly ttlUs: number
    }
  | { readonly kind: 'release'; readonly owner: string; readonly token: number }
  | { readonly kind: 'read' }

export type LeaseOutput =
  | { readonly kind: 'granted'; readonly token: number }
  | { readonly kind: 'taken' }
  | { readonly kind: 'ok' }
  | { readonly kind: 'lost' }
  /** What a read shows; null for a free lease. */
  | { readonly kind: 'shown'; readonly lease: { owner: string; token: number } | null }

export interface LeaseState {
  readonly highest: number
  readonly held: Held | null
}

interface Held {
  readonly owner: string
  /** Null while nobody knows it. */
  readonly token: number | null
  readonly lapsesFromUs: number
  readonly lapsedByUs: number
}

const GRANULARITY_US = 1000

export const leaseModel: Model<LeaseState, LeaseInput, LeaseOutput> = {
  name: 'lease',
  initial: { highest: 0, held: null },
  step(before, input, output, window) {
    return possible(before, window).flatMap((state) => answered(state, input, output, window))
  },
  stepUnknown(before, input, window) {
    return possible(before, window).flatMap((state) => changed(state, input, window))
  },
  key({ highest, held }) {
    if (!held) return `${highest}`
    return `${highest} ${held.owner} ${held.token} ${held.lapsesFromUs} ${held.lapsedByUs}`
  },
  describe({ client, input, outcome }) {
    const asked = {
      acquire: 'asks for the lease',
      renew: `renews with token ${'token' in input ? input.token : ''}`,
      release: `releases with token ${'token' in input ? input.token : ''}`,
      read: 'looks at the lease',
    }[input.kind]
    return `${client} ${asked}: ${outcome.kind === 'known' ? said(outcome.output) : 'no answer'}`
  },
  describeState({ held, highest }) {
    if (!held) return `the lease is free, the highest token ${highest}`
    const { owner, token, lapsesFromUs, lapsedByUs } = held
    return `${owner} holds it with ${token === null ? 'an unknown token' : `token ${token}`}, ${lapse(lapsesFromUs, lapsedByUs)}`
  },
}

/** The state as it can be in the window: a lease may have lapsed, or must have. */
function possible(state: LeaseState, window: Window): readonly LeaseState[] {
  const { held, highest } = state
  if (!held || window.latestUs <= held.lapsesFromUs) return [state]
  const free = { highest, held: null }
  return window.earliestUs > held.lapsedByUs ? [free] : [state, free]
}

function answered(
  state: LeaseState,
  input: LeaseInput,
  output: LeaseOutput,
  window: Window,
): readonly LeaseState[] {
  const { held, highest } = state
  switch (input.kind) {
    case 'acquire':
      if (output.kind === 'taken') return held ? [state] : []
      if (output.kind !== 'granted' || held || output.token <= highest) return []
      return [grantedTo(input.owner, output.token, output.token, input.ttlUs, window)]
    case 'renew':
    case 'release': {
      const own = shownToken(state, input.owner, input.token)
      // Whose token is unknown may be this one or another.
      if (output.kind === 'lost') return own === null || held?.token === null ? [state] : []
      if (output.kind !== 'ok' || own === null) return []
      if (input.kind === 'release') return [{ highest: own.highest, held: null }]
      return [grantedTo(input.owner, input.token, own.highest, input.ttlUs, window)]
    }
    case 'read': {
      if (output.kind !== 'shown') return []
      const { lease } = output
      if (lease === null) return held ? [] : [state]
      const own = shownToken(state, lease.owner, lease.token)
      return own ? [own] : []
    }
  }
}

/** What an operation without an answer can have changed. */
function changed(state: LeaseState, input: LeaseInput, window: Window): readonly LeaseState[] {
  if (input.kind === 'read') return []
  if (input.kind === 'acquire') {
    if (state.held) return []
    return [grantedTo(input.owner, null, state.highest, input.ttlUs, window)]
  }
  return answered(state, input, { kind: 'ok' }, window)
}

/** The state if this owner holds the lease and its token is this one; null if it is not. */
function shownToken(state: LeaseState, owner: string, token: number): LeaseState | null {
  const { held, highest } = state
  if (held?.owner !== owner) return null
  if (held.token !== null) return held.token === token ? state : null
  return token > highest ? { highest: token, held: { ...held, token } } : null
}

function grantedTo(
  owner: string,
  token: number | null,
  highest: number,
  ttlUs: number,
  { earliestUs, latestUs }: Window,
): LeaseState {
  const lapsesFromUs = earliestUs + ttlUs - GRANULARITY_US
  const lapsedByUs = latestUs + ttlUs + GRANULARITY_US
  return { highest, held: { owner, token, lapsesFromUs, lapsedByUs } }
}

function said(output: LeaseOutput): string {
  switch (output.kind) {
    case 'granted':
      return `granted with token ${output.token}`
    case 'taken':
      return 'somebody has it'
    case 'shown':
      return output.lease ? `${output.lease.owner} with token ${output.lease.token}` : 'free'
    default:
      return output.kind
  }
}

function lapse(fromUs: number, byUs: number): string {
  if (fromUs === Number.POSITIVE_INFINITY) return 'for ever'
  const by = Number.isFinite(byUs) ? ` and by ${sec(byUs)} at the latest` : ''
  return `to lapse not before ${sec(fromUs)}${by}`
}
