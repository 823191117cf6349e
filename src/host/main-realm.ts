/**
 * What must be changed in the world child's own realm before code under test runs beside it.
 *
 * Node's built-ins are shared, pure ones as they are; they were made for one realm and one clock.
 * Done once per child, when its first process starts. Not here: code generation, which a flag of the child switches off.
 */

import { types } from 'node:util'

let done = false

/** `nowMs` gives the virtual Unix time. */
export function prepareMainRealm(nowMs: () => number): void {
  if (done) return
  done = true
  acceptForeignErrors()
  stampEvents(nowMs)
  forbidRealTimeouts()
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
