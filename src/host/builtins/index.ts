/**
 * Every built-in module of Node and what a process of the world gets for it.
 *
 * `native` is Node's own, handed in as it is (only what has no state that one process could set for
 * another). `made` is an instance for each process. `refused` cannot even be imported: Node's internal
 * modules. `support` and `note` are for people: the table in src/host/README.md is made of them.
 */

import { makeConsole } from '../console.ts'
import type { BuiltinFactory } from '../context.ts'
import { makeModuleBuiltin } from '../modules/module-builtin.ts'
import { makeProcessObject } from '../process-object.ts'
import { makeTimers, makeTimersPromises } from '../timers.ts'
import { makeCrypto } from './crypto/index.ts'
import { makeDns, makeDnsPromises } from './dns.ts'
import { makeFs, makeFsPromises } from './fs/index.ts'
import { makeHttp } from './http/index.ts'
import { makeNet } from './net/index.ts'
import { makeOs } from './os.ts'
import { makePerfHooks } from './perf-hooks.ts'
import * as pure from './pure-modules.ts'
import * as none from './refused-modules.ts'
import { makeZlib } from './zlib.ts'

export type Builtin = { readonly support: Support; readonly note?: string } & (
  | { readonly kind: 'native' }
  | { readonly kind: 'made'; readonly make: BuiltinFactory }
  | { readonly kind: 'refused'; readonly instead: string }
)

/** `yes` as in Node · `partly` see the note · `refused` importable, refused when called. */
export type Support = 'yes' | 'partly' | 'refused'

const yes = (make: BuiltinFactory, note?: string): Builtin => ({
  kind: 'made',
  support: 'yes',
  make,
  ...(note === undefined ? {} : { note }),
})
const partly = (make: BuiltinFactory, note: string): Builtin => ({
  kind: 'made',
  support: 'partly',
  make,
  note,
})
const refusedWhenCalled = (make: BuiltinFactory, note: string): Builtin => ({
  kind: 'made',
  support: 'refused',
  make,
  note,
})
const copied = (name: string): [string, Builtin] => [name, yes(pure.copyOf(name))]

const INTERNAL =
  '_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap'

const internal = INTERNAL.split(' ').map((name): [string, Builtin] => [
  name,
  {
    kind: 'refused',
    support: 'refused',
    instead: `It is internal to Node. Use ${name.split('_')[1]}.`,
  },
])

/** By name without `node:`. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['assert', yes(pure.makeAssert)],
  ['assert/strict', yes((context) => (context.builtin('assert') as { strict: unknown }).strict)],
  ['async_hooks', partly(pure.makeAsyncHooks, 'no createHook; ids are constant')],
  ['buffer', yes(pure.makeBuffer)],
  ['child_process', refusedWhenCalled(none.makeChildProcess, 'add a process to the scenario')],
  ['cluster', refusedWhenCalled(none.makeCluster, 'add a process to the scenario')],
  ['console', yes(makeConsole)],
  copied('constants'),
  [
    'crypto',
    partly(makeCrypto, 'no making of keys, no Diffie-Hellman; subtle: digest, HMAC, PBKDF2, HKDF'),
  ],
  ['dgram', refusedWhenCalled(none.makeDgram, 'use net')],
  ['diagnostics_channel', partly(pure.makeDiagnosticsChannel, "Node's own channels stay silent")],
  ['dns', partly(makeDns, 'addresses of the names of the world')],
  ['dns/promises', partly(makeDnsPromises, 'addresses of the names of the world')],
  ['domain', refusedWhenCalled(none.makeDomain, 'use AsyncLocalStorage')],
  ['events', yes(pure.makeEvents)],
  ['fs', partly(makeFs, 'reads its own files and packages; writes to descriptors 1 and 2')],
  ['fs/promises', partly(makeFsPromises, 'reads its own files and packages')],
  ['http', yes(makeHttp, 'no Unix sockets')],
  ['http2', refusedWhenCalled(none.makeHttp2, 'use http')],
  ['https', refusedWhenCalled(none.makeHttps, 'use http; an Agent can be made')],
  ['inspector', refusedWhenCalled(none.makeInspector, 'attach to the laboratory')],
  ['inspector/promises', refusedWhenCalled(none.makeInspector, 'attach to the laboratory')],
  ['module', partly(makeModuleBuiltin, 'createRequire, builtinModules, isBuiltin')],
  ['net', yes(makeNet as BuiltinFactory, 'no Unix sockets; a sender waits at 64 KiB unread')],
  ['os', yes(makeOs, 'a container with two processors')],
  ['path', yes(pure.makePath)],
  ['path/posix', yes((context) => (context.builtin('path') as { posix: unknown }).posix)],
  ['path/win32', yes((context) => (context.builtin('path') as { win32: unknown }).win32)],
  ['perf_hooks', partly(makePerfHooks, 'observers and loop delay tell nothing')],
  ['process', yes(makeProcessObject)],
  copied('punycode'),
  copied('querystring'),
  ['readline', partly(pure.makeReadline, 'lines of a stream, no terminal')],
  ['readline/promises', partly(pure.makeReadlinePromises, 'lines of a stream, no terminal')],
  ['repl', refusedWhenCalled(none.makeRepl, 'there is no terminal')],
  ['sea', refusedWhenCalled(none.makeSea, 'programs are plain files')],
  ['sqlite', refusedWhenCalled(none.makeSqlite, 'use a server of the scenario')],
  ['stream', yes(pure.makeStream, 'the default high-water mark cannot be changed')],
  ['stream/consumers', yes(pure.makeStreamConsumers)],
  copied('stream/promises'),
  copied('stream/web'),
  copied('string_decoder'),
  ['sys', yes((context) => context.builtin('util'))],
  ['test', refusedWhenCalled(none.makeTest, 'run tests outside the world')],
  ['test/reporters', refusedWhenCalled(none.makeTest, 'run tests outside the world')],
  ['timers', yes(makeTimers)],
  ['timers/promises', yes(makeTimersPromises)],
  ['tls', refusedWhenCalled(none.makeTls, 'use net')],
  ['trace_events', refusedWhenCalled(none.makeTraceEvents, 'the laboratory writes a trace')],
  ['tty', refusedWhenCalled(none.makeTty, 'isatty is false')],
  copied('url'),
  ['util', yes(pure.makeUtil, 'debuglog is silent')],
  ['util/types', yes(pure.copyOf('util/types'))],
  ['v8', refusedWhenCalled(none.makeV8, 'heap figures are constant; serialize works')],
  ['vm', refusedWhenCalled(none.makeVm, 'import a file')],
  ['wasi', refusedWhenCalled(none.makeWasi, 'it would reach the real system')],
  ['worker_threads', refusedWhenCalled(none.makeWorkerThreads, 'isMainThread is true')],
  ['zlib', partly(makeZlib, 'streams give their output at the end')],
  ...internal,
])
