/**
 * Node's pure modules, one copy a process.
 *
 * The functions and classes are Node's own; the object that holds them is a copy, so that a program
 * that replaces one of them, or a default, does so for itself alone. Where Node keeps a default inside
 * (`defaultMaxListeners`, `inspect.defaultOptions`, the high-water mark), the copy has its own or
 * refuses to change it. Shared all the same: the classes; see shared-objects.ts.
 */

import { EventEmitter } from 'node:events'
import * as realReadline from 'node:readline'
import realStream from 'node:stream'
import * as realUtil from 'node:util'
import type { BuiltinFactory, HostContext } from '../context.ts'
import { refusedCall } from './refusing.ts'

function own(module: object): PropertyDescriptorMap {
  const copied: PropertyDescriptorMap = {}
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(module))) {
    if (name === 'prototype' || name === 'length' || name === 'name') continue
    copied[name] = {
      value: get === undefined ? value : get.call(module),
      writable: true,
      enumerable: true,
      configurable: true,
    }
  }
  return copied
}

/** A copy of a module that is a plain object. */
export function copyOf(name: string): BuiltinFactory {
  return () => Object.defineProperties({}, own(process.getBuiltinModule(name) as object))
}

/** Node's own `Blob` reads its bytes on other threads; the realm's has them at hand. */
export const makeBuffer: BuiltinFactory = (context) => {
  const { Blob, File } = context.realm
  return Object.assign(copyOf('buffer')(context) as object, { Blob, File })
}

export const makeStreamConsumers: BuiltinFactory = (context) => {
  const RealmBlob = context.realm.Blob as typeof Blob
  const blob = async (stream: AsyncIterable<string | Uint8Array<ArrayBuffer>>): Promise<Blob> => {
    const parts: (string | Uint8Array<ArrayBuffer>)[] = []
    for await (const part of stream) parts.push(part)
    return new RealmBlob(parts)
  }
  return Object.assign(copyOf('stream/consumers')(context) as object, { blob })
}

/** `path` and its two flavours, each a copy. */
export const makePath: BuiltinFactory = () => {
  const real = process.getBuiltinModule('path')
  const posix = Object.defineProperties({} as Record<string, unknown>, own(real.posix))
  const win32 = Object.defineProperties({} as Record<string, unknown>, own(real.win32))
  for (const flavour of [posix, win32]) Object.assign(flavour, { posix, win32 })
  return posix
}

/** `assert` is a function; bound, it leaves no frame, and Node can still quote the failing line. */
export const makeAssert: BuiltinFactory = () => {
  const real = process.getBuiltinModule('assert') as unknown as {
    (this: void): void
    strict: (this: void) => void
  }
  const strict = Object.defineProperties(real.strict.bind(undefined), own(real.strict)) as object
  const assert = Object.defineProperties(real.bind(undefined), own(real)) as object
  return Object.assign(assert, { strict: Object.assign(strict, { strict }) })
}

/** The emitter of one process; `defaultMaxListeners` is its own. */
export const makeEvents: BuiltinFactory = () => {
  const RealEmitter = EventEmitter as unknown as (this: object, options?: object) => void
  function Emitter(this: object, options?: object): void {
    RealEmitter.call(this, options)
  }
  const { prototype } = Emitter as unknown as { prototype: { _maxListeners?: number } }
  Object.setPrototypeOf(prototype, EventEmitter.prototype)
  // Its own too: packages mix an emitter in by copying what its prototype owns (ioredis does).
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(EventEmitter.prototype)
  Object.defineProperties(prototype, methods)
  const ordinary = Function.prototype[Symbol.hasInstance]
  let maxListeners = 10
  Object.defineProperties(Emitter, {
    ...own(EventEmitter),
    EventEmitter: { value: Emitter, writable: true, enumerable: true, configurable: true },
    // Streams and sockets are emitters too, though they come from Node's own class.
    [Symbol.hasInstance]: {
      value(this: unknown, value: unknown): boolean {
        return this === Emitter
          ? value instanceof EventEmitter
          : ordinary.call(this as () => void, value)
      },
    },
    defaultMaxListeners: {
      get: () => maxListeners,
      set: (count: number) => {
        if (typeof count !== 'number' || Number.isNaN(count) || count < 0) {
          throw new RangeError('The value of "defaultMaxListeners" is out of range.')
        }
        maxListeners = count
        prototype._maxListeners = count
      },
      enumerable: true,
      configurable: true,
    },
    // Node's own also changes the default of every process when it is given no emitter.
    setMaxListeners: {
      value: (count: number, ...emitters: unknown[]) => {
        if (emitters.length > 0)
          EventEmitter.setMaxListeners(count, ...(emitters as EventEmitter[]))
        else (Emitter as unknown as { defaultMaxListeners: number }).defaultMaxListeners = count
      },
      writable: true,
      enumerable: true,
      configurable: true,
    },
  })
  return Emitter
}

export const makeStream: BuiltinFactory = (context) => {
  const RealStream = realStream as unknown as (this: object, options?: object) => void
  function Stream(this: object, options?: object): void {
    RealStream.call(this, options)
  }
  Object.defineProperties(Stream, own(realStream))
  Object.defineProperty(Stream, 'prototype', { value: realStream.prototype })
  return Object.assign(Stream, {
    Stream,
    promises: context.builtin('stream/promises'),
    setDefaultHighWaterMark: refusedCall(
      context,
      'stream.setDefaultHighWaterMark',
      'It would change every process. Give highWaterMark to each stream.',
    ),
  })
}

const noLog = Object.assign(() => {}, { enabled: false })

export const makeUtil: BuiltinFactory = (context) => {
  const util = Object.defineProperties({}, own(process.getBuiltinModule('util'))) as Record<
    string,
    unknown
  >
  let defaults: realUtil.InspectOptions | null = null
  function inspect(value: unknown, options?: unknown, ...legacy: unknown[]): string {
    const call = realUtil.inspect as (value: unknown, ...rest: unknown[]) => string
    if (defaults === null || legacy.length > 0) return call(value, options, ...legacy)
    return call(value, { ...defaults, ...(options as object | undefined) })
  }
  Object.defineProperties(inspect, own(realUtil.inspect))
  Object.defineProperty(inspect, 'defaultOptions', {
    get: () => ({ ...realUtil.inspect.defaultOptions, ...defaults }),
    set: (options: realUtil.InspectOptions) => {
      defaults = { ...defaults, ...options }
    },
    enumerable: true,
  })
  const parseArgs = (config: realUtil.ParseArgsConfig = {}) =>
    realUtil.parseArgs({ ...config, args: config.args ?? [...context.args] })
  return Object.assign(util, {
    inspect,
    parseArgs,
    deprecate: (fn: (...args: unknown[]) => unknown, message: string, code?: string) =>
      deprecate(context, fn, message, code),
    debuglog: () => noLog,
    debug: () => noLog,
    log: refusedCall(context, 'util.log', 'Use console.log.'),
    transferableAbortController: refusedCall(
      context,
      'util.transferableAbortController',
      'Use AbortController.',
    ),
    transferableAbortSignal: refusedCall(
      context,
      'util.transferableAbortSignal',
      'Use AbortController.',
    ),
    setTraceSigInt: refusedCall(context, 'util.setTraceSigInt', "Use process.on('SIGINT')."),
  })
}

interface WarningProcess {
  emitWarning(message: string, type: string, code?: string): void
}

/** Node's own would warn through the laboratory's process. */
function deprecate(
  context: HostContext,
  fn: (...args: unknown[]) => unknown,
  message: string,
  code: string | undefined,
): (...args: unknown[]) => unknown {
  let warned = false
  function deprecated(this: unknown, ...args: unknown[]): unknown {
    if (!warned) {
      warned = true
      const process = context.builtin('process') as WarningProcess
      process.emitWarning(message, 'DeprecationWarning', code)
    }
    return new.target === undefined ? fn.apply(this, args) : Reflect.construct(fn, args, new.target)
  }
  Object.setPrototypeOf(deprecated, fn)
  if (fn.prototype !== undefined) deprecated.prototype = fn.prototype
  return deprecated
}

/** Channels have names; here each process has channels of its own under the same names. */
export const makeDiagnosticsChannel: BuiltinFactory = () => {
  const real = process.getBuiltinModule('diagnostics_channel')
  type Channel = ReturnType<typeof real.channel>
  type Name = string | symbol
  // Kept for good: Node lets go of channels that nobody holds.
  const channels = new Map<Name, Channel>()
  function channel(name: Name): Channel {
    let known = channels.get(name)
    if (known === undefined) {
      known = real.channel(Symbol(String(name)))
      Object.assign(known, { name })
      channels.set(name, known)
    }
    return known
  }
  const tracing = 'start end asyncStart asyncEnd error'.split(' ')
  return {
    Channel: real.Channel,
    channel,
    hasSubscribers: (name: Name) => channels.get(name)?.hasSubscribers ?? false,
    subscribe: (name: Name, listener: never) => channel(name).subscribe(listener),
    unsubscribe: (name: Name, listener: never) => channel(name).unsubscribe(listener),
    tracingChannel: (given: string | Record<string, Channel>) =>
      real.tracingChannel(
        typeof given === 'string'
          ? (Object.fromEntries(
              tracing.map((part) => [part, channel(`tracing:${given}:${part}`)]),
            ) as never)
          : (given as never),
      ),
  }
}

/** Context is kept as in Node; numbers and hooks would tell of the whole laboratory. */
export const makeAsyncHooks: BuiltinFactory = (context) => {
  const real = process.getBuiltinModule('async_hooks')
  return {
    AsyncLocalStorage: real.AsyncLocalStorage,
    AsyncResource: real.AsyncResource,
    asyncWrapProviders: {
      ...(real as unknown as { asyncWrapProviders: object }).asyncWrapProviders,
    },
    executionAsyncId: () => 1,
    triggerAsyncId: () => 0,
    executionAsyncResource: () => ({}),
    createHook: refusedCall(context, 'async_hooks.createHook', 'Use AsyncLocalStorage.'),
  }
}

type ReadlineOptions = realReadline.ReadLineOptions

/** Lines of a stream. Never a terminal; a lone CR and the LF after it are one end of line. */
export function makeReadline(context: HostContext): object {
  const settle = (options: ReadlineOptions): ReadlineOptions => ({
    ...options,
    terminal: false,
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  const toOptions = (input: unknown, output: unknown): ReadlineOptions =>
    typeof input === 'object' && input !== null && 'input' in input
      ? (input as ReadlineOptions)
      : ({ input, output } as ReadlineOptions)
  class Interface extends realReadline.Interface {
    constructor(input: unknown, output?: unknown) {
      super(settle(toOptions(input, output)))
    }
  }
  return {
    Interface,
    createInterface: (input: unknown, output?: unknown) => new Interface(input, output),
    clearLine: realReadline.clearLine,
    clearScreenDown: realReadline.clearScreenDown,
    cursorTo: realReadline.cursorTo,
    moveCursor: realReadline.moveCursor,
    emitKeypressEvents: refusedCall(
      context,
      'readline.emitKeypressEvents',
      'There is no terminal.',
    ),
    get promises() {
      return context.builtin('readline/promises')
    },
  }
}

export const makeReadlinePromises: BuiltinFactory = () => {
  const real = process.getBuiltinModule('readline/promises')
  class Interface extends real.Interface {
    constructor(options: ReadlineOptions) {
      super({ ...options, terminal: false, crlfDelay: Number.POSITIVE_INFINITY } as never)
    }
  }
  return { Interface, createInterface: (options: ReadlineOptions) => new Interface(options) }
}
