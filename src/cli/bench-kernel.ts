/**
 * How many events a second the bare kernel fires, beside two peers in the same run.
 *
 * All three do the same work: a chain of timers, one virtual millisecond apart, each counting and
 * awaiting once, so that everything an event wakes must run dry before the next. Peers: fake-timers'
 * `tickAsync`, and a loop that hops through the real event loop once an event.
 */

import { Kernel } from '../sim/kernel.ts'
import { median } from './bench-rows.ts'

export interface KernelRates {
  /** Events a second. */
  readonly kernel: number
  readonly fakeTimers: number
  readonly hopPerEvent: number
}

async function rateOf(events: number, run: (events: number) => Promise<void>): Promise<number> {
  const began = performance.now()
  await run(events)
  return (events / (performance.now() - began)) * 1000
}

async function kernelRun(events: number): Promise<void> {
  const kernel = new Kernel()
  const origin = kernel.origin('bench')
  let left = events
  const fire = async (): Promise<void> => {
    await null
    left -= 1
    if (left > 0) kernel.at(kernel.now + 1000, origin, null, 'timer', fire)
  }
  kernel.at(0, origin, null, 'timer', fire)
  await kernel.run(Number.MAX_SAFE_INTEGER)
}

async function fakeTimersRun(events: number): Promise<void> {
  const { createClock } = await import('@sinonjs/fake-timers')
  const clock = createClock()
  let left = events
  const fire = async (): Promise<void> => {
    await null
    left -= 1
    if (left > 0) clock.setTimeout(fire, 1)
  }
  clock.setTimeout(fire, 1)
  await clock.tickAsync(events + 1)
}

async function hopRun(events: number): Promise<void> {
  for (let left = events; left > 0; left -= 1) {
    await null
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** Measures the three in turn, several rounds, and answers the medians. */
export async function kernelRates(rounds = 5): Promise<KernelRates> {
  const seen = { kernel: [] as number[], fakeTimers: [] as number[], hopPerEvent: [] as number[] }
  for (let k = 0; k < rounds; k += 1) {
    seen.kernel.push(await rateOf(300_000, kernelRun))
    seen.fakeTimers.push(await rateOf(20_000, fakeTimersRun))
    seen.hopPerEvent.push(await rateOf(50_000, hopRun))
  }
  return {
    kernel: median(seen.kernel),
    fakeTimers: median(seen.fakeTimers),
    hopPerEvent: median(seen.hopPerEvent),
  }
}
