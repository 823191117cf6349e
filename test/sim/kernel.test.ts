import { describe, expect, test } from 'vitest'
import { Kernel, LeakError, type Owner } from '../../src/sim/kernel.ts'

function ownerNamed(name: string): Owner & { errors: unknown[] } {
  const errors: unknown[] = []
  return { name, gate: 'open', errors, uncaught: (error) => errors.push(error) }
}

const FOREVER_US = 1e12

describe('order', () => {
  test('events fire by time, then by the name of their origin, then by its counter', async () => {
    const kernel = new Kernel()
    const seen: string[] = []
    const put = (time: number, origin: string, what: string): void => {
      kernel.at(time, kernel.origin(origin), null, 'job', () => seen.push(`${kernel.now} ${what}`))
    }
    put(20, 'b', 'b1')
    put(10, 'b', 'b2')
    put(10, 'a', 'a1')
    put(10, 'a', 'a2')
    put(5, 'z', 'z1')
    expect(await kernel.run(FOREVER_US)).toEqual({ why: 'idle' })
    expect(seen).toEqual(['5 z1', '10 a1', '10 a2', '10 b2', '20 b1'])
  })

  test('an event more of one origin moves nothing of another', async () => {
    const orderOf = async (extra: boolean): Promise<string[]> => {
      const kernel = new Kernel()
      const seen: string[] = []
      if (extra) kernel.at(10, kernel.origin('m'), null, 'job', () => {})
      for (const name of ['z', 'a', 'z', 'a']) {
        kernel.at(10, kernel.origin(name), null, 'job', () => seen.push(name))
      }
      await kernel.run(FOREVER_US)
      return seen
    }
    expect(await orderOf(true)).toEqual(await orderOf(false))
  })

  test('10,000 random events come out sorted, also when half of them are cancelled', async () => {
    const kernel = new Kernel()
    const times: number[] = []
    let state = 7
    const events = Array.from({ length: 10_000 }, () => {
      state = (state * 48_271) % 2_147_483_647
      const time = state % 1000
      return kernel.at(time, kernel.origin('o'), null, 'job', () => times.push(kernel.now))
    })
    for (let k = 0; k < events.length; k += 2) kernel.cancel(events[k]!)
    expect(kernel.pending).toBe(5000)
    await kernel.run(FOREVER_US)
    expect(times).toHaveLength(5000)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('an event in the past fires now: time never goes back', async () => {
    const kernel = new Kernel()
    const seen: number[] = []
    kernel.at(50, kernel.origin('o'), null, 'job', () => {
      kernel.at(10, kernel.origin('o'), null, 'job', () => seen.push(kernel.now))
    })
    await kernel.run(FOREVER_US)
    expect(seen).toEqual([50])
  })
})

describe('drain', () => {
  test('everything that an event wakes runs dry before the next event', async () => {
    const kernel = new Kernel()
    const seen: string[] = []
    for (const name of ['first', 'second']) {
      kernel.at(10, kernel.origin('o'), null, 'job', async () => {
        for (let k = 0; k < 1000; k += 1) await null
        await new Promise<void>((resolve) => process.nextTick(resolve))
        queueMicrotask(() => process.nextTick(() => seen.push(`${name} at ${kernel.now}`)))
      })
    }
    kernel.at(11, kernel.origin('o'), null, 'job', () => seen.push('later'))
    await kernel.run(FOREVER_US)
    expect(seen).toEqual(['first at 10', 'second at 10', 'later'])
  })
})

describe('owners', () => {
  test('an effect during another process’s event is a LeakError that names both', async () => {
    const kernel = new Kernel()
    const [a, b] = [ownerNamed('worker-a'), ownerNamed('worker-b')]
    let thrown: unknown = null
    kernel.at(0, kernel.origin('o'), a, 'job', () => {
      kernel.assertCurrent(a, 'a timer')
      try {
        kernel.assertCurrent(b, 'a timer')
      } catch (error) {
        thrown = error
      }
    })
    await kernel.run(FOREVER_US)
    expect(thrown).toBeInstanceOf(LeakError)
    expect(String(thrown)).toContain('a timer of worker-b was made while worker-a was running')
    expect(() => kernel.assertCurrent(a, 'a byte')).toThrow('nothing of the world')
  })

  test('a leak ends the run with the present event, also when the error is caught', async () => {
    const kernel = new Kernel()
    const [a, b] = [ownerNamed('a'), ownerNamed('b')]
    const seen: string[] = []
    kernel.at(1, kernel.origin('o'), a, 'job', () => {
      try {
        kernel.assertCurrent(b, 'a timer')
      } catch {
        seen.push('caught')
      }
    })
    kernel.at(2, kernel.origin('o'), a, 'job', () => seen.push('never'))
    const end = await kernel.run(FOREVER_US)
    expect(end).toMatchObject({ why: 'leak', detail: expect.stringMatching(/^a timer of b was/) })
    expect(seen).toEqual(['caught'])
  })

  test('a thaw fires overdue timers first, by deadline, then the rest as it arrived', async () => {
    const kernel = new Kernel()
    const a = ownerNamed('a')
    const seen: string[] = []
    const put = (time: number, kind: 'timer' | 'io', what: string): void => {
      kernel.at(time, kernel.origin(what), a, kind, () => seen.push(`${what} at ${kernel.now}`))
    }
    put(20, 'io', 'data')
    put(40, 'timer', 'late timer')
    put(30, 'timer', 'early timer')
    put(200, 'timer', 'future timer')
    kernel.at(10, kernel.origin('x'), null, 'job', () => kernel.freeze(a))
    kernel.at(100, kernel.origin('x'), null, 'job', () => kernel.thaw(a))
    await kernel.run(FOREVER_US)
    expect(seen).toEqual([
      'early timer at 100',
      'late timer at 100',
      'data at 100',
      'future timer at 200',
    ])
  })

  test('a timer cancelled by an earlier one of the same thaw does not fire', async () => {
    const kernel = new Kernel()
    const a = ownerNamed('a')
    const seen: string[] = []
    const second = kernel.at(30, kernel.origin('t2'), a, 'timer', () => seen.push('second'))
    kernel.at(20, kernel.origin('t1'), a, 'timer', () => {
      seen.push('first')
      kernel.cancel(second)
    })
    kernel.at(10, kernel.origin('x'), null, 'job', () => kernel.freeze(a))
    kernel.at(100, kernel.origin('x'), null, 'job', () => kernel.thaw(a))
    await kernel.run(FOREVER_US)
    expect(seen).toEqual(['first'])
  })

  test('nothing of a dead owner fires', async () => {
    const kernel = new Kernel()
    const a = ownerNamed('a')
    const seen: string[] = []
    kernel.at(10, kernel.origin('x'), null, 'job', () => kernel.bury(a))
    kernel.at(20, kernel.origin('t'), a, 'timer', () => seen.push('never'))
    expect(await kernel.run(FOREVER_US)).toEqual({ why: 'idle' })
    expect(seen).toEqual([])
  })
})

describe('ends', () => {
  test('the run ends at its time limit, with later events still there', async () => {
    const kernel = new Kernel()
    kernel.at(1000, kernel.origin('o'), null, 'job', () => {})
    expect(await kernel.run(999)).toEqual({ why: 'time-limit' })
    expect([kernel.now, kernel.pending]).toEqual([999, 1])
  })

  test('standing still is noticed: too many events at one instant', async () => {
    const limits = {
      eventsPerInstant: 100,
      events: 1e6,
      clockReadsPerEvent: 10,
      roundsPerEvent: 1_000,
    }
    const kernel = new Kernel(limits)
    const again = (): void => void kernel.at(5, kernel.origin('spin'), null, 'job', again)
    again()
    const end = await kernel.run(FOREVER_US)
    expect(end.why).toBe('event-limit')
    expect(end).toHaveProperty('detail', expect.stringContaining('100 events at one instant'))
  })

  test('a loop that waits for the clock is noticed by its reads', async () => {
    const kernel = new Kernel({
      eventsPerInstant: 100,
      events: 100,
      clockReadsPerEvent: 10,
      roundsPerEvent: 1_000,
    })
    const told: string[] = []
    kernel.onRunaway = (detail) => {
      told.push(detail)
      throw new Error('stop')
    }
    kernel.at(0, kernel.origin('o'), ownerNamed('a'), 'job', () => {
      try {
        for (;;) kernel.readClock()
      } catch {}
    })
    await kernel.run(FOREVER_US)
    expect(told).toEqual([expect.stringContaining('a read the clock 10 times')])
  })
})
