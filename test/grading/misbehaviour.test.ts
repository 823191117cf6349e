/**
 * What students' code does when it does not do what it should: each ends within seconds as the named
 * failure of its own check, and never as a ✅.
 */

import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { CheckVerdict } from '../../src/judge/verdict.ts'
import { grade, LAB_DIR, statuses, targetWith } from './grade.ts'

const drops: (() => void)[] = []

afterEach(() => {
  for (const drop of drops.splice(0)) drop()
})

function target(files: Readonly<Record<string, string | null>>): string {
  const { dir, drop } = targetWith(files)
  drops.push(drop)
  return dir
}

/** Grades one check of a target in which one file is replaced. */
async function checkOf(id: number, file: string, source: string | null): Promise<CheckVerdict> {
  const dir = target({ [file]: source })
  const { exitCode, verdict } = await grade(dir, ['--check', String(id)])
  expect(exitCode).toBe(1)
  const check = verdict.checks.find((each) => each.id === id)
  expect(check?.status).toBe('violated')
  return check!
}

const all = ({ got, hint, where }: CheckVerdict): string =>
  `${got} ${hint ?? ''} ${where === null ? '' : `${where.file}:${where.line}`}`

/** shard.ts with a body of its own, and something at its top. */
const shard = (body: string, top = ''): string =>
  `${top}\nexport const SHARD_COUNT = 256\nexport function shardOf(userId: string): number {\n${body}\n}\n`

const FORGED = JSON.stringify({ event: 'shards', occupied: 256, largestBucket: 17 })

describe('a file that cannot be loaded', () => {
  test.each<[string, string | null, RegExp]>([
    ['does not parse', shard('return ('), /shard\.ts:5/],
    ['has an enum', shard('return 1', 'enum Kind { A }'), /enum[\s\S]*shard\.ts:1/],
    ['lacks its export', 'export const SHARD_COUNT = 256\n', /shardOf/],
    [
      'exports the wrong shape',
      'export const SHARD_COUNT = "256"\nexport const shardOf = 5\n',
      /number/,
    ],
    ['is missing', null, /shard\.ts/],
    ['imports what is not there', shard('return 1', "import './nowhere.ts'"), /nowhere\.ts/],
    [
      'imports out of its folder',
      shard('return 1', "import '../../../../etc/passwd'"),
      /outside|leaves/,
    ],
    [
      'throws while it loads',
      shard('return 1', "throw new Error('broken on purpose')"),
      /broken on purpose[\s\S]*shard\.ts:1/,
    ],
    ['ends the process while it loads', shard('return 1', 'process.exit(0)'), /ended|exit/],
    ['never finishes loading', shard('return 1', 'await new Promise(() => {})'), /await|13|ended/],
  ])(
    '%s',
    async (_, source, said) => {
      expect(all(await checkOf(1, 'shard.ts', source))).toMatch(said)
    },
    30_000,
  )
})

describe('code that does not come to an end', () => {
  test.each([
    ['an endless loop while loading', shard('return 1', 'for (;;);')],
    ['an endless loop in the exercise', shard('for (;;);')],
    ['endless microtasks', shard('return 1', 'const spin = () => queueMicrotask(spin); spin()')],
    ['endless ticks', shard('return 1', 'const spin = () => process.nextTick(spin); spin()')],
    [
      'endless immediates',
      shard(
        'return 1',
        'const spin = () => setImmediate(spin); spin(); await new Promise(() => {})',
      ),
    ],
    ['a loop that waits for the clock', shard('while (Date.now() > 0); return 1')],
    [
      'a regular expression without end',
      shard('return /^(a+)+$/.test("a".repeat(40) + "!") ? 1 : 2'),
    ],
  ])(
    '%s',
    async (_, source) => {
      const { got, hint } = await checkOf(1, 'shard.ts', source)
      expect(`${got} ${hint}`).toMatch(/loop|never|clock|without|standing/i)
    },
    60_000,
  )

  test('memory without end', async () => {
    const body = 'const kept: unknown[] = []; for (;;) kept.push(new Array(1e6).fill(userId))'
    expect(all(await checkOf(1, 'shard.ts', shard(body)))).toMatch(/memory/)
  }, 60_000)
})

describe('code that ends its process, or talks for the grader', () => {
  test('process.exit(0) in an exercise is no way to pass', async () => {
    expect(all(await checkOf(1, 'shard.ts', shard('process.exit(0)')))).toMatch(/exit|ended/)
  }, 30_000)

  test('an error that nobody catches is told with its place', async () => {
    const check = await checkOf(1, 'shard.ts', shard("throw new TypeError('no such shard')"))
    expect(all(check)).toMatch(/no such shard[\s\S]*shard\.ts:4/)
  }, 30_000)

  test('a rejection that nobody handles is told', async () => {
    const body = "Promise.reject(new Error('left alone')); return userId.length"
    expect(all(await checkOf(1, 'shard.ts', shard(body)))).toMatch(/left alone/)
  }, 30_000)

  test('a printed report that the code made up does not pass', async () => {
    await checkOf(1, 'shard.ts', shard('return 1', `console.log('${FORGED}')`))
    await checkOf(1, 'shard.ts', shard(`console.log('${FORGED}'); process.exit(0)`))
    await checkOf(1, 'shard.ts', shard('return 1', `console.log('${FORGED}'); process.exit(0)`))
  }, 60_000)

  test('the solution beside the starter cannot be read and run in its place', async () => {
    for (const path of [
      `${LAB_DIR}/solution/shard.ts`,
      'solution/shard.ts',
      'node_modules/leaselab/labs/agent-30days/day-10-sharding-lease/solution/shard.ts',
    ]) {
      const top = `import { readFileSync } from 'node:fs'\nreadFileSync('${path}')`
      expect(all(await checkOf(1, 'shard.ts', shard('return 1', top)))).toMatch(/ENOENT/)
    }
  }, 60_000)

  test('the process of a worker that leaves in the middle is told', async () => {
    const source = 'export async function processShard(): Promise<void> { process.exit(0) }\n'
    expect(all(await checkOf(4, 'worker.ts', source))).toMatch(/exit|ended/)
  }, 30_000)

  test('a store that says “refused” and writes all the same does not pass', async () => {
    const solution = readFileSync(`${LAB_DIR}/solution/store.ts`, 'utf8')
    const starter = readFileSync(`${LAB_DIR}/starter/store.ts`, 'utf8')
    expect(starter).not.toBe(solution)
    const lying = starter.replace(/export (async )?function appendMessage/, 'async function honest')
    const source = `${lying}
let writes = 0
export async function appendMessage(tx: never, write: never) {
  const result = await honest(tx, write)
  writes += 1
  return writes === 1 ? { kind: 'refused', highestToken: 9999 } : result
}
`
    await checkOf(5, 'store.ts', source)
  }, 30_000)
})

test('each failure stays with its own check; the others go on in fresh worlds', async () => {
  const dir = target({
    'shard.ts': shard('for (;;);'),
    'lease.ts': 'export async function tryAcquire() { process.exit(0) }\n',
    'renew.ts': 'export const x = (\n',
  })
  const { exitCode, verdict } = await grade(dir)
  expect(exitCode).toBe(1)
  expect(statuses(verdict)).toBe('1:violated 2:violated 3:violated 4:held 5:held')
}, 60_000)
