/**
 * The modules whose main purpose has no simulated form, and what to use in their place.
 *
 * What only tells something (`isMainThread`, `isatty`, constants) answers for a lone process in a
 * container.
 */

import { EventEmitter } from 'node:events'
import * as realTls from 'node:tls'
import { deserialize, serialize } from 'node:v8'
import type { BuiltinFactory, HostContext } from '../context.ts'
import { refusedCall, refusingModule } from './refusing.ts'

const OTHER_PROCESS = 'Add another process to the scenario instead.'
const PLAIN_TCP = 'Connections inside the world are plain: use net, http or fetch with http://.'

export const makeChildProcess = refusingModule(
  'child_process',
  'ChildProcess exec execFile execFileSync execSync fork spawn spawnSync',
  OTHER_PROCESS,
)

export const makeWorkerThreads = refusingModule(
  'worker_threads',
  'Worker MessageChannel MessagePort BroadcastChannel moveMessagePortToContext receiveMessageOnPort postMessageToThread',
  OTHER_PROCESS,
  () => {
    const shared = new Map<unknown, unknown>()
    return {
      isMainThread: true,
      isInternalThread: false,
      parentPort: null,
      workerData: null,
      threadId: 0,
      resourceLimits: {},
      SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'),
      markAsUntransferable: (_object: unknown) => {},
      isMarkedAsUntransferable: (_object: unknown) => false,
      markAsUncloneable: (_object: unknown) => {},
      getEnvironmentData: (key: unknown) => shared.get(key),
      setEnvironmentData: (key: unknown, value: unknown) => {
        if (value === undefined) shared.delete(key)
        else shared.set(key, value)
      },
    }
  },
)

export const makeCluster: BuiltinFactory = (context) => {
  const calls = refusingModule('cluster', 'fork setupMaster setupPrimary disconnect', OTHER_PROCESS)
  return Object.assign(new EventEmitter(), calls(context), {
    isMaster: true,
    isPrimary: true,
    isWorker: false,
    workers: {},
    settings: {},
    SCHED_NONE: 1,
    SCHED_RR: 2,
    schedulingPolicy: 2,
    Worker: refusedCall(context, 'cluster.Worker', OTHER_PROCESS),
  })
}

export const makeVm = refusingModule(
  'vm',
  'Script SourceTextModule SyntheticModule Module compileFunction createContext createScript measureMemory runInContext runInNewContext runInThisContext',
  'A context of its own would have the real clock. Put the code into a file and import it.',
  () => ({ isContext: (_object: unknown) => false, constants: Object.freeze({ __proto__: null }) }),
)

const HEAP_LIMIT_BYTES = 268_435_456

export const makeV8 = refusingModule(
  'v8',
  'GCProfiler Serializer Deserializer DefaultSerializer DefaultDeserializer getHeapSnapshot writeHeapSnapshot setFlagsFromString setHeapSnapshotNearHeapLimit takeCoverage stopCoverage queryObjects promiseHooks',
  'What the engine does is not part of the world.',
  () => ({
    serialize,
    deserialize,
    cachedDataVersionTag: () => 0,
    getHeapSpaceStatistics: () => [],
    getHeapCodeStatistics: () => ({
      code_and_metadata_size: 0,
      bytecode_and_metadata_size: 0,
      external_script_source_size: 0,
      cpu_profiler_metadata_size: 0,
    }),
    getHeapStatistics: () => ({
      total_heap_size: HEAP_LIMIT_BYTES / 4,
      total_heap_size_executable: 262_144,
      total_physical_size: HEAP_LIMIT_BYTES / 4,
      total_available_size: (HEAP_LIMIT_BYTES * 3) / 4,
      used_heap_size: HEAP_LIMIT_BYTES / 8,
      heap_size_limit: HEAP_LIMIT_BYTES,
      malloced_memory: 262_144,
      peak_malloced_memory: 524_288,
      does_zap_garbage: 0,
      number_of_native_contexts: 1,
      number_of_detached_contexts: 0,
      total_global_handles_size: 8192,
      used_global_handles_size: 2112,
      external_memory: 2_272_646,
    }),
    startupSnapshot: { isBuildingSnapshot: () => false },
  }),
)

export const makeInspector = refusingModule(
  'inspector',
  'Session open close waitForDebugger',
  'Attach a debugger to the laboratory itself.',
  (context: HostContext) => ({ url: () => undefined, console: context.realm.console, Network: {} }),
)

export const makeRepl = refusingModule(
  'repl',
  'REPLServer Recoverable start writer isValidSyntax',
  'There is no terminal inside the world.',
  () => ({
    builtinModules: [],
    REPL_MODE_SLOPPY: Symbol('repl-sloppy'),
    REPL_MODE_STRICT: Symbol('repl-strict'),
  }),
)

export const makeDgram = refusingModule(
  'dgram',
  'Socket createSocket _createSocketHandle',
  'The network of the world carries TCP: use net or http.',
)

export const makeTty = refusingModule(
  'tty',
  'ReadStream WriteStream',
  'Standard output is not a terminal inside the world: use process.stdout.',
  () => ({ isatty: (_fd: unknown) => false }),
)

export const makeTraceEvents = refusingModule(
  'trace_events',
  'createTracing',
  'The laboratory writes a trace of its own.',
  () => ({ getEnabledCategories: () => undefined }),
)

export const makeWasi = refusingModule('wasi', 'WASI', 'It would reach the real system.')

export const makeDomain = refusingModule(
  'domain',
  'Domain create createDomain',
  'Use AsyncLocalStorage of async_hooks, and catch errors where they arise.',
  () => ({ active: null }),
)

export const makeTest = refusingModule(
  'test',
  'test it suite describe before after beforeEach afterEach run mock skip todo only snapshot',
  'Run tests outside the world.',
)

export const makeSqlite = refusingModule(
  'sqlite',
  'DatabaseSync StatementSync backup',
  'Use a server of the scenario for data.',
)

export const makeSea = refusingModule(
  'sea',
  'getAsset getAssetAsBlob getRawAsset',
  'Programs of the world are plain files.',
  () => ({ isSea: () => false }),
)

export const makeTls = refusingModule(
  'tls',
  'TLSSocket Server SecureContext connect createServer createSecureContext createSecurePair checkServerIdentity setDefaultCACertificates',
  PLAIN_TCP,
  () => ({
    CLIENT_RENEG_LIMIT: realTls.CLIENT_RENEG_LIMIT,
    CLIENT_RENEG_WINDOW: realTls.CLIENT_RENEG_WINDOW,
    DEFAULT_CIPHERS: realTls.DEFAULT_CIPHERS,
    DEFAULT_ECDH_CURVE: realTls.DEFAULT_ECDH_CURVE,
    DEFAULT_MIN_VERSION: realTls.DEFAULT_MIN_VERSION,
    DEFAULT_MAX_VERSION: realTls.DEFAULT_MAX_VERSION,
    rootCertificates: Object.freeze([]),
    getCiphers: realTls.getCiphers,
    getCACertificates: () => [],
    convertALPNProtocols: (realTls as unknown as { convertALPNProtocols: unknown })
      .convertALPNProtocols,
  }),
)

export const makeHttp2 = refusingModule(
  'http2',
  'connect createServer createSecureServer getDefaultSettings getPackedSettings getUnpackedSettings performServerHandshake Http2ServerRequest Http2ServerResponse',
  'HTTP inside the world is HTTP/1.1: use http or fetch.',
  () => ({
    // Fetched here: loading it costs every world 10 ms, and next to none asks for it.
    constants: { ...process.getBuiltinModule('node:http2').constants },
    sensitiveHeaders: Symbol.for('nodejs.http2.sensitiveHeaders'),
  }),
)

/** Agents may be made, as packages do when they are loaded; no request can. */
export const makeHttps: BuiltinFactory = (context) => {
  const http = context.builtin('http') as { Agent: new (options?: object) => object }
  const BaseAgent = http.Agent
  class Agent extends BaseAgent {
    constructor(options?: object) {
      super(options)
      Object.assign(this, { defaultPort: 443, protocol: 'https:', maxCachedSessions: 100 })
    }

    createConnection(): never {
      return context.unsupported('https.Agent.createConnection', PLAIN_TCP)
    }
  }
  const calls = refusingModule('https', 'Server createServer get request', PLAIN_TCP)
  return Object.assign(calls(context) as object, {
    Agent,
    globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
  })
}
