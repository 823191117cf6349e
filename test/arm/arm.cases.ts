/**
 * What both arms must do alike: the same scenarios, held to the same facts of their traces.
 *
 * Times are milliseconds of the run's own clock. Lower bounds are exact in both arms; there are no
 * upper ones but the limit.
 */

import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { ProgramFiles } from '../../src/scenario/program-files.ts'
import type { EventPattern, ProcessSpec, Scenario, Step } from '../../src/scenario/scenario.ts'
import type { TraceEvent } from '../../src/trace/events.ts'
import { History } from '../../src/trace/history.ts'

const labDir = fileURLToPath(new URL('../fixtures/arms', import.meta.url))

/** The programs' folder, without exercises. */
export const FILES: ProgramFiles = {
  labDir,
  exercises: {},
  exerciseDirs: [],
  targetDir: `${labDir}/none`,
}

/** Runs a scenario over these programs and answers its trace. */
export type RunScenario = (scenario: Scenario) => Promise<readonly TraceEvent[]>

export interface CaseOptions {
  readonly skip: readonly { readonly reason: string; readonly tests: readonly string[] }[]
}

type PlanStep = readonly [string, ...(string | number | readonly string[])[]]

const said = (process: string, event: string): EventPattern => ({
  kind: 'process.output',
  where: { process },
  json: { event },
})

function client(plan: readonly PlanStep[], env: Record<string, string> = {}): ProcessSpec {
  const PLAN = JSON.stringify(plan)
  return { program: 'client.ts', env: { REDIS_URL: 'redis://redis:6379', PLAN, ...env } }
}

const life = (MODE: string): ProcessSpec => ({ program: 'life.ts', env: { MODE } })

/** What the client says of a command whose connection broke. */
const GIVEN_UP = 'Reached the max retries per request limit'

const DONE: Scenario['until'] = { on: said('a', 'done') }
const LATER = { on: said('a', 'ready') } as const

/** What the clients' commands came to, in order: `answered SET a: OK`. */
function outcomes(history: History, process: string): string[] {
  return history.output.said(process).flatMap(({ event, fields }) => {
    if (event === 'answered') return [`${fields.what}: ${JSON.stringify(fields.answer)}`]
    return event === 'failed' ? [`${fields.what} failed: ${fields.why}`] : []
  })
}

/** Commands on keys that were carried out, in the server's order. */
function carriedOut(history: History): string[] {
  return history.redis
    .exchanges()
    .filter(({ command }) => /^(SET|GET|INCR|DEL)$/.test(command.argv[0] ?? ''))
    .map(({ command }) => `${command.process} ${command.argv.slice(0, 2).join(' ')}`)
}

const bites = (history: History): string[] => history.lives.bites.map(({ step }) => step)

export function armCases(run: RunScenario, { skip }: CaseOptions): void {
  const told = async (
    processes: Scenario['processes'],
    timeline: readonly Step[],
    until: Scenario['until'] = DONE,
  ): Promise<History> => new History(await run({ processes, timeline, until, limitMs: 8000 }))
  const it = (title: string, body: () => Promise<void>): void => {
    const skipped = skip.find(({ tests }) => tests.includes(title))
    if (skipped !== undefined) test.skip(`${title} (${skipped.reason})`, () => {})
    else test(title, body)
  }

  describe('a command at the door', () => {
    const onB = { process: 'a', command: ['SET'], argv: ['b'] } as const
    const atOnce: readonly PlanStep[] = [
      ['SET', 'k:a', '1'],
      ['at once', ['SET', 'k:b', '1'], ['SET', 'k:c', '1']],
      ['GET', 'k:b'],
    ]

    it('hold: it goes in when it is let go, with all behind it; another goes on meanwhile', async () => {
      const history = await told({ a: client(atOnce), b: client([['SET', 'k:other', '1']]) }, [
        { id: 'hold', when: { atMs: 0 }, do: { verb: 'hold', ...onB } },
        {
          id: 'open',
          when: { on: { kind: 'fault.bit' }, plusMs: 300 },
          do: { verb: 'release', step: 'hold' },
        },
      ])
      const order = carriedOut(history)
      expect(order.filter((each) => each.startsWith('a'))).toEqual([
        'a SET a',
        'a SET b',
        'a SET c',
        'a GET b',
      ])
      expect(order.indexOf('b SET other')).toBeLessThan(order.indexOf('a SET b'))
      const bite = history.lives.biteOf('hold')!
      const late = history.redis.exchanges('a').find(({ command }) => command.argv[1] === 'b')!
      expect(late.command.t - bite.t).toBeGreaterThanOrEqual(300_000)
    })

    for (const [verb, point, b, failure] of [
      ['stall', 'before-arrival', 'null', 'Command timed out'],
      ['stall', 'after-commit', '"1"', 'Command timed out'],
      ['reset', 'before-arrival', 'null', GIVEN_UP],
      ['reset', 'after-commit', '"1"', GIVEN_UP],
    ] as const) {
      const was = point === 'after-commit' ? 'is carried out' : 'is not carried out'
      it(`${verb} ${point}: it ${was}, and nobody is answered`, async () => {
        const history = await told(
          {
            a: client(
              [
                ['SET', 'k:a', '1'],
                ['SET', 'k:b', '1'],
              ],
              { TIMEOUT_MS: '400' },
            ),
            b: { ...client([['GET', 'k:b']]), begins: 'timeline' },
          },
          [
            { id: 'cut', when: { atMs: 0 }, do: { verb, point, ...onB } },
            { id: 'look', when: { on: said('a', 'done') }, do: { verb: 'start', process: 'b' } },
          ],
          { on: said('b', 'done') },
        )
        expect(outcomes(history, 'a')).toEqual(['SET k:a: "OK"', `SET k:b failed: ${failure}`])
        expect(outcomes(history, 'b')).toEqual([`GET k:b: ${b}`])
        expect(bites(history)).toEqual(['cut'])
      })
    }

    it('reset: the client comes back on a new connection', async () => {
      const history = await told(
        {
          a: client([
            ['SET', 'k:b', '1'],
            ['GET', 'k:b'],
          ]),
        },
        [{ id: 'cut', when: { atMs: 0 }, do: { verb: 'reset', point: 'after-commit', ...onB } }],
      )
      expect(outcomes(history, 'a')).toEqual([`SET k:b failed: ${GIVEN_UP}`, 'GET k:b: "1"'])
    })
  })

  describe('a link', () => {
    const toRedis = { process: 'a', to: 'redis' } as const

    it('slow: each way takes longer by as much, and a burst is not slowed more than once', async () => {
      const history = await told(
        {
          a: client([
            ['SET', 'k:a', '1'],
            ['pause', 300],
            ['SET', 'k:b', '1'],
            ['INCR', 'k:n'],
          ]),
        },
        [{ id: 'slow', when: LATER, do: { verb: 'slow', delayMs: 100, ...toRedis } }],
      )
      const took = history.output.said('a', 'answered').map(({ fields }) => Number(fields.tookMs))
      expect(took.slice(1).every((ms) => ms >= 199)).toBe(true)
      expect(bites(history)).toEqual(['slow'])
    })

    for (const way of ['both', 'out', 'in'] as const) {
      it(`partition ${way}: what waits goes on in order after it is healed`, async () => {
        const cut = { on: said('a', 'answered') } as const
        const history = await told(
          {
            a: client([
              ['SET', 'k:a', '1'],
              ['pause', 100],
              ['SET', 'k:b', '1'],
              ['SET', 'k:c', '1'],
            ]),
          },
          [
            { id: 'cut', when: cut, do: { verb: 'partition', way, ...toRedis } },
            { id: 'heal', when: { step: 'cut', plusMs: 500 }, do: { verb: 'heal', step: 'cut' } },
          ],
        )
        expect(outcomes(history, 'a')).toEqual(['SET k:a: "OK"', 'SET k:b: "OK"', 'SET k:c: "OK"'])
        expect(bites(history)).toEqual(['cut'])
        const first = history.output.said('a', 'answered')
        expect(first[1]!.t - first[0]!.t).toBeGreaterThanOrEqual(499_000)
        const arrived = history.redis.exchanges('a').find(({ command }) => command.argv[1] === 'b')!
        const waitedUs = arrived.command.t - first[0]!.t
        if (way === 'in') expect(waitedUs).toBeLessThan(499_000)
        else expect(waitedUs).toBeGreaterThanOrEqual(499_000)
      })
    }

    it('partition with a length heals by itself; one that no traffic met is told as never', async () => {
      const history = await told(
        {
          a: client([
            ['SET', 'k:a', '1'],
            ['pause', 100],
            ['SET', 'k:b', '1'],
          ]),
          z: life('ticks'),
        },
        [
          {
            id: 'short',
            when: { on: said('a', 'answered') },
            do: { verb: 'partition', forMs: 400, ...toRedis },
          },
          { id: 'idle', when: LATER, do: { verb: 'slow', process: 'z', to: 'redis', delayMs: 5 } },
        ],
      )
      expect(outcomes(history, 'a')).toEqual(['SET k:a: "OK"', 'SET k:b: "OK"'])
      expect(history.lives.ended?.never).toEqual(['idle'])
    })
  })

  describe('effects', () => {
    it('of commands, scripts and transactions are told with key, value and sender', async () => {
      const script =
        "redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return redis.call('INCR', KEYS[2])"
      const history = await told(
        {
          a: client([
            ['SET', 'k:a', '1'],
            ['SET', 'k:a', '2', 'PX', 30000],
            ['PEXPIRE', 'k:a', 50000],
            ['GET', 'k:a'],
            ['SET', 'k:a', '3', 'NX'],
            ['EVAL', script, 2, 'k:lease', 'k:n', 'me|1'],
            ['MULTI'],
            ['SET', 'k:m', 'x'],
            ['DEL', 'k:a'],
            ['EXEC'],
            ['SET', 'k:short', 'x', 'PX', 60],
            ['pause', 200],
            ['SET', 'k:short', 'y'],
            ['XADD', 'k:s', '*', 'f', 'v'],
            ['GET', 'k:nothing'],
          ]),
        },
        [],
      )
      const effects = history.redis
        .effects()
        .map(({ effect, by }) => `${effect.op} ${effect.key} ${effect.value} ${by?.argv[0] ?? '-'}`)
      expect(effects).toEqual([
        'set a 1 SET',
        'set a 2 SET',
        'expire a 2 PEXPIRE',
        'set lease me|1 EVAL',
        'set n 1 EVAL',
        'set m x EXEC',
        'del a null EXEC',
        'set short x SET',
        'expired short null -',
        'set short y SET',
        'write s null XADD',
      ])
      const [term] = history.leases.terms('lease')
      expect(Math.abs(term!.firstExpireAt! - term!.from - 60_000_000)).toBeLessThan(50_000)
    })

    it('replies and errors are in the trace as the client got them', async () => {
      const history = await told(
        {
          a: client([
            ['SET', 'k:a', 'x'],
            ['INCR', 'k:a'],
            ['GET', 'k:none'],
            ['HELLO', '3'],
          ]),
        },
        [],
      )
      expect(outcomes(history, 'a')).toEqual([
        'SET k:a: "OK"',
        'INCR k:a failed: ERR value is not an integer or out of range',
        'GET k:none: null',
        'HELLO failed: NOPROTO unsupported protocol version',
      ])
      const replies = history.redis.exchanges('a').map(({ answer }) => answer?.reply)
      expect(replies.slice(-3)).toEqual([
        { error: 'ERR value is not an integer or out of range' },
        null,
        { error: 'NOPROTO unsupported protocol version' },
      ])
    })

    it('a blocking read keeps nobody waiting, and is answered when something comes', async () => {
      const history = await told(
        {
          a: client([['XREAD', 'BLOCK', 4000, 'STREAMS', 'k:s', '$']]),
          b: {
            ...client([
              ['SET', 'k:a', '1'],
              ['XADD', 'k:s', '*', 'f', 'v'],
            ]),
            begins: 'timeline',
          },
        },
        [
          {
            id: 'b',
            when: { on: { kind: 'redis.command', command: ['XREAD'] } },
            do: { verb: 'start', process: 'b' },
          },
        ],
      )
      expect(outcomes(history, 'a')[0]).toMatch(
        /^XREAD k:s: \[\[".*s",\[\["[\d-]+",\["f","v"\]\]\]\]\]$/,
      )
      expect(outcomes(history, 'b')[0]).toBe('SET k:a: "OK"')
    })
  })

  describe('a process', () => {
    const lives = (history: History): string[] =>
      history.lives.exited.map(
        ({ process, incarnation, code, signal, cause }) =>
          `${process} ${incarnation} ${cause} ${code ?? signal}`,
      )

    it('frozen says nothing until its thaw, whenever that is', async () => {
      const history = await told(
        { a: life('ticks') },
        [
          {
            id: 'f',
            when: { on: said('a', 'tick'), nth: 2 },
            do: { verb: 'freeze', process: 'a', forMs: 600 },
          },
        ],
        { on: { kind: 'process.thawed' }, plusMs: 200 },
      )
      const [frozen, thawed] = history.lives.verbs
      expect([frozen?.kind, thawed?.kind]).toEqual(['process.frozen', 'process.thawed'])
      expect(thawed!.t - frozen!.t).toBeGreaterThanOrEqual(600_000)
      // One line can be on its way when the process is stopped.
      const meanwhile = history.output
        .said('a', 'tick')
        .filter(({ i }) => i > frozen!.i && i < thawed!.i)
      expect(meanwhile.length).toBeLessThanOrEqual(1)
      expect(history.output.said('a', 'tick').at(-1)!.i).toBeGreaterThan(thawed!.i)
    })

    it('killed ends by the signal, frozen or not; restarted it has a second life', async () => {
      const history = await told(
        { a: life('ticks'), b: life('ticks'), c: life('ticks') },
        [
          { id: 'k', when: { on: said('a', 'tick') }, do: { verb: 'kill', process: 'a' } },
          { id: 'f', when: { on: said('b', 'tick') }, do: { verb: 'freeze', process: 'b' } },
          { id: 'kf', when: { step: 'f', plusMs: 50 }, do: { verb: 'kill', process: 'b' } },
          { id: 'r', when: { on: said('c', 'tick') }, do: { verb: 'restart', process: 'c' } },
        ],
        { on: { ...said('c', 'tick'), where: { process: 'c', incarnation: 2 } }, plusMs: 100 },
      )
      expect(lives(history).sort()).toEqual([
        'a 1 signal SIGKILL',
        'b 1 signal SIGKILL',
        'c 1 signal SIGKILL',
      ])
      expect(
        history.lives.started.map(({ process, incarnation }) => process + incarnation),
      ).toContain('c2')
    })

    it('told to end does so by its handler; without one it goes on, as a container’s first process', async () => {
      const history = await told(
        { a: life('handles SIGTERM'), b: life('ticks') },
        [
          { id: 'ta', when: LATER, do: { verb: 'term', process: 'a' } },
          { id: 'tb', when: { on: said('b', 'tick') }, do: { verb: 'term', process: 'b' } },
        ],
        { step: 'tb', plusMs: 300 },
      )
      expect(lives(history)).toEqual(['a 1 exit 7'])
      expect(history.output.said('a', 'leaving')).toHaveLength(1)
    })

    it('ends by itself, by an error or by a rejection, and the place of it is told', async () => {
      const history = await told(
        { a: { ...life(''), args: ['one', 'two'] }, b: life('throws'), c: life('rejects') },
        [],
        { allExited: true },
      )
      expect(lives(history).sort()).toEqual(['a 1 exit 0', 'b 1 uncaught 1', 'c 1 uncaught 1'])
      expect(history.output.said('a', 'args one two')).toHaveLength(1)
      const errors = history.lives.errors.map(({ process, name, message, file, line }) => {
        return [process, name, message, file?.split('/').at(-1), line]
      })
      expect(errors.sort()).toEqual([
        ['b', 'TypeError', 'it broke', 'life.ts', 19],
        ['c', 'RangeError', 'nobody cares', 'life.ts', 23],
      ])
    })

    it('computing without end ends the run as a hang', async () => {
      const history = await told({ a: life('spins') }, [], { allExited: true })
      expect(history.lives.ended?.why).toBe('hang')
    })

    it('writes to both streams, line by line, the last one without its end', async () => {
      const history = await told({ a: life('writes to stderr') }, [], { allExited: true })
      const lines = history.output.lines('a').map(({ stream, text }) => `${stream} ${text}`)
      expect(lines.sort()).toEqual(['stderr one', 'stderr two', 'stdout {"event":"ready"}'])
    })
  })

  describe('HTTP between processes', () => {
    const server = (START_MS = '0'): ProcessSpec => ({
      program: 'server.ts',
      env: { PORT: '7000', START_MS },
    })
    const asker = (COUNT: string): ProcessSpec => ({
      program: 'asker.ts',
      env: { SERVER: 'http://s:7000', COUNT },
    })
    const finished = { on: said('a', 'finished') } as const

    it('is refused until somebody listens, and told as exchanges', async () => {
      const history = await told({ a: asker('2'), s: server('300') }, [], finished)
      expect(history.output.said('a', 'finished')[0]?.fields.refused).toBe(true)
      const told_ = history.http.exchanges('s').map(({ request, response }) => {
        return `${request.process} ${request.method} ${request.path} ${response?.status} ${response?.body}`
      })
      expect(told_).toEqual(['a GET /1 200 to /1', 'a GET /2 200 to /2'])
    })

    it('who acts on the line that says it serves finds it serving', async () => {
      const history = await told(
        { s: server(), a: { ...asker('1'), begins: 'timeline' } },
        [{ id: 'a', when: { on: said('s', 'serving') }, do: { verb: 'start', process: 'a' } }],
        finished,
      )
      expect(history.output.said('a', 'finished')[0]?.fields.refused).toBe(false)
    })

    it('a frozen server is given nothing before its thaw', async () => {
      const history = await told(
        { s: server(), a: { ...asker('1'), begins: 'timeline' } },
        [
          {
            id: 'f',
            when: { on: said('s', 'serving') },
            do: { verb: 'freeze', process: 's', forMs: 500 },
          },
          { id: 'a', when: { step: 'f' }, do: { verb: 'start', process: 'a' } },
        ],
        finished,
      )
      const thaw = history.lives.thawOf('s')!
      expect(history.http.exchanges('s')[0]!.request.i).toBeGreaterThan(thaw.i)
    })

    it('a partition between two processes keeps requests waiting', async () => {
      const history = await told(
        { s: server(), a: { ...asker('5'), begins: 'timeline' } },
        [
          { id: 'a', when: { on: said('s', 'serving') }, do: { verb: 'start', process: 'a' } },
          {
            id: 'cut',
            when: { on: said('a', 'told') },
            do: { verb: 'partition', process: 'a', to: 's', forMs: 400 },
          },
        ],
        finished,
      )
      expect(history.http.exchanges('s')).toHaveLength(5)
      const times = history.output.said('a', 'told').map(({ t }) => t)
      expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(399_000)
    })
  })
}
