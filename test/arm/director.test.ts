import { describe, expect, test } from 'vitest'
import type { Arm, LinkState } from '../../src/arm/arm.ts'
import { Director } from '../../src/arm/director.ts'
import type { Scenario, Step } from '../../src/scenario/scenario.ts'
import type { TraceEvent, Unplaced } from '../../src/trace/events.ts'

/** An arm that notes its verbs and runs what comes later when told to. */
class NotedArm implements Arm {
  readonly verbs: string[] = []
  readonly gone = new Set<string>()
  #later: { atMs: number; run: () => void }[] = []
  nowMs = 0

  #note(verb: string, process: string): boolean {
    this.verbs.push(`${this.nowMs} ${verb} ${process}`)
    return !this.gone.has(process)
  }
  start = (process: string): boolean => this.#note('start', process)
  restart = (process: string): boolean => this.#note('restart', process)
  freeze = (process: string): boolean => this.#note('freeze', process)
  thaw = (process: string): boolean => this.#note('thaw', process)
  kill = (process: string): boolean => this.#note('kill', process)
  term = (process: string): boolean => this.#note('term', process)
  stop = (): void => void this.#note('stop', '')
  shape = (process: string, to: string, { delayMs, outCut, inCut }: LinkState): void =>
    void this.#note('shape', `${process}~${to} +${delayMs} out ${outCut} in ${inCut}`)
  after(delayMs: number, run: () => void): void {
    this.#later.push({ atMs: this.nowMs + delayMs, run })
  }
  passTo(ms: number): void {
    for (;;) {
      const next = this.#later.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > ms) break
      this.#later = this.#later.filter((each) => each !== next)
      this.nowMs = next.atMs
      next.run()
    }
    this.nowMs = ms
  }
}

function direct(timeline: readonly Step[]) {
  const scenario: Scenario = {
    processes: { a: { program: 'a.ts' }, b: { program: 'b.ts', begins: 'timeline' } },
    timeline,
    until: { atMs: 100_000 },
    limitMs: 200_000,
  }
  const arm = new NotedArm()
  const told: Unplaced[] = []
  const director = new Director(scenario, arm, (event) => told.push(event))
  director.begin()
  return { arm, told, director }
}

const printed = (text: string): TraceEvent => ({
  i: 0,
  t: 0,
  kind: 'process.output',
  process: 'a',
  incarnation: 1,
  stream: 'stdout',
  text,
})

describe('when', () => {
  test('a time: the verb comes then; processes that begin at the start are started at 0', () => {
    const { arm } = direct([
      { id: 'f', when: { atMs: 12_000 }, do: { verb: 'freeze', process: 'a', forMs: 35_000 } },
      { id: 's', when: { step: 'f', plusMs: 500 }, do: { verb: 'start', process: 'b' } },
    ])
    arm.passTo(200_000)
    expect(arm.verbs).toEqual([
      '0 start a',
      '12000 freeze a',
      '12500 start b',
      '47000 thaw a',
      '100000 stop ',
    ])
  })

  test('the nth event of a pattern, and a while after it, and only once', () => {
    const on = { kind: 'process.output', json: { event: 'tick' } }
    const { arm, director } = direct([
      { id: 'k', when: { on, nth: 2, plusMs: 5 }, do: { verb: 'kill', process: 'a' } },
    ])
    arm.passTo(10)
    for (const text of ['{"event":"tick"}', 'tick', '{"event":"tick"}', '{"event":"tick"}']) {
      director.see(printed(text))
    }
    expect(arm.verbs).toEqual(['0 start a'])
    arm.passTo(1000)
    expect(arm.verbs).toEqual(['0 start a', '15 kill a'])
  })
})

describe('the fault bit', () => {
  test('is told when a verb took hold and not when there was nothing to take hold of', () => {
    const { arm, told } = direct([
      { id: 'one', when: { atMs: 1 }, do: { verb: 'kill', process: 'a' } },
      { id: 'two', when: { atMs: 2 }, do: { verb: 'kill', process: 'b' } },
    ])
    arm.gone.add('b')
    arm.passTo(10)
    expect(told).toEqual([{ kind: 'fault.bit', step: 'one', verb: 'kill', process: 'a' }])
  })

  test('of a hold is told when its command arrives; steps that never came due are listed', () => {
    const hold: Step = {
      id: 'door',
      when: { atMs: 1 },
      do: { verb: 'hold', process: 'a', command: ['EVAL', 'PEXPIRE'], argv: ['lease:131'] },
    }
    const release: Step = { id: 'open', when: { atMs: 50 }, do: { verb: 'release', step: 'door' } }
    const late: Step = { id: 'late', when: { atMs: 5000 }, do: { verb: 'term', process: 'a' } }
    const { arm, told, director } = direct([hold, release, late])
    let released = 0
    const arrives = (process: string, ...argv: string[]): boolean =>
      director.verdictOn(process, argv, () => {
        released += 1
      }).kind === 'hold'
    expect(arrives('a', 'PEXPIRE', 'lease:131', '30000')).toBe(false)
    arm.passTo(1)
    expect(director.never()).toEqual(['door', 'open', 'late'])
    expect(arrives('b', 'PEXPIRE', 'lease:131', '30000')).toBe(false)
    expect(arrives('a', 'PEXPIRE', 'lease:132', '30000')).toBe(false)
    expect(arrives('a', 'PEXPIRE', 'lease:131', '30000')).toBe(true)
    expect(arrives('a', 'EVAL', 'x', 'lease:131')).toBe(false)
    expect(told).toEqual([{ kind: 'fault.bit', step: 'door', verb: 'hold', process: 'a' }])
    arm.passTo(60)
    expect(released).toBe(1)
    expect(director.never()).toEqual(['late'])
  })

  test('of a stall or reset is told at the first command that matches, with the point of it', () => {
    const cut: Step = {
      id: 'cut',
      when: { atMs: 1 },
      do: { verb: 'reset', process: 'a', command: ['EVAL'], point: 'after-commit' },
    }
    const { arm, told, director } = direct([cut])
    arm.passTo(10)
    const arrives = (...argv: string[]) => director.verdictOn('a', argv, () => {})
    expect(arrives('GET', 'x')).toEqual({ kind: 'deliver' })
    expect(arrives('EVAL', 'x')).toEqual({ kind: 'reset', point: 'after-commit' })
    expect(arrives('EVAL', 'x')).toEqual({ kind: 'deliver' })
    expect(told).toEqual([{ kind: 'fault.bit', step: 'cut', verb: 'reset', process: 'a' }])
  })

  test('of a slow or cut link is told when traffic met it, once; else the step is listed', () => {
    const { arm, told, director } = direct([
      { id: 'slow', when: { atMs: 1 }, do: { verb: 'slow', process: 'a', to: 'b', delayMs: 5 } },
      { id: 'cut', when: { atMs: 1 }, do: { verb: 'partition', process: 'b', to: 'redis' } },
    ])
    arm.passTo(10)
    director.linkBit('a', 'b')
    director.linkBit('a', 'b')
    expect(told).toEqual([{ kind: 'fault.bit', step: 'slow', verb: 'slow', process: 'a' }])
    expect(director.never()).toEqual(['cut'])
  })
})

describe('a link', () => {
  test('bears what all its faults add up to; each heals by its step or after its time', () => {
    const { arm } = direct([
      { id: 's', when: { atMs: 1 }, do: { verb: 'slow', process: 'a', to: 'b', delayMs: 5 } },
      {
        id: 'p',
        when: { atMs: 2 },
        do: { verb: 'partition', process: 'a', to: 'b', way: 'in', forMs: 10 },
      },
      { id: 'h', when: { atMs: 3 }, do: { verb: 'heal', step: 's' } },
    ])
    arm.passTo(50)
    expect(arm.verbs.slice(1)).toEqual([
      '1 shape a~b +5 out false in false',
      '2 shape a~b +5 out false in true',
      '3 shape a~b +0 out false in true',
      '12 shape a~b +0 out false in false',
    ])
  })
})
