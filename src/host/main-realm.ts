/**
 * What must be changed in the world child's own realm before code under test runs beside it.
 *
 * Node's built-ins are shared, pure ones as they are; they were made for one realm and one clock.
 * Done once per child, when its first process starts. Not here: code generation, which a flag of the child switches off.
 */

import { inspect, types } from 'node:util'
import { mainGlobals } from './realm.ts'
import { watch, watchModule } from './shared-objects.ts'

let done = false

/** `nowMs` gives the virtual Unix time. */
export function prepareMainRealm(nowMs: () => number): void {
  if (done) return
  done = true
  acceptForeignErrors()
  stampEvents(nowMs)
  forbidRealTimeouts()
  for (const shared of SHARED) lock(shared)
  for (const colour of Object.values(inspect.colors)) Object.freeze(colour)
  for (const module of AT_HAND) watchModule(module)
  for (const [name, value] of Object.entries(mainGlobals)) watch(value, name)
  for (const shared of SHARED) watch(shared, 'JavaScript')
  watch(RegExp, 'RegExp')
}

/** Modules whose classes a program can reach without an import. */
const AT_HAND = ['events', 'stream', 'buffer', 'console', 'url', 'util']

const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object

/**
 * What a program can reach of this realm (`EventEmitter.prototype.__proto__` is its Object.prototype)
 * and what the world itself runs on: a `toJSON` put there would write the trace.
 */
const SHARED: readonly object[] = [
  ...[Object, Function, Array, String, Number, Boolean, BigInt, Symbol, Promise, Date],
  ...[Map, Set, WeakMap, WeakSet, ArrayBuffer, DataView, Error, TypeError, RangeError].flatMap(
    (Class) => [Class, Class.prototype],
  ),
  ...[Object, Function, Array, String, Number, Boolean, BigInt, Symbol, Promise, Date].map(
    (Class) => Class.prototype as object,
  ),
  Object.getPrototypeOf(Uint8Array) as object,
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  ...[Uint8Array, Buffer].flatMap((Class) => [Class, Class.prototype]),
  iterator,
  ...[[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator]()].map(
    (made) => Object.getPrototypeOf(made) as object,
  ),
]

/** Properties that programs give to objects of their own; see lock. */
const OVERRIDDEN: ReadonlySet<PropertyKey> = new Set([
  'toString',
  'valueOf',
  'constructor',
  'name',
  'message',
])

/**
 * Nothing can be added, and no function be replaced. What objects commonly override by assignment
 * stays writable: under a locked property such an assignment would throw. RegExp is left out: V8
 * takes the slow way for every match once its prototype has changed shape.
 */
function lock(shared: object): void {
  for (const key of Reflect.ownKeys(shared)) {
    const property = Object.getOwnPropertyDescriptor(shared, key)
    if (property === undefined || !property.configurable || OVERRIDDEN.has(key)) continue
    const isFunction = typeof property.value === 'function'
    Object.defineProperty(
      shared,
      key,
      isFunction ? { writable: false, configurable: false } : { configurable: false },
    )
  }
  Object.preventExtensions(shared)
}

/** `emit('error', error)` throws an error as it is only when it is an `Error`, from any realm. */
function acceptForeignErrors(): void {
  const ordinary = Function.prototype[Symbol.hasInstance]
  Object.defineProperty(Error, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (ordinary.call(this as () => void, value)) return true
      return this === Error && types.isNativeError(value)
    },
    configurable: true,
  })
}

/** Events carry the time of their making, read from the machine. */
function stampEvents(nowMs: () => number): void {
  Object.defineProperty(Event.prototype, 'timeStamp', {
    get: () => nowMs(),
    enumerable: true,
    configurable: true,
  })
}

/** A realm has its own; this one is reached only through the back (`signal.constructor`). */
function forbidRealTimeouts(): void {
  Object.defineProperty(AbortSignal, 'timeout', {
    value: () => {
      throw new TypeError('AbortSignal.timeout: use the global AbortSignal')
    },
    configurable: true,
    writable: true,
  })
}
