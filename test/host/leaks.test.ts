/**
 * Programs that got hold of something real: leaks end their world and are told with call and stack;
 * without a leak, two runs differ and the first differing event is told.
 */

import { beforeAll, describe, expect, test } from 'vitest'
import { divergenceText, firstDivergence } from '../../src/judge/divergence.ts'
import { type RunResult, runPrograms } from './run-program.ts'

interface Leak {
  readonly claim: string
  /** Of process `a`; `leak()` in line 4 makes the effect, in an event that is not its own. */
  readonly effect: string
  /** How `leak` comes to be called. */
  readonly by: string
  /** Of process `b`, which shares `real.shared` with `a`. */
  readonly other?: string
  /** What the error names. */
  readonly call: RegExp
}

const LEAKS: readonly Leak[] = [
  {
    claim: 'a real timer wakes a line on stdout',
    effect: `console.log('late')`,
    by: 'real.setTimeout(leak, 1)',
    call: /^a line on stdout of a /,
  },
  {
    claim: 'a real timer wakes it, and the program catches the error',
    effect: `try { console.log('late') } catch {}`,
    by: 'real.setTimeout(leak, 1)',
    call: /^a line on stdout of a /,
  },
  {
    claim: 'a real immediate sets a timer',
    effect: 'setTimeout(() => {}, 5)',
    by: 'real.setImmediate(() => real.setImmediate(leak))',
    call: /^a timer of a /,
  },
  {
    claim: 'a file that is read connects a socket',
    effect: `net.connect(80, 'b')`,
    by: `real.readFile('/proc/self/stat', leak)`,
    call: /^connect of a /,
  },
  {
    claim: 'a promise of a file writes to stderr',
    effect: `process.stderr.write('late')`,
    by: `real.readFileLater('/proc/self/stat').then(leak)`,
    call: /^a line on stderr of a /,
  },
  {
    claim: 'the thread pool’s hash listens on a port',
    effect: 'net.createServer().listen(80)',
    by: `real.pbkdf2('x', 'y', 1, 8, 'sha1', leak)`,
    call: /^listen of a /,
  },
  {
    claim: 'the thread pool’s compression sets an immediate',
    effect: 'setImmediate(() => {})',
    by: `real.gzip('x', leak)`,
    call: /^an immediate of a /,
  },
  {
    claim: 'a message of a real port sets an interval',
    effect: 'setInterval(() => {}, 5)',
    by: `const { port1, port2 } = new real.MessageChannel(); port1.on('message', leak); port2.postMessage(1)`,
    call: /^a timer of a /,
  },
  {
    claim: 'a function of one process is called by another',
    effect: `console.log('of a')`,
    by: 'real.shared.leak = leak',
    other: 'real.shared.leak()',
    call: /^a line on stdout of a was made while b was running/,
  },
  {
    claim: 'a promise of one process is kept by another',
    effect: 'setTimeout(() => {}, 5)',
    by: 'new Promise((f) => { real.shared.keep = f }).then(leak)',
    other: 'real.shared.keep()',
    call: /^a timer of a was made while b was running/,
  },
  {
    claim: 'a listener of one process hears an emitter of another',
    effect: `console.error('of a')`,
    by: `real.shared.e = new EventEmitter(); real.shared.e.on('x', leak)`,
    other: `real.shared.e.emit('x')`,
    call: /^a line on stderr of a was made while b was running/,
  },
]

const HEAD = `import real from 'node:punycode'; import net from 'node:net'; import { EventEmitter } from 'node:events'\n\n`

describe('a leak ends the world, and is told with its call and stack', () => {
  for (const { claim, effect, by, other, call } of LEAKS) {
    test.concurrent(claim, async () => {
      const world = await runPrograms({
        realThings: true,
        processes: {
          a: {
            source: `${HEAD}function leak() {\n  ${effect}\n}\n${by}\nsetInterval(() => {}, 1)`,
          },
          b: { source: `${HEAD}setTimeout(() => { ${other ?? ''} }, 5); setInterval(() => {}, 1)` },
        },
        untilMs: 3_600_000,
      })
      expect(world.end.why, JSON.stringify(world.end)).toBe('leak')
      expect(world.end.detail).toMatch(call)
      const told = world.events.filter((event) => event.kind === 'process.error')
      expect(told).toMatchObject([{ process: 'a', name: 'LeakError', line: 4 }])
      expect(told[0]?.message).toBe(world.end.detail)
      expect(told[0]?.stack).toMatch(/\bleak (?:\[as \w+\] )?\(.*a\.mjs:4:\d+\)/)
      expect(world.stdout.a).toBe('')
    })
  }

  test('the same programs without anything real end without a leak', async () => {
    const source = `import { EventEmitter } from 'node:events'\nsetTimeout(() => console.log('in time'), 1)`
    const world = await runPrograms({ realThings: true, processes: { a: { source } } })
    expect([world.end.why, world.stdout.a]).toEqual(['stopped', 'in time\n'])
  })
})

/** Each is the value of one expression, printed at 20 ms between two lines that never change. */
const DIVERGING: Readonly<Record<string, string>> = {
  'the real Date': 'real.Date.now() + real.performance.now()',
  'a Date made by the real class': 'new real.Date().getTime() + real.performance.now()',
  'real chance': 'real.random()',
  'the real high-resolution clock': 'String(real.hrtime())',
  'the real performance clock': 'real.performance.now()',
  'real random bytes': `real.randomBytes(8).toString('hex')`,
  'a real UUID': 'real.randomUUID()',
  'the real process id': 'real.process.pid',
  'a real file about the process': `real.readFileSync('/proc/self/stat', 'latin1')`,
  'real processor time': 'JSON.stringify(real.process.cpuUsage()) + real.process.uptime()',
}

describe('a program that reads something real is told by its first diverging event', () => {
  let runs: readonly RunResult[]
  const names = Object.keys(DIVERGING)
  beforeAll(async () => {
    const processes = Object.fromEntries(
      Object.values(DIVERGING).map((value, k) => [
        `p${k}`,
        {
          source: `import real from 'node:punycode'
            setTimeout(() => console.log('before'), 10); setTimeout(() => console.log('got', ${value}), 20); setTimeout(() => console.log('after'), 30)`,
        },
      ]),
    )
    // A program of an ordinary kind beside them: it must not differ.
    const steady = { source: `setTimeout(() => console.log(Date.now(), Math.random()), 20)` }
    const request = { realThings: true, processes: { ...processes, steady } }
    runs = await Promise.all([runPrograms(request), runPrograms(request)])
  })

  const divergenceOf = (process: string) => {
    const [first, second] = runs.map(({ digest, events }) => ({
      id: process,
      digest,
      preflight: null,
      realMs: 0,
      events: events.filter((event) => 'process' in event && event.process === process),
    }))
    if (first === undefined || second === undefined) throw new Error('two runs are needed')
    return firstDivergence([first], [second])
  }

  for (const [k, name] of names.entries()) {
    test(name, () => {
      const divergence = divergenceOf(`p${k}`)
      if (divergence === null) throw new Error('no divergence was found')
      // started, before, got
      expect([divergence.i, divergence.t]).toEqual([2, 20_000])
      expect(divergence.first).toContain('"text":"got ')
      expect(divergence.second).toContain('"text":"got ')
      expect(divergenceText(divergence)).toContain('at 0.020000 s of virtual time')
    })
  }

  test('a program beside them that uses the world’s own differs in no event', () => {
    expect(divergenceOf('steady')).toMatchObject({ i: null })
  })
})
