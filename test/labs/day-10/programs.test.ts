/** The pure parts of the given programs: settings, rules of self-stop, contracts, parsing. */

import { describe, expect, it } from 'vitest'
import {
  handleTimeMs,
  shareOf,
  workerConfig,
} from '../../../labs/agent-30days/day-10-sharding-lease/app/config.ts'
import {
  checkAllHandled,
  checkAppend,
  checkClaim,
  checkInserted,
  checkRenewal,
  checkShard,
} from '../../../labs/agent-30days/day-10-sharding-lease/app/contract.ts'
import { parseEntries } from '../../../labs/agent-30days/day-10-sharding-lease/app/entries.ts'
import {
  claimedAt,
  failed,
  renewed,
  stopReason,
} from '../../../labs/agent-30days/day-10-sharding-lease/app/self-stop.ts'
import { isSlip } from '../../../labs/agent-30days/shared/slip.ts'

const TTL_MS = 30_000
const RENEW_MS = 10_000

describe('self-stop', () => {
  const failing = (...attempts: number[]) =>
    attempts.reduce((state, at) => failed(state, at, RENEW_MS), claimedAt(0))
  const reason = (state: ReturnType<typeof claimedAt>, nowMs: number) =>
    stopReason(state, nowMs, TTL_MS)

  it('one failed renewal stops nobody', () => {
    expect(reason(failing(10_000), 10_001)).toBeNull()
  })

  it('two failures within an interval count as one', () => {
    expect(reason(failing(10_000, 10_001, 10_002), 10_003)).toBeNull()
  })

  it('the second failure an interval later stops', () => {
    expect(reason(failing(10_000, 20_000), 20_000)).toBe('two failed renewals')
  })

  it('a failure, a success and a failure are not two in a row', () => {
    const state = failed(renewed(failing(10_000), 20_000), 30_000, RENEW_MS)
    expect(reason(state, 30_001)).toBeNull()
  })

  it('exactly two thirds of the TTL are allowed, a millisecond more is not', () => {
    expect(reason(claimedAt(1000), 21_000)).toBeNull()
    expect(reason(claimedAt(1000), 21_001)).toBe('two thirds of the ttl')
  })

  it('a success counts from its sending, and a late one does not turn the clock back', () => {
    expect(renewed(claimedAt(5000), 4000).lastGoodSentAtMs).toBe(5000)
  })
})

describe('settings', () => {
  const env = { WORKER_ID: 'a', REDIS_URL: 'redis://x' }

  it('the remainder is spread: three workers take 86, 85 and 85 of 256', () => {
    expect([0, 1, 2].map((index) => shareOf(256, 3, index))).toEqual([86, 85, 85])
  })

  it('without a place among them, no shard is left over', () => {
    expect(shareOf(256, 3, null) * 3).toBeGreaterThanOrEqual(256)
    expect(shareOf(256, 2, null)).toBe(128)
  })

  it('have the stated defaults', () => {
    expect(workerConfig(env)).toMatchObject({
      leaseTtlMs: 30_000,
      renewMs: 10_000,
      sweepMs: 5000,
      selfStop: true,
      shards: null,
    })
  })

  it.each([
    [{ WORKERS: 'two' }, /WORKERS: expected a whole number from 1, got 'two'/],
    [{ SELF_STOP: 'no' }, /SELF_STOP: expected on or off, got 'no'/],
    [{ SHARDS: '1,,2' }, /SHARDS: expected whole numbers/],
    [{ RENEW_MS: '20000' }, /RENEW_MS: expected at most half of LEASE_TTL_MS/],
    [{ WORKER_ID: '' }, /WORKER_ID: expected a value/],
  ])('refuse %o with name, expectation and what came', (bad, message) => {
    expect(() => workerConfig({ ...env, ...bad })).toThrow(message)
  })

  it('handling times go by seq, the last one holds for all after it', () => {
    expect([1, 2, 3, 9].map((seq) => handleTimeMs([5, 7, 9], seq))).toEqual([5, 7, 9, 9])
  })
})

describe('contracts', () => {
  it('let right answers through', () => {
    expect(checkShard(255, 256, 'u')).toBe(255)
    expect(checkClaim({ token: 3 })).toEqual({ token: 3 })
    expect(checkClaim(null)).toBeNull()
    expect(checkRenewal(0)).toBe(0)
    expect(checkAppend({ kind: 'refused', highestToken: 2 }, 0, 2)).toBe('refused')
    expect(() => checkAllHandled(2, 2)).not.toThrow()
  })

  it.each([
    ['shard.ts', () => checkShard(256, 256, 'u-1')],
    ['shard.ts', () => checkShard(Number.NaN, 256, 'u-1')],
    ['shard.ts', () => checkShard(Promise.resolve(1), 256, 'u-1')],
    ['lease.ts', () => checkClaim(undefined)],
    ['lease.ts', () => checkClaim('OK')],
    ['lease.ts', () => checkClaim({ token: '3' })],
    ['renew.ts', () => checkRenewal(true)],
    ['renew.ts', () => checkRenewal(undefined)],
    ['store.ts', () => checkAppend(undefined, 0, 2)],
    ['store.ts', () => checkAppend({ kind: 'refused' }, 1, 2)],
    ['store.ts', () => checkAppend({ kind: 'accepted' }, 0, 2)],
    ['store.ts', () => checkAppend({ kind: 'refused' }, 0, 2)],
    ['store.ts', () => checkAppend({ kind: 'refused', highestToken: 9 }, 0, 2)],
    ['store.ts', () => checkInserted({ seq: 1, token: 0 }, { seq: 1, token: 5 })],
    ['worker.ts', () => checkAllHandled(1, 2)],
  ])('%s: a wrong answer names the file, what was expected and what came', (file, check) => {
    expect(check).toThrow(new RegExp(`^${file}: .*expected .*, got .*\\. \\w`))
  })

  it('weather is no slip, a TypeError is', () => {
    expect(isSlip(new Error('Connection is closed.'))).toBe(false)
    expect(isSlip(new TypeError('x is not a function'))).toBe(true)
  })
})

describe('stream entries', () => {
  it('a message is read with its fields in any order', () => {
    const fields = ['text', 'hi', 'seq', '2', 'userId', 'u', 'runId', 'r']
    const parsed = parseEntries([['1-0', fields]])
    expect(parsed.entries).toEqual([{ id: '1-0', runId: 'r', seq: 2, userId: 'u', text: 'hi' }])
  })

  it('what is no message is reported by id and does not stop the others', () => {
    const good = ['runId', 'r', 'seq', '1', 'userId', 'u', 'text', '']
    const { entries, malformed } = parseEntries([
      ['1-0', ['seq', 'one']],
      ['2-0', null],
      ['3-0', good],
    ])
    expect(malformed).toEqual(['1-0', '2-0'])
    expect(entries.map(({ id }) => id)).toEqual(['3-0'])
  })
})
