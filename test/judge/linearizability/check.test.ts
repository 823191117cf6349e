/** Histories of operations written by hand: those that fit into an order, and those that do not. */

import { describe, expect, it } from 'vitest'
import { checkLinearizable } from '../../../src/judge/linearizability/check.ts'
import {
  fencedStoreModel,
  type StoreInput,
  type StoreOutput,
} from '../../../src/judge/linearizability/models/fenced-store.ts'
import {
  type LeaseInput,
  type LeaseOutput,
  leaseModel,
} from '../../../src/judge/linearizability/models/lease.ts'
import {
  type RegisterInput,
  type RegisterOutput,
  registerModel,
} from '../../../src/judge/linearizability/models/register.ts'
import type { Model, Operation } from '../../../src/judge/linearizability/operation.ts'

const BUDGET = { budget: 10_000 }

/** `[client, input, output, call ms, return ms]`; without an output nobody knows the outcome. */
type Line<In, Out> = readonly [string, In, Out | null, number, number?]

function history<In, Out>(lines: readonly Line<In, Out>[]): readonly Operation<In, Out>[] {
  return lines.map(([client, input, output, callMs, returnMs = callMs]) => ({
    client,
    resource: '131',
    input,
    callUs: callMs * 1000,
    outcome:
      output === null ? { kind: 'unknown' } : { kind: 'known', output, returnUs: returnMs * 1000 },
  }))
}

const verdict = <S, In, Out>(model: Model<S, In, Out>, lines: readonly Line<In, Out>[]) =>
  checkLinearizable(model, history(lines), BUDGET)

describe('a register', () => {
  type R = Line<RegisterInput, RegisterOutput>
  const write = (client: string, value: string, from: number, to: number): R => [
    client,
    { kind: 'write', value },
    { kind: 'written' },
    from,
    to,
  ]
  const lost = (client: string, value: string, from: number): R => [
    client,
    { kind: 'write', value },
    null,
    from,
  ]
  const read = (client: string, value: string | null, from: number, to: number): R => [
    client,
    { kind: 'read' },
    { kind: 'value', value },
    from,
    to,
  ]
  const swap = (client: string, expected: string, value: string, done: boolean, at: number): R => [
    client,
    { kind: 'swap', expected, value },
    { kind: 'swapped', done },
    at,
    at + 1,
  ]
  const kind = (lines: readonly R[]) => verdict(registerModel, lines).kind

  it.each<[string, readonly R[]]>([
    ['one after the other', [write('a', '1', 0, 1), read('b', '1', 2, 3)]],
    ['a read beside a write sees the old value', [write('a', '1', 0, 9), read('b', null, 1, 2)]],
    ['or the new one', [write('a', '1', 0, 9), read('b', '1', 1, 2)]],
    [
      'two writes side by side in either order',
      [
        write('a', '1', 0, 9),
        write('b', '2', 0, 9),
        read('c', '1', 10, 11),
        read('c', '1', 12, 13),
      ],
    ],
    ['an unknown write that took effect', [lost('a', '1', 0), read('b', '1', 5, 6)]],
    ['an unknown write that never did', [lost('a', '1', 0), read('b', null, 5, 6)]],
    [
      'an unknown write that took effect late',
      [lost('a', '1', 0), read('b', null, 5, 6), read('b', '1', 7, 8)],
    ],
    [
      'a swap as expected, then one that is not',
      [
        write('a', '1', 0, 1),
        swap('a', '1', '2', true, 2),
        swap('b', '1', '3', false, 4),
        read('b', '2', 6, 7),
      ],
    ],
  ])('is linearizable: %s', (_, lines) => {
    expect(kind(lines)).toBe('linearizable')
  })

  it.each<[string, readonly R[]]>([
    ['a stale read', [write('a', '1', 0, 1), write('a', '2', 2, 3), read('b', '1', 4, 5)]],
    ['a value from nowhere', [read('b', '1', 0, 1)]],
    ['new, then old', [write('a', '1', 0, 9), read('b', '1', 1, 2), read('c', null, 3, 4)]],
    [
      'two readers that disagree about the order of two writes',
      [
        write('a', '1', 0, 9),
        write('b', '2', 0, 9),
        read('c', '1', 10, 11),
        read('d', '2', 12, 13),
      ],
    ],
    [
      'a lost update: both swaps succeed',
      [write('a', '1', 0, 1), swap('a', '1', '2', true, 2), swap('b', '1', '3', true, 4)],
    ],
    ['an unknown write before its call', [read('b', '1', 0, 1), lost('a', '1', 2)]],
    [
      'an unknown write that takes effect twice',
      [lost('a', '1', 0), read('b', '1', 1, 2), write('b', '2', 3, 4), read('b', '1', 5, 6)],
    ],
  ])('is violated: %s', (_, lines) => {
    expect(kind(lines)).toBe('violated')
  })

  it('the order of the lines does not matter, only their times', () => {
    const lines = [write('a', '1', 0, 1), write('a', '2', 2, 3), read('b', '2', 4, 5)]
    expect(kind(lines.toReversed())).toBe('linearizable')
  })
})

describe('a lease', () => {
  type L = Line<LeaseInput, LeaseOutput>
  const ttlUs = 30_000_000
  const acquire = (owner: string, token: number | null, from: number, to?: number): L => [
    owner,
    { kind: 'acquire', owner, ttlUs },
    token === null ? { kind: 'taken' } : { kind: 'granted', token },
    from,
    to,
  ]
  const renew = (
    owner: string,
    token: number,
    kind: 'ok' | 'lost',
    from: number,
    to?: number,
  ): L => [owner, { kind: 'renew', owner, token, ttlUs }, { kind }, from, to]
  const release = (owner: string, token: number, kind: 'ok' | 'lost', from: number): L => [
    owner,
    { kind: 'release', owner, token },
    { kind },
    from,
  ]
  const unanswered = (owner: string, from: number): L => [
    owner,
    { kind: 'acquire', owner, ttlUs },
    null,
    from,
  ]
  const looks = (client: string, lease: { owner: string; token: number } | null, at: number): L => [
    client,
    { kind: 'read' },
    { kind: 'shown', lease },
    at,
  ]
  const kind = (lines: readonly L[]) => verdict(leaseModel, lines).kind

  it.each<[string, readonly L[]]>([
    [
      'granted, refused, given back, granted',
      [acquire('a', 1, 0), acquire('b', null, 10), release('a', 1, 'ok', 20), acquire('b', 2, 30)],
    ],
    ['it lapses after one TTL', [acquire('a', 1, 0), acquire('b', 2, 30_002)]],
    [
      'a renewal moves the lapse',
      [
        acquire('a', 1, 0),
        renew('a', 1, 'ok', 20_000),
        acquire('b', null, 45_000),
        acquire('b', 2, 50_002),
      ],
    ],
    ['at the edge it may be there or not', [acquire('a', 1, 0, 100), acquire('b', 2, 30_050)]],
    [
      'a renewal that overlaps the lapse may be too late',
      [acquire('a', 1, 0), renew('a', 1, 'lost', 29_000, 31_000)],
    ],
    [
      'an unanswered claim that won, with a token that shows later',
      [
        unanswered('a', 0),
        acquire('b', null, 10),
        renew('a', 5, 'ok', 20),
        looks('b', { owner: 'a', token: 5 }, 30),
      ],
    ],
    ['an unanswered claim that never won', [unanswered('a', 0), acquire('b', 1, 10)]],
    ['two claims side by side, one wins', [acquire('a', null, 0, 9), acquire('b', 1, 0, 9)]],
  ])('is linearizable: %s', (_, lines) => {
    expect(kind(lines)).toBe('linearizable')
  })

  it.each<[string, readonly L[]]>([
    ['two owners', [acquire('a', 1, 0), acquire('b', 2, 5000)]],
    ['two owners, claimed side by side', [acquire('a', 1, 0, 9), acquire('b', 2, 0, 9)]],
    ['refused although it has long lapsed', [acquire('a', 1, 0), acquire('b', null, 31_000)]],
    ['refused although nobody ever had it', [acquire('b', null, 5)]],
    ['renewed after it lapsed', [acquire('a', 1, 0), renew('a', 1, 'ok', 31_000)]],
    [
      'renewed by another',
      [acquire('a', 1, 0), acquire('b', 2, 31_000), renew('a', 1, 'ok', 32_000)],
    ],
    ['lost while it was there', [acquire('a', 1, 0), renew('a', 1, 'lost', 10_000)]],
    [
      'a token that does not rise',
      [acquire('a', 5, 0), release('a', 5, 'ok', 10), acquire('b', 5, 20)],
    ],
    ['released by another', [acquire('a', 1, 0), release('b', 9, 'ok', 10)]],
    [
      'an unanswered claim that won, and a second winner',
      [unanswered('a', 0), renew('a', 5, 'ok', 20), acquire('b', 6, 30)],
    ],
    ['shown to be free while it is held', [acquire('a', 1, 0), looks('b', null, 10)]],
  ])('is violated: %s', (_, lines) => {
    expect(kind(lines)).toBe('violated')
  })

  it('a counter-example is four lines in the words of leases', () => {
    const lines = [acquire('a', 41, 100), renew('a', 41, 'ok', 10_100), acquire('b', 42, 35_100)]
    const result = verdict(leaseModel, lines)
    if (result.kind !== 'violated') throw new Error(result.kind)
    expect(result.prefix).toHaveLength(2)
    expect(result.stuck.client).toBe('b')
    expect(result.counterExample).toEqual([
      '131: 2 of 3 operations fit into one order as of a lease',
      'the last of them   a renews with token 41: ok (10.1 s to 10.1 s)',
      'after it           a holds it with token 41, to lapse not before 40.099 s and by 40.101 s at the latest',
      'which forbids      b asks for the lease: granted with token 42 (35.1 s to 35.1 s)',
    ])
  })

  it('a counter-example says when nothing can come first', () => {
    const result = verdict(leaseModel, [renew('a', 1, 'ok', 0)])
    if (result.kind !== 'violated') throw new Error(result.kind)
    expect(result.counterExample[1]).toBe('none of them can come first')
  })
})

describe('a fenced store', () => {
  type S = Line<StoreInput, StoreOutput>
  const append = (
    token: number,
    n: number,
    output: StoreOutput | null,
    from: number,
    to?: number,
  ): S => [`holder-${token}`, { kind: 'append', token, message: `message ${n}` }, output, from, to]
  const plant = (token: number, output: StoreOutput, from: number, to?: number): S => [
    `holder-${token}`,
    { kind: 'plant', token },
    output,
    from,
    to,
  ]
  const kind = (lines: readonly S[]) => verdict(fencedStoreModel, lines).kind

  it.each<[string, readonly S[]]>([
    [
      'stale refused, equal accepted',
      [
        plant(42, 'accepted', 0),
        append(41, 1, 'refused', 1),
        append(42, 1, 'accepted', 2),
        append(42, 2, 'accepted', 3),
        append(43, 2, 'duplicate', 4),
      ],
    ],
    [
      'stale beside the plant may be first',
      [plant(42, 'accepted', 0, 9), append(41, 1, 'accepted', 1, 2)],
    ],
    [
      'an unanswered write, tried again: a duplicate',
      [append(41, 1, null, 0), append(41, 1, 'duplicate', 5)],
    ],
    [
      'an unanswered write, tried again: new',
      [append(41, 1, null, 0), append(41, 1, 'accepted', 5)],
    ],
    ['an unanswered write raises the token', [append(42, 1, null, 0), append(41, 2, 'refused', 5)]],
  ])('is linearizable: %s', (_, lines) => {
    expect(kind(lines)).toBe('linearizable')
  })

  it.each<[string, readonly S[]]>([
    ['a stale write is accepted', [append(42, 1, 'accepted', 0), append(41, 2, 'accepted', 5)]],
    ['a good write is refused', [plant(41, 'accepted', 0), append(42, 1, 'refused', 5)]],
    ['a message is written twice', [append(42, 1, 'accepted', 0), append(42, 1, 'accepted', 5)]],
    ['a duplicate of nothing', [append(42, 1, 'duplicate', 0)]],
    [
      'a duplicate forgets the token',
      [append(41, 1, 'accepted', 0), append(42, 1, 'duplicate', 5), append(41, 2, 'accepted', 9)],
    ],
    ['a stale plant is accepted', [plant(42, 'accepted', 0), plant(41, 'accepted', 5)]],
  ])('is violated: %s', (_, lines) => {
    expect(kind(lines)).toBe('violated')
  })
})

describe('verdicts', () => {
  const write = (n: number, resource: string): Operation<RegisterInput, RegisterOutput> => ({
    client: `c${n}`,
    resource,
    input: { kind: 'write', value: String(n) },
    callUs: 0,
    outcome: { kind: 'known', output: { kind: 'written' }, returnUs: 1000 },
  })
  const read = (
    value: string,
    resource: string,
    callUs: number,
  ): Operation<RegisterInput, RegisterOutput> => ({
    client: 'reader',
    resource,
    input: { kind: 'read' },
    callUs,
    outcome: { kind: 'known', output: { kind: 'value', value }, returnUs: callUs },
  })
  /** Side by side in all orders, and a read that none of them explains. */
  const knot = (resource: string) => [
    ...Array.from({ length: 9 }, (_, n) => write(n, resource)),
    read('other', resource, 2000),
  ]

  it('nothing to look at is not decided', () => {
    expect(checkLinearizable(registerModel, [], BUDGET)).toMatchObject({
      kind: 'not-decided',
      why: 'no-operations',
    })
  })

  it('a search that runs out of budget is not decided, with its figures', () => {
    expect(checkLinearizable(registerModel, knot('x'), { budget: 500 })).toEqual({
      kind: 'not-decided',
      why: 'budget',
      undecided: ['x'],
      operations: 10,
      resources: 1,
      states: 500,
    })
  })

  it('the same history costs the same, and a large enough budget decides it', () => {
    const [one, two] = [1, 2].map(() =>
      checkLinearizable(registerModel, knot('x'), { budget: 1e7 }),
    )
    expect(one).toMatchObject({ kind: 'violated', resource: 'x' })
    expect(one).toEqual(two)
  })

  it('a violation of one resource outweighs another that is not decided', () => {
    const operations = [...knot('x'), read('nowhere', 'y', 0)]
    expect(checkLinearizable(registerModel, operations, { budget: 500 })).toMatchObject({
      kind: 'violated',
      resource: 'y',
    })
  })

  it.each([
    ['a return before its call', [{ ...write(1, 'x'), callUs: 5000 }], 10],
    ['a budget of nothing', [write(1, 'x')], 0],
  ])('refuses %s', (_, operations, budget) => {
    expect(() => checkLinearizable(registerModel, operations, { budget })).toThrow(RangeError)
  })
})
