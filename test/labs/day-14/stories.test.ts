/**
 * What the checks do not look at, told as stories of the whole stack: deaths, freezes, outages, and a
 * gateway that goes.
 */

import { describe, expect, it } from 'vitest'
import { visited } from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/beats.ts'
import {
  acknowledgementOf,
  handedOut,
  storeCalls,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/runs.ts'
import {
  A,
  B,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  leaseKey,
  type Order,
  STORE,
  storeProcess,
  VIRTUAL,
  visitorProcess,
  WORKERS,
  workerProcess,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/setting.ts'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import { ended, said, start } from '../../../src/judge/patterns.ts'
import type { ProcessSpec, Scenario, Step } from '../../../src/scenario/scenario.ts'
import type { History } from '../../../src/trace/history.ts'
import { story } from '../worlds.ts'

const MINUTE_MS = 60_000

/** The stack with A, and what a test adds; B starts when the step `b` of the timeline says so. */
function stack(
  orders: readonly Order[],
  timeline: readonly Step[],
  until: Scenario['until'],
  more: Readonly<Record<string, ProcessSpec>> = {},
): Scenario {
  return {
    processes: {
      [STORE]: storeProcess,
      [GATEWAY]: gatewayProcess(VIRTUAL),
      [A]: workerProcess(A, VIRTUAL, { SHARDS: '1' }),
      [B]: workerProcess(B, VIRTUAL, { SHARDS: '1' }, 'timeline'),
      customer: customerProcess(orders, 'timeline'),
      ...more,
    },
    timeline: [
      { id: 'customer', when: { on: said(A, 'lease.held') }, do: start('customer') },
      ...timeline,
    ],
    until,
    limitMs: 10 * MINUTE_MS,
  }
}

const seconds = (us: number | undefined) => (us ?? Number.NaN) / 1e6
const results = (history: History) =>
  storeCalls(history, '/runs/finish').map(({ by, wrote, status }) => ({ by, wrote, status }))
const acknowledged = (process: string, nth = 1) => ({ on: said(process, 'acknowledged'), nth })

describe('a run', () => {
  it('of a worker that is killed is redone by another, as soon as it was silent for 15 s', async () => {
    const history = await story(
      lab,
      stack(
        [{ text: 'a task', workMs: 8000 }],
        [
          {
            id: 'kill',
            when: { on: said(A, 'run.started'), plusMs: 6000 },
            do: { verb: 'kill', process: A },
          },
          { id: 'b', when: { step: 'kill' }, do: start(B) },
        ],
        acknowledged(B),
      ),
    )
    expect(results(history)).toEqual([{ by: B, wrote: true, status: 'done' }])
    const [entry] = handedOut(history)
    expect(entry?.to.map(({ process }) => process)).toEqual([A, B])
    // A kept it young at 5 s; from then on it aged, and B looks every 5 s.
    const again = seconds(entry?.to[1]?.t)
    expect(again).toBeGreaterThan(20)
    expect(again).toBeLessThan(26)
    expect(acknowledgementOf(history, entry!.entryId)?.process).toBe(B)
  })

  it('that outlives the drain’s ceiling stays running and pending, and is redone one sweep later', async () => {
    const history = await story(
      lab,
      stack(
        [{ text: 'a long task', workMs: 45_000 }],
        [
          { id: 'term', when: { on: said(A, 'run.started') }, do: { verb: 'term', process: A } },
          { id: 'b', when: { step: 'term' }, do: start(B) },
        ],
        acknowledged(B),
      ),
    )
    expect(results(history)).toEqual([{ by: B, wrote: true, status: 'done' }])
    const begins = storeCalls(history, '/runs/begin').map(({ by, status }) => `${by} ${status}`)
    expect(begins).toEqual([`${A} running`, `${B} running`])
    const exit = history.lives.exitOf(A)
    expect(exit?.code).toBe(0)
    const term = history.lives.biteOf('term')!
    expect(seconds(exit!.t - term.t)).toBeGreaterThanOrEqual(20)
    expect(seconds(exit!.t - term.t)).toBeLessThan(20.1)
    const [mine] = history.leases.terms(leaseKey(0))
    expect(mine?.ended).toMatchObject({ how: 'deleted', by: A })
    const [entry] = handedOut(history)
    const gap = seconds(entry!.to[1]!.t - exit!.t)
    expect(gap).toBeLessThan(5.1)
  })

  it('of a worker that froze has one result, the one of whoever took it over', async () => {
    const history = await story(
      lab,
      stack(
        [{ text: 'a task', workMs: 8000 }],
        [
          {
            id: 'freeze',
            when: { on: said(A, 'run.started'), plusMs: 1000 },
            do: { verb: 'freeze', process: A, forMs: 40_000 },
          },
          { id: 'b', when: { step: 'freeze' }, do: start(B) },
        ],
        { step: 'freeze', plusMs: MINUTE_MS },
      ),
    )
    const told = results(history)
    expect(told.filter(({ wrote }) => wrote)).toEqual([{ by: B, wrote: true, status: 'done' }])
    expect(history.lives.exited.filter(({ process }) => process === A)).toEqual([])
  })

  it('that fails is failed, acknowledged, and not tried again', async () => {
    const history = await story(
      lab,
      stack([{ text: 'fail, please' }, { text: 'go on' }], [], acknowledged(A, 2)),
    )
    expect(results(history)).toEqual([
      { by: A, wrote: true, status: 'failed' },
      { by: A, wrote: true, status: 'done' },
    ])
    for (const { entryId, to } of handedOut(history)) {
      expect(to).toHaveLength(1)
      expect(acknowledgementOf(history, entryId)?.process).toBe(A)
    }
  })

  it('is kept young while it is in hand, however long it takes', async () => {
    const history = await story(
      lab,
      stack(
        [{ text: 'five minutes', workMs: 5 * MINUTE_MS }],
        [{ id: 'b', when: { on: said(A, 'run.started') }, do: start(B) }],
        acknowledged(A),
      ),
    )
    expect(results(history)).toEqual([{ by: A, wrote: true, status: 'done' }])
    expect(handedOut(history)[0]?.to.map(({ process }) => process)).toEqual([A])
  })
})

describe('the store away', () => {
  it('makes the gateway unready, not unhealthy, and stops no worker', async () => {
    const pages = ['/readyz', '/healthz', '/admin/workers']
    const history = await story(
      lab,
      stack(
        [{ text: 'a task', workMs: 3000 }],
        [
          {
            id: 'kill',
            when: { on: said(A, 'run.started') },
            do: { verb: 'kill', process: STORE },
          },
          { id: 'during', when: { step: 'kill', plusMs: 1000 }, do: start('during') },
        ],
        { step: 'kill', plusMs: 20_000 },
        { during: visitorProcess(pages) },
      ),
    )
    expect(pages.map((page) => visited(history, 'during', page)?.status)).toEqual([503, 200, 200])
    expect(history.output.said(A, 'run.retried').length).toBeGreaterThan(3)
    expect(history.lives.exited.map(({ process }) => process)).not.toContain(A)
  })
})

describe('a gateway that is asked to go', () => {
  it('turns red first, answers meanwhile, and then ends; a second signal changes nothing', async () => {
    const term = { verb: 'term', process: GATEWAY } as const
    const history = await story(
      lab,
      stack(
        [{ text: 'a task' }],
        [
          { id: 'term', when: { on: ended('customer') }, do: term },
          { id: 'again', when: { step: 'term', plusMs: 100 }, do: term },
          { id: 'visitor', when: { step: 'term', plusMs: 200 }, do: start('visitor') },
          { id: 'late', when: { step: 'term', plusMs: 300 }, do: start('late') },
        ],
        { step: 'term', plusMs: 10_000 },
        {
          visitor: visitorProcess(['/readyz', '/healthz']),
          late: customerProcess([{ text: 'another task' }], 'timeline'),
        },
      ),
    )
    expect(visited(history, 'visitor', '/readyz')?.status).toBe(503)
    expect(visited(history, 'visitor', '/healthz')?.status).toBe(200)
    expect(results(history)).toHaveLength(2)
    const exit = history.lives.exitOf(GATEWAY)
    expect(exit?.code).toBe(0)
    const lasted = seconds(exit!.t - history.lives.biteOf('term')!.t)
    expect(lasted).toBeGreaterThanOrEqual(VIRTUAL.whileMs / 1000)
    expect(lasted).toBeLessThan(5)
  })
})

describe('presence', () => {
  it('a worker writes its row at once and every 5 s, stamped with the server’s time', async () => {
    const history = await story(
      lab,
      stack(
        [{ text: 'a task', workMs: 20_000 }],
        [
          {
            id: 'visitor',
            when: { on: said(A, 'run.started'), plusMs: 12_000 },
            do: start('visitor'),
          },
        ],
        { on: ended('visitor') },
        { visitor: visitorProcess(['/admin/workers']) },
      ),
    )
    const beats = history.redis
      .exchanges(A)
      .filter(({ command }) => command.argv[0] === 'EVAL' && command.argv[3] === WORKERS)
      .map(({ command }) => Math.round(seconds(command.t)))
    expect(beats).toEqual([0, 5, 10])
    const { workers } = visited(history, 'visitor', '/admin/workers')!.body as {
      readonly workers: readonly Record<string, unknown>[]
    }
    expect(workers).toEqual([
      { workerId: A, alive: true, lastBeatMs: expect.any(Number), inFlight: 1, version: '1.0.0' },
    ])
    expect(Number(workers[0]?.lastBeatMs)).toBeLessThan(3000)
  })

  it('the row of a worker that is long gone is swept away', async () => {
    const env = { ROW_LIFE_MS: String(MINUTE_MS) }
    const gateway = gatewayProcess(VIRTUAL)
    const history = await story(
      lab,
      stack(
        [{ text: 'a task' }],
        [
          { id: 'kill', when: { on: said(A, 'acknowledged') }, do: { verb: 'kill', process: A } },
          { id: 'b', when: { step: 'kill' }, do: start(B) },
          { id: 'before', when: { step: 'kill', plusMs: 50_000 }, do: start('before') },
          { id: 'after', when: { step: 'kill', plusMs: 70_000 }, do: start('after') },
        ],
        { on: ended('after') },
        {
          [GATEWAY]: { ...gateway, env: { ...gateway.env, ...env } },
          before: visitorProcess(['/admin/workers']),
          after: visitorProcess(['/admin/workers']),
        },
      ),
    )
    const panel = (who: string) => visited(history, who, '/admin/workers')?.body
    expect(panel('before')).toMatchObject({ status: 'degraded', total: 2, stale: 1 })
    expect(panel('after')).toMatchObject({ status: 'ok', total: 1, stale: 0 })
  })

  it('costs what the README says: 51,840 writes a day for three workers', () => {
    expect((3 * 86_400_000) / VIRTUAL.beatMs).toBe(51_840)
    expect((100 * 86_400_000) / 1000).toBe(8_640_000)
  })
})

describe('APP_ENV', () => {
  it.each([
    ['prod', /in memory only/],
    ['', /expected dev, prod, or no such variable, got ""/],
    ['staging', /got "staging"/],
  ])('%j ends the start of either role with an error', async (value, message) => {
    for (const name of [GATEWAY, A]) {
      const scenario = stack([{ text: 'a task' }], [], { on: ended(name) })
      const spec = scenario.processes[name]!
      const processes = {
        ...scenario.processes,
        [name]: { ...spec, env: { ...spec.env, APP_ENV: value } },
      }
      const history = await story(lab, { ...scenario, processes })
      expect(history.lives.exitOf(name)?.code).toBe(1)
      expect(history.lives.errors.find(({ process }) => process === name)?.message).toMatch(message)
    }
  })

  it('a role that nobody knows is an error, too', async () => {
    const scenario = stack([{ text: 'a task' }], [], { on: ended(A) })
    const spec = { ...scenario.processes[A]!, env: { ROLE: 'wroker' } }
    const history = await story(lab, {
      ...scenario,
      processes: { ...scenario.processes, [A]: spec },
    })
    expect(history.lives.errors[0]?.message).toBe('ROLE: expected gateway or worker, got "wroker".')
  })
})
