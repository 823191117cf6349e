/**
 * How `leaselab run` ends: the code is the program's or the world's, the reason stands on stderr, and
 * nothing is left, whoever ended it.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LAUNCHER, launch } from './launch.ts'

const dir = mkdtempSync(join(tmpdir(), 'leaselab-run-ends-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
let count = 0
const program = (text: string, extension = 'mjs'): string => {
  count += 1
  const name = `p${count}.${extension}`
  writeFileSync(join(dir, name), text)
  return name
}
const run = (...args: string[]) => launch(['run', ...args], { cwd: dir })

describe('a world that does not come to its end is exit 1, with the reason', () => {
  it.each([
    ['a loop', 'for (;;);', /^leaselab: hang after 0\.000 virtual s: .*p\d+\.mjs:1\b/m],
    [
      'a loop in TypeScript, long after the start',
      'const wait: number = 2500\nsetTimeout(() => {\n  let n = 0\n  while (n >= 0) n += 1\n}, wait)',
      /^leaselab: hang after 2\.500 virtual s: .*p\d+\.mts:4\b/m,
    ],
    [
      'a regular expression without end',
      "/^(a+)+$/.test('a'.repeat(50) + '!')",
      /^leaselab: hang after .* computed for 5 s/m,
    ],
    [
      'immediates without end',
      'const spin = () => setImmediate(spin); spin()',
      /^leaselab: livelock after 0\.000 virtual s: .* at one instant without time passing, the last of p\d+$/m,
    ],
    [
      'a class that all processes share is changed',
      "import { Readable } from 'node:stream'\nReadable.prototype.push = () => false",
      /^leaselab: leak after 0\.000 virtual s: stream\.Readable\.prototype\.push was changed/m,
    ],
    [
      'memory without end',
      'const all = []; for (;;) all.push(new Array(1e6).fill(1))',
      /^leaselab: memory after .* memory/m,
    ],
  ])('%s', async (_, source, said) => {
    const { code, stdout, stderr } = await run(
      program(source, /: number/.test(source) ? 'mts' : 'mjs'),
    )
    expect(stderr).toMatch(said)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  it('what was printed before a hang is printed, also by the other process', async () => {
    const hangs = program("console.log('before'); setTimeout(() => { for (;;); }, 2000)")
    const other = program(
      "setTimeout(() => console.log('in time'), 1000); setTimeout(() => console.log('too late'), 3000)",
    )
    const { code, stdout } = await run('--process', `a=${hangs}`, '--process', `b=${other}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'a | before\nb | in time\n' })
  })
})

describe('the exit code is the program’s', () => {
  const leaves = (code: number, afterMs: number): string =>
    program(`setTimeout(() => process.exit(${code}), ${afterMs})`)
  const several = (...files: string[]): string[] =>
    files.flatMap((file, k) => ['--process', `p${k}=${file}`])

  it.each([
    ['0 of all', [0, 0], 0],
    ['the first that is not 0, in the order of their ends', [0, 7, 3], 7],
    ['an earlier end before an earlier process', [5, 6], 6],
  ])('of several: %s', async (_, codes, expected) => {
    // The later a process is named, the earlier it ends, but for the second row.
    const order = codes.length === 3 ? [10, 20, 30] : [30, 20]
    const files = codes.map((code, k) => leaves(code, order[k] ?? 0))
    expect(await run(...several(...files))).toEqual({ code: expected, stdout: '', stderr: '' })
  })

  it('an uncaught error is 1, and is told as by Node', async () => {
    const { code, stdout, stderr } = await run(program("\nthrow new TypeError('boo')"))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/p\d+\.mjs:2\nthrow new TypeError\('boo'\)[\s\S]*TypeError: boo/)
    expect(stderr).not.toContain('leaselab:')
  })

  it('a top-level await that never settles is 13', async () => {
    expect((await run(program('await new Promise(() => {})'))).code).toBe(13)
  })
})

describe('faults', () => {
  const handles = program(
    `const lives = () => console.log('up', Date.now() % 100000)
process.on('SIGTERM', () => { console.log('SIGTERM', Date.now() % 100000); process.exit(3) })
lives(); setInterval(() => {}, 1000)`,
  )
  const plain = program("console.log('up'); setInterval(() => {}, 1000)")

  it('--term reaches a handler at its time', async () => {
    const { code, stdout } = await run(handles, '--term', '20s')
    expect({ code, stdout }).toEqual({
      code: 3,
      stdout: expect.stringMatching(/^up 0\d*\nSIGTERM 20000\n$/),
    })
  })

  it('--term without a handler ends a program as in a shell: 128 + 15', async () => {
    expect(await run(plain, '--term', '20s')).toEqual({ code: 143, stdout: 'up\n', stderr: '' })
  })

  it('--kill: 128 + 9, and no handler is asked', async () => {
    const { code, stdout } = await run(handles, '--kill', '20s')
    expect({ code, stdout }).toEqual({ code: 137, stdout: expect.stringMatching(/^up \d+\n$/) })
  })

  it('--restart: a new life, whose end counts', async () => {
    const twice = program(
      'console.log(process.uptime() < 1, Date.now() % 100000); setTimeout(() => process.exit(4), 30_000)',
    )
    const { code, stdout, stderr } = await run(twice, '--restart', '20s')
    expect({ code, stdout, stderr }).toEqual({
      code: 4,
      stdout: 'true 0\ntrue 20000\n',
      stderr: '',
    })
  })

  it('--freeze: SIGTERM waits for the thaw, SIGKILL does not', async () => {
    const args = ['--freeze', '10s+35s']
    const asked = await run(handles, ...args, '--term', '20s')
    expect(asked.stdout).toMatch(/^up \d+\nSIGTERM 45000\n$/)
    const killed = await run(handles, ...args, '--kill', '20s', '--trace', 'killed.jsonl')
    expect(killed.code).toBe(137)
    const events = readFileSync(join(dir, 'killed.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.find(({ kind }) => kind === 'process.exited')).toMatchObject({
      t: 20_000_000,
      signal: 'SIGKILL',
    })
  })

  it('a fault that meets no living process is told, and changes nothing', async () => {
    const { code, stderr } = await run(program('process.exitCode = 6'), '--kill', '20s')
    expect(code).toBe(6)
    expect(stderr).toMatch(/^leaselab: --kill 20s never took hold/)
  })
})

describe('--until', () => {
  it('ends with 0 and a note on stderr, whatever still runs', async () => {
    const waits = program("console.log('up'); setInterval(() => {}, 1000)")
    const { code, stdout, stderr } = await run(waits, '--until', '90s')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'up\n' })
    expect(stderr).toBe(
      'leaselab: stopped after 90.000 virtual s, as --until says; what still ran was ended\n',
    )
  })

  it('is ten virtual minutes when not given', async () => {
    const { code, stderr } = await run(program('setInterval(() => {}, 60_000)'))
    expect(code).toBe(0)
    expect(stderr).toContain('stopped after 600.000 virtual s')
  })

  it('a process that had failed before counts', async () => {
    const failed = program('process.exitCode = 9')
    const waits = program('setInterval(() => {}, 1000)')
    const { code } = await run(
      '--process',
      `a=${waits}`,
      '--process',
      `b=${failed}`,
      '--until',
      '5s',
    )
    expect(code).toBe(9)
  })
})

/** Process ids: the world child and its guard. */
function childrenOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ')
}

// Children are found through /proc, which only Linux has.
describe.runIf(process.platform === 'linux')('a signal to the judge', () => {
  it.each([
    [
      'SIGINT',
      'a world that goes on',
      "console.log('up'); const on = () => setTimeout(on, 0); on()",
    ],
    [
      'SIGINT',
      'a world that hangs',
      "console.log('up'); setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + '!'), 5)",
    ],
    [
      'SIGTERM',
      'a world that hangs',
      "console.log('up'); setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + '!'), 5)",
    ],
  ] as const)('%s ends it and %s, and leaves no process and no file', async (signal, _, source) => {
    const file = program(source)
    const before = readdirSync(dir)
    const args = [LAUNCHER, 'run', file, '--until', '9000m', '--trace', 'ended.jsonl']
    const judge = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(judge.stdout, 'data')
    const children = childrenOf(judge.pid!)
    expect(children.length).toBeGreaterThanOrEqual(1)
    const asked = performance.now()
    judge.kill(signal)
    const [code, by] = await once(judge, 'exit')
    expect({ code, by }).toEqual({ code: null, by: signal })
    await expect
      .poll(() => children.filter((child) => existsSync(`/proc/${child}/stat`)), {
        timeout: 5000,
      })
      .toEqual([])
    expect(performance.now() - asked).toBeLessThan(5000)
    expect(readdirSync(dir)).toEqual(before)
  })
})
