/** A round of renewals: what each answer, each silence and each late answer means. */

import type { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { workerConfig } from '../../../labs/agent-30days/day-10-sharding-lease/app/config.ts'
import { Holding } from '../../../labs/agent-30days/day-10-sharding-lease/app/holding.ts'
import { renewAll } from '../../../labs/agent-30days/day-10-sharding-lease/app/renewals.ts'

const CONFIG = workerConfig({ WORKER_ID: 'a', REDIS_URL: 'redis://x' })

/** A Redis whose answers to EVAL are given by hand. */
function fakeRedis() {
  const calls: { answer: (value: unknown) => void; fail: (error: Error) => void }[] = []
  const evaluate = () =>
    new Promise((answer, fail) => {
      calls.push({ answer, fail })
    })
  return { redis: { eval: evaluate } as unknown as Redis, calls }
}

function start() {
  const { redis, calls } = fakeRedis()
  const holding = new Holding(131, 7, performance.now(), CONFIG)
  const lost: string[] = []
  const round = () =>
    renewAll(redis, CONFIG, holding.ended ? [] : [holding], (each, reason) => {
      each.end()
      lost.push(reason)
    })
  return { calls, holding, lost, round }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('renewals', () => {
  it('a 1 counts from the sending', async () => {
    const { calls, holding, round } = start()
    vi.advanceTimersByTime(10_000)
    round()
    await vi.advanceTimersByTimeAsync(3000)
    calls[0]?.answer(1)
    await vi.advanceTimersByTimeAsync(17_000)
    expect(holding.mayAct()).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(holding.mayAct()).toBe(false)
  })

  it('a 0 is a loss at once', async () => {
    const { calls, lost, round } = start()
    round()
    calls[0]?.answer(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(lost).toEqual(['renewal refused'])
  })

  it('a 0 that comes after the call’s time is a loss all the same', async () => {
    const { calls, lost, round } = start()
    round()
    await vi.advanceTimersByTimeAsync(9000)
    expect(lost).toEqual([])
    calls[0]?.answer(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(lost).toEqual(['renewal refused'])
  })

  it('an error is no loss, and two of them an interval apart stop the holder', async () => {
    const { calls, holding, lost, round } = start()
    for (const n of [0, 1]) {
      expect(holding.mayAct()).toBe(true)
      await vi.advanceTimersByTimeAsync(CONFIG.renewMs)
      round()
      calls[n]?.fail(new Error('Connection is closed.'))
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(lost).toEqual([])
    expect(holding.stopReason()).toBe('two failed renewals')
  })

  it('behind one that is unanswered no second one is sent; it counts as failed', async () => {
    const { calls, holding, round } = start()
    vi.advanceTimersByTime(1)
    round()
    await vi.advanceTimersByTimeAsync(CONFIG.renewMs)
    round()
    expect(calls).toHaveLength(1)
    expect(holding.stopReason()).toBe('two failed renewals')
  })

  it('a 1 that comes late ends the row of failures', async () => {
    const { calls, holding, round } = start()
    vi.advanceTimersByTime(1)
    round()
    await vi.advanceTimersByTimeAsync(CONFIG.callTimeoutMs)
    calls[0]?.answer(1)
    await vi.advanceTimersByTimeAsync(CONFIG.renewMs - CONFIG.callTimeoutMs)
    round()
    await vi.advanceTimersByTimeAsync(CONFIG.callTimeoutMs)
    expect(holding.stopReason()).toBeNull()
  })
})
