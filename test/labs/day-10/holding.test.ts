import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Holding, LeaseLost } from '../../../labs/agent-30days/day-10-sharding-lease/app/holding.ts'

const RULES = { leaseTtlMs: 30_000, renewMs: 10_000, selfStop: true }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a holding', () => {
  const holding = (rules = RULES) => new Holding(131, 7, performance.now(), rules)

  it('may act for two thirds of the TTL after its last good renewal was sent', () => {
    const held = holding()
    vi.advanceTimersByTime(20_000)
    expect(held.mayAct()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(held.mayAct()).toBe(false)
    expect(held.stopReason()).toBe('two thirds of the ttl')
  })

  it('never doubts with self-stop off', () => {
    const held = holding({ ...RULES, selfStop: false })
    held.renewalFailed(10_000)
    held.renewalFailed(20_000)
    vi.advanceTimersByTime(60_000)
    expect(held.mayAct()).toBe(true)
  })

  it('stops its effects before it ends, and ends once', async () => {
    const held = holding()
    const sleeping = held.sleep(1000)
    held.stopEffects()
    await expect(sleeping).rejects.toBeInstanceOf(LeaseLost)
    expect(held.ended).toBe(false)
    expect(held.mayAct()).toBe(false)
    expect(held.end()).toBe(true)
    expect(held.end()).toBe(false)
  })

  it('wakes a sleeper at its time and none that sleeps after the end', async () => {
    const held = holding()
    const sleeping = held.sleep(1000)
    await vi.advanceTimersByTimeAsync(1000)
    await expect(sleeping).resolves.toBeUndefined()
    held.end()
    await expect(held.sleep(1)).rejects.toBeInstanceOf(LeaseLost)
  })

  it('does one job after the other and is idle only between them', async () => {
    const held = holding()
    const done: number[] = []
    expect(held.idle).toBe(true)
    const jobs = [30, 10].map((ms, i) =>
      held.enqueue(async () => {
        await held.sleep(ms)
        done.push(i)
      }),
    )
    expect(held.idle).toBe(false)
    await vi.advanceTimersByTimeAsync(30)
    expect(done).toEqual([0])
    expect(held.idle).toBe(false)
    await vi.advanceTimersByTimeAsync(10)
    await Promise.all(jobs)
    expect(done).toEqual([0, 1])
    expect(held.idle).toBe(true)
  })
})
