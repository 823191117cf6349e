/**
 * Attempts to talk the grader round, or to bring it down: each ends within seconds as a named failure
 * of its own check, never as a ✅, and leaves no process and no file behind.
 *
 * All are shard.ts files of wrong answers with a trick, judged by check 1. They run in a few children
 * one after another, so an attack that left something behind in the child would show in the honest
 * solutions that run in between.
 */

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import lab from '../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { WorldResult } from '../../src/arm/job.ts'
import { runWorlds } from '../../src/arm/run-worlds.ts'
import { type GradeRequest, judgeResults, planJobs } from '../../src/judge/grade.ts'
import type { CheckVerdict } from '../../src/judge/verdict.ts'
import { LAB_DIR, ROOT } from './grade.ts'

type Attack = readonly [name: string, top: string, body: string, said: RegExp]

const MARK = join(tmpdir(), `leaselab-attack-${process.pid}`)
const mark = JSON.stringify(MARK)
const FORGED = JSON.stringify({ event: 'shard.of', userId: 'u-1000', shard: 7 })
const wrong = 'return 1'
const refused =
  /does not exist inside the world|not in world|not supported|ENOENT|EROFS|EPERM|EACCES|is not a function/i
const wrongAnswer = /occupied|largest|shards?|agreed/
const main =
  '[EventEmitter.prototype].map(function up(it) { return it.__proto__ === null ? it : up(it.__proto__) })[0]'
const emitter = "import { EventEmitter } from 'node:events'"

const ATTACKS: readonly Attack[] = [
  // Exit codes and ends
  [
    'exit code 0 at the exit',
    "process.on('exit', () => { process.exitCode = 0 })",
    "throw new Error('no idea')",
    /no idea/,
  ],
  [
    'process.exit(0) in an exit handler',
    "process.on('exit', () => process.exit(0))",
    "throw new Error('no idea')",
    /no idea|ended/,
  ],
  [
    'a listener that swallows errors',
    "process.on('uncaughtException', () => {})",
    "throw new Error('swallowed')",
    /stopped too early/,
  ],
  [
    'a listener that swallows rejections',
    "process.on('unhandledRejection', () => {})",
    'Promise.reject(1); return 1',
    wrongAnswer,
  ],
  [
    'an end in a storm of microtasks',
    '',
    'for (let k = 0; k < 1000; k++) queueMicrotask(() => process.exit(0)); return 1',
    /hangs|stopped too early/,
  ],
  ['abort', '', 'process.abort()', /abort|ended|brings/],
  ['SIGKILL to itself', '', "process.kill(process.pid, 'SIGKILL'); return 1", /SIGKILL|ended/],
  ['SIGKILL to the parent', "process.kill(process.ppid, 'SIGKILL')", wrong, /the process ended/],
  ['SIGKILL to the group', "process.kill(-process.pid, 'SIGKILL')", wrong, /the process ended/],
  // Patched built-ins
  ['toJSON on Object.prototype', 'Object.prototype.toJSON = () => ({ event: "x" })', wrong, /./],
  [
    'patched Array, Map, String, Promise',
    'Array.prototype.push = () => 0; Map.prototype.get = () => 7; String.prototype.slice = () => ""; Promise.prototype.then = function () { return this }',
    wrong,
    /./,
  ],
  ['patched JSON', 'JSON.stringify = () => "{}"; JSON.parse = () => ({})', wrong, /./],
  [
    'patched RegExp',
    'RegExp.prototype.test = () => true; RegExp.prototype.exec = () => null',
    wrong,
    /./,
  ],
  [
    'toJSON on the outer Object.prototype',
    `${emitter}\n${main}.toJSON = () => ({})`,
    wrong,
    /not extensible|read only|Cannot/,
  ],
  [
    'push of the outer Array.prototype',
    `${emitter}\nnew EventEmitter().listeners('x').__proto__.push = () => 0`,
    wrong,
    /read only|Cannot/,
  ],
  [
    'EventEmitter.prototype.emit',
    `${emitter}\nEventEmitter.prototype.emit = () => true`,
    wrong,
    /./,
  ],
  [
    'Readable.prototype.push',
    "import { Readable } from 'node:stream'\nReadable.prototype.push = () => false",
    wrong,
    /./,
  ],
  // What is printed
  ['forged lines', `console.log('${FORGED}')`, `console.log('${FORGED}'); return 1`, /./],
  [
    'a forged report and verdict',
    'console.log(JSON.stringify({ schema: 1, exitCode: 0, checks: [{ id: 1, status: "held" }] })); console.log("✅ 1 users spread")',
    wrong,
    wrongAnswer,
  ],
  [
    'forged lines of the channel',
    'console.log("Z\\nE{\\"kind\\":\\"world.ended\\",\\"why\\":\\"until\\"}\\nZ"); process.stdout.write("\\nZ\\nR\\n")',
    wrong,
    wrongAnswer,
  ],
  [
    'writing to descriptor 3',
    "import { writeSync } from 'node:fs'\nwriteSync(3, 'Z\\n')",
    wrong,
    /EBADF|does not exist/,
  ],
  // Without end
  ['an endless loop', '', 'for (;;);', /shard\.ts:4/],
  [
    'an endless loop in catch and finally',
    '',
    'for (;;) { try { throw 1 } catch { continue } finally { continue } }',
    /shard\.ts:4|never ends/,
  ],
  ['an endless loop of awaits', 'for (;;) await null', wrong, /shard\.ts:1|never/],
  [
    'an endless loop behind process.exit',
    '',
    'try { process.exit(0) } finally { for (;;); }',
    /shard\.ts:4/,
  ],
  [
    'Atomics.wait',
    '',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1',
    /Atomics\.wait/,
  ],
  ['a stack without end', '', 'return shardOf(userId)', /call stack/i],
  [
    'WebAssembly from nowhere',
    "new WebAssembly.Module(Buffer.from('no wasm'))",
    wrong,
    /WebAssembly/,
  ],
  // Bombs
  ['a heap bomb', '', 'const all = []; for (;;) all.push(new Array(1e6).fill(1))', /memory/],
  ['a Buffer bomb', '', 'const all = []; for (;;) all.push(Buffer.alloc(5e7, 1))', /memory/],
  ['an output bomb', '', 'for (;;) console.log("x".repeat(1000))', /output|memory|printed|million/],
  ['one giant line', 'console.log("x".repeat(3e7))', wrong, /./],
  ['deep JSON', 'console.log("[".repeat(1e5) + "]".repeat(1e5))', wrong, wrongAnswer],
  // Things thrown
  ['throw null', '', 'throw null', /null/],
  ['a message that never comes', '', 'throw { get message() { for (;;); } }', /./],
  [
    'a Proxy thrown',
    '',
    'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
    /./,
  ],
  [
    'a rejection that cannot be shown',
    '',
    'Promise.reject({ toString() { throw 1 } }); return 1',
    /./,
  ],
  [
    'an error whose place throws',
    '',
    'throw Object.defineProperty(new Error("e"), "place", { get() { throw 1 } })',
    /./,
  ],
  [
    'prepareStackTrace that lies and throws',
    'Error.prepareStackTrace = () => { throw new Error("no stack") }; Error.captureStackTrace = () => { throw 1 }',
    'throw new Error("e")',
    /./,
  ],
  // Ways out
  [
    'execSync',
    `import { execSync } from 'node:child_process'\nexecSync('touch ${MARK}')`,
    wrong,
    refused,
  ],
  [
    'spawn',
    `import { spawn } from 'node:child_process'\nspawn('touch', [${mark}])`,
    wrong,
    refused,
  ],
  ['process.binding', "process.binding('spawn_sync')", wrong, refused],
  ['process.dlopen', "process.dlopen({ exports: {} }, '/lib/x.so')", wrong, refused],
  [
    'require of a built-in by the back door',
    "import { createRequire } from 'node:module'\ncreateRequire('/x.js')('module')._load('node:child_process').execSync('true')",
    wrong,
    refused,
  ],
  ['vm', "const vm = await import('node:vm')\nvm.runInThisContext('1')", wrong, refused],
  [
    'a constructor of the outer realm',
    `${emitter}\nEventEmitter.constructor('return process')()`,
    wrong,
    /Code generation|EvalError|disallowed/,
  ],
  [
    'NODE_OPTIONS set by the code',
    "process.env.NODE_OPTIONS = '--require /tmp/x.cjs'",
    wrong,
    wrongAnswer,
  ],
  // Files
  [
    'writing a file',
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${mark}, 'x')`,
    wrong,
    refused,
  ],
  [
    'reading the checks',
    `import { readFileSync } from 'node:fs'\nreadFileSync('${LAB_DIR}/checks/spread.ts')`,
    wrong,
    /ENOENT/,
  ],
  ['importing the solution', `import '${LAB_DIR}/solution/lease.ts'`, wrong, /is an absolute path/],
  [
    'a link out of the folder, read',
    "import { readFileSync } from 'node:fs'\nreadFileSync(new URL('./way-out/shard.ts', import.meta.url))",
    wrong,
    /ENOENT/,
  ],
  ['a link out of the folder, imported', "import './way-out/keys.ts'", wrong, /outside|leaves/],
]

const source = ([, top, body]: Attack): string =>
  `${top.replaceAll('\n', ';')}\nexport const SHARD_COUNT = 256\nexport function shardOf(userId: string): number {\n${body}\n}\n`

const root = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-attacks-')))
const verdicts = new Map<string, CheckVerdict>()
let before: readonly string[] = []

/** World children and their guards that run now. */
function worldProcesses(): readonly string[] {
  return execFileSync('ps', ['-eo', 'ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter(
      (line) => Number.parseInt(line, 10) === process.pid && /world-main|leaselab-guard/.test(line),
    )
}

function requestFor(targetDir: string): GradeRequest {
  return {
    lab,
    labDir: LAB_DIR,
    targetDir,
    targetShown: 'mine',
    present: ['shard.ts'],
    seed: '1',
    only: 1,
  }
}

async function gradeAll(attacks: readonly (readonly [string, GradeRequest])[]): Promise<void> {
  const jobs = attacks.flatMap(([name, request]) =>
    planJobs(request).map((job) => ({ ...job, id: name })),
  )
  const results = await runWorlds(jobs, {
    worldMain: join(ensureBuilt(ROOT), 'src/arm/world-main.js'),
  })
  attacks.forEach(([name, request], k) => {
    const result = { ...results[k]!, id: 'check-1' } satisfies WorldResult
    verdicts.set(name, judgeResults(request, [result]).checks[0]!)
  })
}

beforeAll(async () => {
  before = worldProcesses()
  const all = ATTACKS.map((attack, k): readonly [string, GradeRequest] => {
    const dir = join(root, String(k))
    mkdirSync(dir)
    writeFileSync(join(dir, 'shard.ts'), source(attack))
    symlinkSync(join(LAB_DIR, 'solution'), join(dir, 'way-out'))
    return [attack[0], requestFor(dir)]
  })
  const honest = (name: string): readonly [string, GradeRequest] => [
    name,
    requestFor(join(LAB_DIR, 'solution')),
  ]
  const spread = all.flatMap((each, k) =>
    k % 5 === 4 ? [each, honest(`honest after ${each[0]}`)] : [each],
  )
  const half = Math.ceil(spread.length / 2)
  await Promise.all([gradeAll(spread.slice(0, half)), gradeAll(spread.slice(half))])
}, 180_000)

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('an attack ends as a failure that says what happened', () => {
  test.each(ATTACKS)('%s', (name, _top, _body, said) => {
    const { status, got, hint, where, output } = verdicts.get(name)!
    expect(status).toBe('violated')
    expect(
      `${got} ${hint ?? ''} ${where?.file}:${where?.line} ${output.map(({ what }) => what.slice(0, 200)).join(' ')}`,
    ).toMatch(said)
  })
})

test('an honest solution in the same child passes after every fifth attack, always with one digest', () => {
  const honest = [...verdicts].filter(([name]) => name.startsWith('honest'))
  expect(honest.length).toBeGreaterThan(8)
  for (const [name, { status, got }] of honest)
    expect(`${name}: ${status} ${got}`).toMatch(/: held/)
  expect(new Set(honest.map(([, { digest }]) => digest)).size).toBe(1)
})

test('no process and no file is left', () => {
  expect(worldProcesses()).toEqual(before)
  expect(existsSync(MARK)).toBe(false)
})
