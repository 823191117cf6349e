import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { differsHere } from './parity/case.ts'
import { CASES } from './process.cases.ts'
import {
  programFolder,
  type RunResult,
  runInNode,
  runOne,
  runPrograms,
  writeFiles,
} from './run-program.ts'

describe('a program prints and exits in the host as in Node', () => {
  const dir = programFolder()
  let world: RunResult
  beforeAll(async () => {
    const processes = Object.fromEntries(
      CASES.map(({ source, as = 'main.mjs' }, k) => {
        mkdirSync(join(dir, `c${k}`))
        writeFiles(join(dir, `c${k}`), { [as]: source })
        return [`c${k}`, { file: join(dir, `c${k}`, as) }]
      }),
    )
    world = await runPrograms({ dir, processes })
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  for (const [k, { claim, source, as, since }] of CASES.entries()) {
    test.concurrent(claim, async () => {
      const node = await runInNode(source, as)
      const name = `c${k}`
      if (differsHere(since)) {
        expect(world.stdout[name]).toBe(since.out)
        expect(node.out, 'no difference any more').not.toBe(since.out)
        return
      }
      expect({ out: world.stdout[name], code: world.exits[name]?.code }).toEqual({
        out: node.out,
        code: node.code,
      })
    })
  }
})

describe('signals', () => {
  const WAITS = `setInterval(() => {}, 1000); console.log('up')`
  const HANDLES = `process.on('SIGTERM', (name, number) => { console.log(name); process.exit(0) }); ${WAITS}`

  test('SIGTERM without a handler is ignored by a first process and ends any other', async () => {
    const verbs = [
      { atMs: 10, process: 'first', verb: 'signal', signal: 'SIGTERM' },
      { atMs: 10, process: 'other', verb: 'signal', signal: 'SIGTERM' },
    ] as const
    const world = await runPrograms({
      processes: { first: { source: WAITS }, other: { source: WAITS, isPid1: false } },
      verbs,
      untilMs: 5000,
    })
    expect(world.exits.first).toBeUndefined()
    expect(world.exits.other).toMatchObject({ code: null, signal: 'SIGTERM', cause: 'signal' })
  })

  test('SIGTERM reaches a handler of a first process', async () => {
    const world = await runOne(HANDLES, {
      verbs: [{ atMs: 10, process: 'main', verb: 'signal', signal: 'SIGTERM' }],
    })
    expect([world.out, world.code]).toEqual(['up\nSIGTERM\n', 0])
  })

  test('SIGKILL ends a frozen process at once, SIGTERM waits for its thaw', async () => {
    const world = await runPrograms({
      processes: { killed: { source: HANDLES }, asked: { source: HANDLES } },
      verbs: [
        { atMs: 10, process: 'killed', verb: 'freeze' },
        { atMs: 10, process: 'asked', verb: 'freeze' },
        { atMs: 20, process: 'killed', verb: 'signal', signal: 'SIGKILL' },
        { atMs: 20, process: 'asked', verb: 'signal', signal: 'SIGTERM' },
        { atMs: 50, process: 'asked', verb: 'thaw' },
      ],
    })
    const ends = world.events.filter((event) => event.kind === 'process.exited')
    expect(ends.map((event) => [event.process, event.t, event.signal, event.code])).toEqual([
      ['killed', 20_000, 'SIGKILL', null],
      ['asked', 50_000, null, 0],
    ])
  })

  test('a process can signal itself and ask whether it is alive, and reaches no other', async () => {
    const { out, exits } = await runOne(
      `console.log(process.kill(process.pid, 0))
       try { process.kill(99999, 0) } catch (error) { console.log(error.code) }
       try { process.kill(1, 'SIGWHAT') } catch (error) { console.log(error.code) }
       process.kill(process.pid, 'SIGTERM'); console.log('never printed twice')`,
      { isPid1: false, pid: 7 },
    )
    expect(out.split('\n').slice(0, 3)).toEqual(['true', 'ESRCH', 'ERR_UNKNOWN_SIGNAL'])
    expect(exits.main).toMatchObject({ signal: 'SIGTERM', code: null })
  })
})

describe('freeze and thaw', () => {
  test('overdue timers run first, by deadline, each interval once, and clocks have jumped', async () => {
    const { out } = await runOne(
      `const start = Date.now()
       const at = () => Date.now() - start
       setInterval(() => console.log('interval', at()), 10)
       setTimeout(() => console.log('late', at()), 45)
       setTimeout(() => console.log('early', at()), 25)
       setTimeout(() => process.exit(0), 125)`,
      {
        verbs: [
          { atMs: 12, process: 'main', verb: 'freeze' },
          { atMs: 100, process: 'main', verb: 'thaw' },
        ],
      },
    )
    expect(out.trim().split('\n')).toEqual([
      'interval 10',
      'interval 100',
      'early 100',
      'late 100',
      'interval 110',
      'interval 120',
    ])
  })

  test('a restarted process starts with modules and globals of its own', async () => {
    const world = await runPrograms({
      processes: {
        main: {
          source: `globalThis.lives = (globalThis.lives ?? 0) + 1
            Array.prototype.lives = (Array.prototype.lives ?? 0) + 1
            console.log(globalThis.lives, [].lives, process.pid); setInterval(() => {}, 1000)`,
        },
      },
      verbs: [
        { atMs: 10, process: 'main', verb: 'signal', signal: 'SIGKILL' },
        { atMs: 20, process: 'main', verb: 'start' },
        { atMs: 30, process: 'main', verb: 'signal', signal: 'SIGKILL' },
      ],
    })
    expect(world.stdout.main).toBe('1 1 1\n1 1 1\n')
  })
})

describe('after death nothing has an effect', () => {
  test('neither finally, nor catch, nor a late promise of an exited process', async () => {
    const { out, events } = await runOne(
      `process.on('exit', () => console.log('exit'))
       async function work() {
         try { await null; process.exit(2) } finally {
           console.log('finally'); setTimeout(() => console.log('timer'), 1)
           process.nextTick(() => console.log('tick')); queueMicrotask(() => console.log('microtask'))
           process.stdout.write('raw'); process.exit(5)
         }
       }
       work().catch(() => console.log('catch'))
       Promise.resolve().then(() => {}).then(() => {}).then(() => console.log('late'))`,
    )
    expect(out).toBe('exit\n')
    expect(events.filter((event) => event.kind === 'process.exited')).toHaveLength(1)
  })

  test('an error thrown behind process.exit is nobody’s', async () => {
    const { code, err } = await runOne(
      `setTimeout(() => { try { process.exit(0) } catch {} ; throw new Error('behind') }, 1)`,
    )
    expect([code, err]).toEqual([0, ''])
  })
})

describe('errors are told', () => {
  test('with file, line and column in the trace, and as Node prints them on stderr', async () => {
    const { err, events } = await runOne(
      `\n\nfunction f() {\n  throw new TypeError('boo')\n}\nf()\n`,
    )
    const told = events.find((event) => event.kind === 'process.error')
    expect(told).toMatchObject({ name: 'TypeError', message: 'boo', line: 4, column: 9 })
    expect(told?.kind === 'process.error' && told.file).toMatch(/\/main\.mjs$/)
    expect(err).toMatch(/main\.mjs:4\n {2}throw new TypeError\('boo'\)\n/)
    expect(err).toMatch(/TypeError: boo\n {4}at f \(file:\/\/.*main\.mjs:4:9\)\n/)
    expect(err).toMatch(/\n\nNode\.js v\d+/)
    expect(err).not.toMatch(/src\/(?:host|sim)/)
  })

  test('something thrown that is no error is shown', async () => {
    const { err, code } = await runOne(`throw { a: 1 }`)
    expect([code, err]).toEqual([1, expect.stringMatching(/^Uncaught:\n\{ a: 1 \}\n/)])
  })

  test('an error whose stack cannot be read still ends the process with 1', async () => {
    const { code } = await runOne(
      `const error = new Error('x')
       Object.defineProperty(error, 'stack', { get() { throw new Error('no') } })
       Object.defineProperty(error, 'message', { get() { throw new Error('no') } })
       throw error`,
    )
    expect(code).toBe(1)
  })

  test('a top-level await that never settles is told on stderr', async () => {
    const { err, code } = await runOne(`await new Promise(() => {})`)
    expect([code, err]).toEqual([13, expect.stringMatching(/unsettled top-level await/)])
  })
})

test('the same seed gives the same digest, another seed other chance', async () => {
  const source = `setInterval(() => console.log(Math.random()), 10); setTimeout(() => process.exit(0), 200)`
  const [a, b, c] = await Promise.all([
    runOne(source, { seed: 'a' }),
    runOne(source, { seed: 'a', childEnv: { TZ: 'Asia/Tokyo', LC_ALL: 'de_DE.UTF-8' } }),
    runOne(source, { seed: 'c' }),
  ])
  expect(b.digest).toBe(a.digest)
  expect(c.digest).not.toBe(a.digest)
})
