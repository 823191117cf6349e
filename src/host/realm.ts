/**
 * A realm: global objects of one process's own, made with V8's bare context.
 *
 * What JavaScript itself reads from the machine (clock, zone, locale, chance, garbage collector) is
 * replaced inside (inside/time.js, inside/realm.js); what Node adds is handed in when it is pure, else made by the
 * host. `eval` and `new Function` work in here and stay in here: the main realm runs with code
 * generation switched off, so no constructor of a handed-in object leads out.
 */

import { types } from 'node:util'
import vm from 'node:vm'
import type { HostContext } from './context.ts'
import { insideScript } from './inside.ts'
import type { ProcessParts } from './parts.ts'

/** Pure, and the same objects for every process. */
const AS_THEY_ARE = [
  'AbortController',
  'ByteLengthQueuingStrategy',
  'CountQueuingStrategy',
  'CustomEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'ReadableByteStreamController',
  'ReadableStream',
  'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest',
  'ReadableStreamDefaultController',
  'ReadableStreamDefaultReader',
  'TextDecoder',
  'TextDecoderStream',
  'TextEncoder',
  'TextEncoderStream',
  'TransformStream',
  'TransformStreamDefaultController',
  'URL',
  'URLPattern',
  'URLSearchParams',
  'WritableStream',
  'WritableStreamDefaultController',
  'WritableStreamDefaultWriter',
  'atob',
  'btoa',
] as const

const BYTE_CLASSES = [
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
] as const

const PERFORMANCE_CLASSES = [
  'Performance',
  'PerformanceEntry',
  'PerformanceMark',
  'PerformanceMeasure',
] as const

/** Of undici, with `fetch`, as far as this Node has them; see fetch.ts. */
const FETCH_CLASSES = [
  'CloseEvent',
  'FormData',
  'Headers',
  'MessageEvent',
  'Request',
  'Response',
] as const

const REFUSED: readonly (readonly [string, string])[] = [
  ['WebSocket', 'Use node:net.'],
  ['EventSource', 'Use fetch, and read its body as a stream.'],
  ['MessageChannel', 'Use an EventEmitter: both ends are in one process.'],
  ['MessagePort', 'Use an EventEmitter: both ends are in one process.'],
  ['BroadcastChannel', 'Use an EventEmitter: both ends are in one process.'],
  ['CompressionStream', 'Use node:zlib.'],
  ['DecompressionStream', 'Use node:zlib.'],
]

/** What a realm gets of this one. */
export const mainGlobals: Record<string, unknown> = {}
for (const name of [
  ...AS_THEY_ARE,
  ...BYTE_CLASSES,
  ...REFUSED.map(([refused]) => refused),
  ...FETCH_CLASSES,
  'AbortSignal',
  'Buffer',
  'Crypto',
  'CryptoKey',
  'Navigator',
  'SubtleCrypto',
]) {
  mainGlobals[name] = (globalThis as unknown as Record<string, unknown>)[name]
}

const MAIN_CLASSES: Readonly<Record<string, new (...args: never[]) => unknown>> = {
  Error,
  AggregateError,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Promise,
  Object,
  Function,
  Array,
  Map,
  Set,
  Date,
  RegExp,
}

/** A context with nothing but JavaScript in it yet. About 1 ms. */
export function createRealm(): Record<string, unknown> {
  return vm.createContext(vm.constants.DONT_CONTEXTIFY as unknown as vm.Context, {
    codeGeneration: { strings: true, wasm: true },
  }) as Record<string, unknown>
}

/** Puts the globals in. Called once, when the process can make what they need. */
export function furnishRealm(context: HostContext, parts: ProcessParts): void {
  const builtin = (name: string): Record<string, unknown> =>
    context.builtin(name) as Record<string, unknown>
  const inside = (name: string, part: object): unknown =>
    insideScript(name).runInContext(context.realm)(part)
  let made: Record<string, unknown> | null = null
  /** `performance` and its classes, which most programs never ask for. */
  const measuring = (): Record<string, unknown> => {
    made ??= inside('performance', {
      uptimeUs: parts.uptimeUs,
      timeOrigin: context.epochMs + parts.startedUs / 1000,
      error: parts.nodeError,
    }) as Record<string, unknown>
    return made
  }
  const bridge = {
    now: () => context.readClockUs(),
    epochMs: context.epochMs,
    random: context.draw('Math.random'),
    natives: {
      globals: mainGlobals,
      asTheyAre: AS_THEY_ARE,
      byteClasses: BYTE_CLASSES,
      performanceClasses: PERFORMANCE_CLASSES,
      fetchClasses: FETCH_CLASSES,
      refused: REFUSED,
    },
    timers: parts.timers.timers,
    queueMicrotask: parts.queueMicrotask,
    lazy: {
      process: () => builtin('process'),
      console: () => builtin('console'),
      crypto: () => builtin('crypto').webcrypto,
      cryptoClass: (name: string) => mainGlobals[name],
      performance: () => measuring().performance,
      performanceClass: (name: string) => measuring()[name],
      fetchApi: (name: string) => parts.fetchApi()[name],
      observer: () => builtin('perf_hooks').PerformanceObserver,
    },
    setTimeout: parts.timers.timers.setTimeout,
    refuse: (call: string, instead: string) => context.unsupported(call, instead),
    outOfRange: (name: string, range: string, got: unknown) =>
      parts.nodeError(
        'RangeError',
        'ERR_OUT_OF_RANGE',
        `The value of "${name}" is out of range. It must be ${range}. Received ${String(got)}`,
      ),
    nodeMajor: process.versions.node.split('.')[0],
    machine: process.arch === 'x64' ? 'x86_64' : process.arch,
    symbols: { dispose: Symbol.dispose, asyncDispose: Symbol.asyncDispose },
    isNative: (value: unknown, name: string) => {
      if (name === 'Error' && types.isNativeError(value)) return true
      const Class = MAIN_CLASSES[name]
      return Class !== undefined && Function.prototype[Symbol.hasInstance].call(Class, value)
    },
    typeOf,
    viewName: (value: object) =>
      types.isDataView(value) ? 'DataView' : (TYPED_TAG.call(value) as string),
  }
  inside('time', bridge)
  const web = inside('web', bridge)
  inside('realm', { ...bridge, web })
}

const TYPED_TAG = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
)?.get as () => unknown

/** What `structuredClone` must know of an object. */
function typeOf(value: object): string {
  if (types.isDate(value)) return 'Date'
  if (types.isRegExp(value)) return 'RegExp'
  if (types.isMap(value)) return 'Map'
  if (types.isSet(value)) return 'Set'
  if (types.isNativeError(value)) return 'Error'
  if (types.isArrayBufferView(value)) return 'View'
  if (types.isArrayBuffer(value)) return 'ArrayBuffer'
  if (types.isSharedArrayBuffer(value)) return 'SharedArrayBuffer'
  if (types.isBoxedPrimitive(value)) return 'Boxed'
  if (types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value))
    return 'Uncloneable'
  if (types.isGeneratorObject(value) || types.isModuleNamespaceObject(value)) return 'Uncloneable'
  return 'Object'
}
