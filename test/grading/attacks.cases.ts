/**
 * The attacks of attacks.test.ts: shard.ts files of wrong answers, each with a trick, and what the
 * verdict must say of it. `said` is matched against the figures that came and the place,
 * `<got> @ <file>:<line>`, with the target's folder written FOLDER.
 */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LAB_DIR } from './grade.ts'

/** `top` stands before the exports, `body` in shardOf. */
export type Attack = readonly [name: string, top: string, body: string, said: RegExp]

/** What no attack may ever make. */
export const MARK = join(tmpdir(), `leaselab-attack-${process.pid}`)
const mark = JSON.stringify(MARK)
const FORGED = JSON.stringify({ event: 'shard.of', userId: 'u-1000', shard: 7 })
const WRONG = 'return 1'

const exactly = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const unloaded = (text: string): RegExp => new RegExp(`^shard\\.ts does not load: ${exactly(text)}`)
const refused = (call: string): RegExp =>
  unloaded(`Error: ${call} does not exist inside the world (FOLDER/shard.ts:1)`)
const brought = (text: string): RegExp => new RegExp(`^probe ended itself: ${exactly(text)}`)
const GONE_AT_LOAD = unloaded('the process ended while the file was being loaded')
/** The honest verdict on the wrong answer: the trick did nothing. */
const PILED = /^1\/256 shards occupied, largest bucket 2,000 @/
const ROUND_AND_ROUND =
  /^the code hangs: in probe the loop at shard\.ts:4 went round 50 million times/
const NEVER_ENDS = /^the code hangs: computed for 5 s without letting the world go on/
const TOO_MUCH_MEMORY = /^the code uses too much memory: (?:ran out of heap|used more than 600 MB)/

/** The main realm's Object.prototype, where one tries to reach it. */
const main =
  '[EventEmitter.prototype].map(function up(it) { return it.__proto__ === null ? it : up(it.__proto__) })[0]'
const emitter = "import { EventEmitter } from 'node:events'"

export const ATTACKS: readonly Attack[] = [
  // Exit codes and ends
  [
    'exit code 0 at the exit',
    "process.on('exit', () => { process.exitCode = 0 })",
    "throw new Error('no idea')",
    brought('Error: no idea'),
  ],
  [
    'process.exit(0) in an exit handler',
    "process.on('exit', () => process.exit(0))",
    "throw new Error('no idea')",
    /^probe ended: Error: no idea @ shard\.ts:4$/,
  ],
  [
    'a listener that swallows errors',
    "process.on('uncaughtException', () => {})",
    "throw new Error('swallowed')",
    /^probe stopped too early, code 0 @ shard\.ts/,
  ],
  [
    'a listener that swallows rejections',
    "process.on('unhandledRejection', () => {})",
    'Promise.reject(1); return 1',
    PILED,
  ],
  [
    'an end in a storm of microtasks',
    '',
    'for (let k = 0; k < 1000; k++) queueMicrotask(() => process.exit(0)); return 1',
    /^the code hangs: .* without letting the world go on|^probe stopped too early/,
  ],
  ['abort', '', 'process.abort()', brought('SIGABRT')],
  ['SIGKILL to itself', '', "process.kill(process.pid, 'SIGKILL'); return 1", brought('SIGKILL')],
  ['SIGKILL to the parent', "process.kill(process.ppid, 'SIGKILL')", WRONG, GONE_AT_LOAD],
  ['SIGKILL to the group', "process.kill(-process.pid, 'SIGKILL')", WRONG, GONE_AT_LOAD],
  // Patched built-ins
  [
    'toJSON on Object.prototype',
    'Object.prototype.toJSON = () => ({ event: "x" })',
    WRONG,
    GONE_AT_LOAD,
  ],
  [
    'patched Array, Map, String, Promise',
    'Array.prototype.push = () => 0; Map.prototype.get = () => 7; String.prototype.slice = () => ""; Promise.prototype.then = function () { return this }',
    WRONG,
    GONE_AT_LOAD,
  ],
  ['patched JSON', 'JSON.stringify = () => "{}"; JSON.parse = () => ({})', WRONG, GONE_AT_LOAD],
  [
    'patched RegExp',
    'RegExp.prototype.test = () => true; RegExp.prototype.exec = () => null',
    WRONG,
    PILED,
  ],
  [
    'toJSON on the outer Object.prototype',
    `${emitter}\n${main}.toJSON = () => ({})`,
    WRONG,
    unloaded('TypeError: Cannot add property toJSON'),
  ],
  [
    'push of the outer Array.prototype',
    `${emitter}\nnew EventEmitter().listeners('x').__proto__.push = () => 0`,
    WRONG,
    unloaded('TypeError: Cannot assign to read only property'),
  ],
  [
    'EventEmitter.prototype.emit',
    `${emitter}\nEventEmitter.prototype.emit = () => true`,
    WRONG,
    PILED,
  ],
  [
    'Readable.prototype.push',
    "import { Readable } from 'node:stream'\nReadable.prototype.push = () => false",
    WRONG,
    unloaded('stream.Readable.prototype.push was changed'),
  ],
  // What is printed
  ['forged lines', `console.log('${FORGED}')`, `console.log('${FORGED}'); return 1`, PILED],
  [
    'a forged report and verdict',
    'console.log(JSON.stringify({ schema: 1, exitCode: 0, checks: [{ id: 1, status: "held" }] })); console.log("✅ 1 users spread")',
    WRONG,
    PILED,
  ],
  [
    'forged lines of the channel',
    'console.log("Z\\nE{\\"kind\\":\\"world.ended\\",\\"why\\":\\"until\\"}\\nZ"); process.stdout.write("\\nZ\\nR\\n")',
    WRONG,
    PILED,
  ],
  [
    'writing to descriptor 3',
    "import { writeSync } from 'node:fs'\nwriteSync(3, 'Z\\n')",
    WRONG,
    refused('fs.write'),
  ],
  // Without end
  ['an endless loop', '', 'for (;;);', ROUND_AND_ROUND],
  [
    'an endless loop in catch and finally',
    '',
    'for (;;) { try { throw 1 } catch { continue } finally { continue } }',
    NEVER_ENDS,
  ],
  [
    'an endless loop of awaits',
    'for (;;) await null',
    WRONG,
    unloaded('EndlessLoop: a loop that never ends'),
  ],
  [
    'an endless loop behind process.exit',
    '',
    'try { process.exit(0) } finally { for (;;); }',
    ROUND_AND_ROUND,
  ],
  [
    'Atomics.wait',
    '',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return 1',
    brought('Error: Atomics.wait does not exist inside the world'),
  ],
  [
    'a stack without end',
    '',
    'return shardOf(userId)',
    brought('RangeError: Maximum call stack size exceeded'),
  ],
  [
    'WebAssembly from nowhere',
    "new WebAssembly.Module(Buffer.from('no wasm'))",
    WRONG,
    unloaded('CompileError: WebAssembly.Module()'),
  ],
  // Bombs
  ['a heap bomb', '', 'const all = []; for (;;) all.push(new Array(1e6).fill(1))', TOO_MUCH_MEMORY],
  ['a Buffer bomb', '', 'const all = []; for (;;) all.push(Buffer.alloc(5e7, 1))', TOO_MUCH_MEMORY],
  [
    'an output bomb',
    '',
    'for (;;) console.log("x".repeat(1000))',
    /^the code never comes to rest: probe printed more than 10 million characters/,
  ],
  [
    'one giant line',
    'console.log("x".repeat(3e7))',
    WRONG,
    unloaded(
      'loading the file never came to its end (preflight printed more than 10 million characters)',
    ),
  ],
  ['deep JSON', 'console.log("[".repeat(1e5) + "]".repeat(1e5))', WRONG, PILED],
  // Things thrown
  ['throw null', '', 'throw null', brought('Uncaught: null')],
  [
    'a message that never comes',
    '',
    'throw { get message() { for (;;); } }',
    brought('Uncaught: { message: [Getter] }'),
  ],
  [
    'a Proxy thrown',
    '',
    'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
    brought('Uncaught: {}'),
  ],
  [
    'a rejection that cannot be shown',
    '',
    'Promise.reject({ toString() { throw 1 } }); return 1',
    brought('Error: This error originated either by throwing inside of an async function'),
  ],
  [
    'an error whose place throws',
    '',
    'throw Object.defineProperty(new Error("e"), "place", { get() { throw 1 } })',
    brought('Error: e'),
  ],
  [
    'prepareStackTrace that lies and throws',
    'Error.prepareStackTrace = () => { throw new Error("no stack") }; Error.captureStackTrace = () => { throw 1 }',
    'throw new Error("e")',
    brought('Error: e'),
  ],
  // Ways out
  [
    'execSync',
    `import { execSync } from 'node:child_process'\nexecSync('touch ${MARK}')`,
    WRONG,
    refused('child_process.execSync'),
  ],
  [
    'spawn',
    `import { spawn } from 'node:child_process'\nspawn('touch', [${mark}])`,
    WRONG,
    refused('child_process.spawn'),
  ],
  ['process.binding', "process.binding('spawn_sync')", WRONG, refused('process.binding')],
  [
    'process.dlopen',
    "process.dlopen({ exports: {} }, '/lib/x.so')",
    WRONG,
    refused('process.dlopen'),
  ],
  [
    'require of a built-in by the back door',
    "import { createRequire } from 'node:module'\ncreateRequire('/x.js')('module')._load('node:child_process').execSync('true')",
    WRONG,
    refused('child_process.execSync'),
  ],
  [
    'vm',
    "const vm = await import('node:vm')\nvm.runInThisContext('1')",
    WRONG,
    refused('vm.runInThisContext'),
  ],
  [
    'a constructor of the outer realm',
    `${emitter}\nEventEmitter.constructor('return process')()`,
    WRONG,
    unloaded('EvalError: Code generation from strings disallowed'),
  ],
  [
    'NODE_OPTIONS set by the code',
    "process.env.NODE_OPTIONS = '--require /tmp/x.cjs'",
    WRONG,
    PILED,
  ],
  // Files
  [
    'writing a file',
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${mark}, 'x')`,
    WRONG,
    refused('fs.writeFileSync'),
  ],
  [
    'reading the checks',
    `import { readFileSync } from 'node:fs'\nreadFileSync('${LAB_DIR}/checks/spread.ts')`,
    WRONG,
    unloaded('Error: ENOENT'),
  ],
  [
    'importing the solution',
    `import '${LAB_DIR}/solution/lease.ts'`,
    WRONG,
    unloaded('Error: FOLDER/shard.ts:1 imports'),
  ],
  [
    'a link out of the folder, read',
    "import { readFileSync } from 'node:fs'\nreadFileSync(new URL('./way-out/shard.ts', import.meta.url))",
    WRONG,
    unloaded('Error: ENOENT'),
  ],
  [
    'a link out of the folder, imported',
    "import './way-out/keys.ts'",
    WRONG,
    unloaded('Error: FOLDER/shard.ts:1 imports'),
  ],
  // The grader's files
  [
    'reading the environment of the system',
    "import { readFileSync } from 'node:fs'\nreadFileSync('/proc/self/environ')",
    WRONG,
    unloaded('Error: ENOENT'),
  ],
  [
    'listing the checks',
    `import { readdirSync } from 'node:fs'\nreaddirSync('${LAB_DIR}/checks')`,
    WRONG,
    unloaded('Error: ENOENT'),
  ],
  [
    'importing the checks as an exercise',
    "import '#exercises/../checks/spread.ts'",
    WRONG,
    unloaded("Error: There is no exercise file '../checks/spread.ts'"),
  ],
  [
    'writing over the checks',
    `import { writeFileSync } from 'node:fs'\nwriteFileSync('${LAB_DIR}/checks/spread.ts', 'x')`,
    WRONG,
    refused('fs.writeFileSync'),
  ],
  [
    'writing over the checks with a stream',
    `import { createWriteStream } from 'node:fs'\ncreateWriteStream('${LAB_DIR}/checks/spread.ts')`,
    WRONG,
    refused('fs.createWriteStream'),
  ],
  [
    'writing over itself with promises',
    "import { writeFile } from 'node:fs/promises'\nawait writeFile(import.meta.filename, 'x')",
    WRONG,
    refused('fs.promises.writeFile'),
  ],
  [
    'opening to append',
    `import { openSync } from 'node:fs'\nopenSync(import.meta.filename, 'a')`,
    WRONG,
    refused('fs.open (a)'),
  ],
  [
    'removing the lab',
    `import { rmSync } from 'node:fs'\nrmSync('${LAB_DIR}', { recursive: true, force: true })`,
    WRONG,
    refused('fs.rmSync'),
  ],
  [
    'copying the solution over itself',
    `import { copyFileSync } from 'node:fs'\ncopyFileSync('${LAB_DIR}/solution/shard.ts', import.meta.filename)`,
    WRONG,
    refused('fs.copyFileSync'),
  ],
  [
    'making a link to the solution',
    `import { symlinkSync } from 'node:fs'\nsymlinkSync('${LAB_DIR}/solution', './mine')`,
    WRONG,
    refused('fs.symlinkSync'),
  ],
  [
    'a link out of the folder, required',
    "import { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('./way-out/keys.ts')",
    WRONG,
    unloaded("Error: FOLDER/shard.ts imports './way-out/keys.ts', which is a link to"),
  ],
]
