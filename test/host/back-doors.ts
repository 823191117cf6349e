/**
 * Forty ways by which a program may try to reach the machine: name and expression. Each is evaluated
 * in an async function of its own; `host(f)` is the global object behind the constructor of `f`, and
 * `use(g)` reads, writes, connects and spawns with whatever a global object offers.
 */
export const BACK_DOORS: readonly (readonly [name: string, expression: string])[] = [
  ['constructor.constructor of process', 'use(host(process))'],
  ['of a method', 'use(host(process.on))'],
  ['of Buffer', 'use(host(Buffer))'],
  ['of a Buffer', 'use(host(Buffer.alloc(1)))'],
  ['of a timer', 'use(host(setTimeout(() => {}, 1)))'],
  ['of a URL', `use(host(new URL('http://x')))`],
  ['of a signal', 'use(host(new AbortController().signal))'],
  ['of a built-in', 'use(host(events))'],
  ['of an emitter', 'use(host(new events()))'],
  ['of a stream', 'use(host(new stream.PassThrough()))'],
  ['of console', 'use(host(console.log))'],
  ['of import.meta', 'use(host(import.meta.resolve))'],
  ['of require', 'use(host(require))'],
  ['of a promise', `use(host(import('node:path')))`],
  [
    'of a caught error',
    `(() => { try { process.chdir('/') } catch (e) { return use(host(e)) } })()`,
  ],
  ['of an error of Node', `(() => { try { new URL('') } catch (e) { return use(host(e)) } })()`],
  ['new Function', `use(new Function('return globalThis')())`],
  ['indirect eval', `use((0, eval)('globalThis'))`],
  ['a sloppy this', `use(Function('return this')())`],
  ['an async function', `use(await (async () => {}).constructor('return globalThis')())`],
  [
    'Symbol.for',
    `globalThis[Symbol.for('undici.globalDispatcher.1')].dispatch({ origin: 'http://127.0.0.1:9', path: '/', method: 'GET' }, {})`,
  ],
  ['fetch', `fetch('http://127.0.0.1:9/')`],
  ['WebSocket', `new WebSocket('ws://127.0.0.1:9/')`],
  ['net', `events.once(require('net').connect(9, '127.0.0.1'), 'connect')`],
  ['net to another machine', `events.once(require('net').connect(80, '192.0.2.1'), 'connect')`],
  ['a Unix socket', `events.once(require('net').connect('/var/run/docker.sock'), 'connect')`],
  ['dgram', `require('dgram').createSocket('udp4').send('x', 9, '127.0.0.1')`],
  ['dns', `require('dns').promises.lookup('example.com')`],
  ['dns over a resolver', `new (require('dns').promises.Resolver)().resolve4('example.com')`],
  ['child_process', `require('child_process').execSync('id')`],
  ['worker_threads', `new (require('worker_threads').Worker)('1', { eval: true })`],
  ['cluster', `require('cluster').fork()`],
  ['vm', `require('vm').runInThisContext('process')`],
  ['WASI', `new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } })`],
  ['process.binding', `process.binding('spawn_sync')`],
  ['process.dlopen', `process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')`],
  ['getBuiltinModule', `process.getBuiltinModule('child_process').execSync('id')`],
  ['a file read', `require('fs').readFileSync('/etc/hostname', 'utf8')`],
  ['a file written', `require('fs').writeFileSync('stolen.txt', 'x')`],
  ['a file imported', `import('/etc/hostname')`],
  ['a write stream', `events.once(require('fs').createWriteStream('stolen.txt'), 'open')`],
  ['a link', `require('fs').symlinkSync('/etc', 'etc')`],
  ['the inspector', `require('inspector').open(0)`],
  ['a kill of the parent', `process.kill(process.ppid, 'SIGCONT')`],
]

/** Prints `<number> <name>: <what came of it>` for each, whatever happens. */
export function backDoorProgram(): string {
  const doors = BACK_DOORS.map(
    ([name, expression]) => `[${JSON.stringify(name)}, async () => ${expression}],`,
  )
  return `import events from 'node:events'
import stream from 'node:stream'
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
const host = (f) => f.constructor.constructor('return globalThis')()
function use(g) {
  const found = g.process.getBuiltinModule ?? g.process.mainModule?.require ?? g.require
  const tried = []
  const attempt = (what, run) => { try { run(); tried.push(what) } catch (e) { tried.push('no ' + what) } }
  attempt('read', () => found('fs').readFileSync('/etc/hostname'))
  attempt('write', () => found('fs').writeFileSync('stolen.txt', 'x'))
  attempt('spawn', () => found('child_process').spawnSync('id'))
  attempt('connect', () => found('net').connect(9, '127.0.0.1').on('error', () => {}))
  attempt('binding', () => g.process.binding('fs'))
  return tried.join(', ')
}
const quick = (p) => Promise.race([p, new Promise((f) => setTimeout(f, 1000, 'nothing within a second'))])
process.on('uncaughtException', () => {})
let n = 0
for (const [name, open] of [
${doors.join('\n')}
]) {
  let outcome
  try { outcome = await quick(open()) } catch (e) { outcome = e?.code ?? e?.name }
  console.log(++n + ' ' + name + ': ' + String(outcome).slice(0, 100))
}
process.exit(0)`
}
