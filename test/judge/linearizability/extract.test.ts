import { describe, expect, it } from 'vitest'
import { checkLinearizable } from '../../../src/judge/linearizability/check.ts'
import { leaseOperations, storeOperations } from '../../../src/judge/linearizability/extract.ts'
import { fencedStoreModel } from '../../../src/judge/linearizability/models/fenced-store.ts'
import { leaseModel } from '../../../src/judge/linearizability/models/lease.ts'
import { History } from '../../../src/trace/history.ts'
import { A, B, SETTING, Story } from '../story.ts'

const KEY = 'lease:131'
const TTL = '30000'
const BUDGET = { budget: 10_000 }
const leases = (story: Story) =>
  leaseOperations(new History(story.events), SETTING.leases!, SETTING.messages)
const stored = (story: Story) => storeOperations(new History(story.events), SETTING.store!)
const said = (story: Story) =>
  leases(story).operations.map((operation) => leaseModel.describe(operation))

describe('operations of leases', () => {
  it('a script is told by what it did: claims, renewals, releases', () => {
    const story = new Story().grant(A, 41).at(1000).renew(A, `${A}|41`).at(2000).release(A)
    expect(said(story)).toEqual([
      'worker-a asks for the lease: granted with token 41',
      'worker-a renews with token 41: ok',
      'worker-a releases with token 41: ok',
    ])
    expect(leases(story).unread).toBe(0)
  })

  it('one that did nothing by what it was given and what it answered', () => {
    const story = new Story()
      .grant(A, 41)
      .redis(B, ['EVAL', 'claim', '1', KEY, B, TTL], 0)
      .redis(A, ['EVAL', 'renew', '1', KEY, `${A}|40`, TTL], 0)
      .redis(B, ['SET', KEY, `${B}|42`, 'NX', 'PX', TTL], null)
      .redis(B, ['GET', KEY], `${A}|41`)
      .redis(B, ['PEXPIRE', 'lease:7', TTL], 0)
    expect(said(story).slice(1)).toEqual([
      'worker-b asks for the lease: somebody has it',
      'worker-a renews with token 40: lost',
      'worker-b asks for the lease: somebody has it',
      'worker-b looks at the lease: worker-a with token 41',
      'worker-b renews with token 0: lost',
    ])
  })

  it('a bare command is taken to be meant for the last lease of its sender', () => {
    const expire = { op: 'expire', key: KEY, expireAtMs: 62_000 } as const
    const story = new Story().grant(A, 41).at(31_000).grant(B, 42).at(32_000)
    story.redis(A, ['PEXPIRE', KEY, TTL], 1, expire)
    expect(said(story).at(-1)).toBe('worker-a renews with token 41: ok')
  })

  it('a guarded acknowledgement has seen the lease', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).acknowledge(A, 1, 41)
    expect(said(story).at(-1)).toBe('worker-a looks at the lease: worker-a with token 41')
  })

  it('what tells nothing is counted', () => {
    const story = new Story().redis(A, ['EVAL', 'x', '1', KEY, A], { error: 'ERR' })
    expect(leases(story)).toEqual({ operations: [], unread: 1 })
  })

  it('a lease that is renewed by a replaced holder is not linearizable', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(B, 42).at(32_000).renew(A, `${A}|41`)
    const verdict = checkLinearizable(leaseModel, leases(story).operations, BUDGET)
    if (verdict.kind !== 'violated') throw new Error(verdict.kind)
    expect(verdict.counterExample[3]).toBe(
      'which forbids      worker-a renews with token 41: ok (32.0 s to 32.0 s)',
    )
  })
})

describe('a lease without an end', () => {
  it('never lapses for the model either', () => {
    const story = new Story().grant(A, 41, null).at(900_000).grant(B, 42)
    const verdict = checkLinearizable(leaseModel, leases(story).operations, BUDGET)
    if (verdict.kind !== 'violated') throw new Error(verdict.kind)
    expect(verdict.counterExample[2]).toBe(
      'after it           worker-a holds it with token 41, for ever',
    )
  })
})

describe('operations of a store', () => {
  it('are plants and appends, with what the rows tell', () => {
    const story = new Story().plant(A, 41).write(A, 41, 1).write(A, 40, 2, 'refused')
    expect(stored(story).map((operation) => fencedStoreModel.describe(operation))).toEqual([
      'worker-a plants token 41: accepted',
      'worker-a appends run-u-1 message 1 with token 41: accepted',
      'worker-a appends run-u-1 message 2 with token 40: refused',
    ])
  })

  it('a request without an answer, or with an error, has an unknown outcome', () => {
    const row = { shard: 131, token: 41, run: 'run-u-1', seq: 1 }
    const story = new Story()
      .post(A, 'store', '/messages', row)
      .post(A, 'store', '/messages', row, 500)
    expect(stored(story).map(({ outcome }) => outcome.kind)).toEqual(['unknown', 'unknown'])
  })

  it('a stale write that was accepted is not linearizable', () => {
    const story = new Story().plant(B, 42).at(1000).write(A, 41, 1)
    expect(checkLinearizable(fencedStoreModel, stored(story), BUDGET).kind).toBe('violated')
  })
})
