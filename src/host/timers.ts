/**
 * `timers`, `timers/promises` and the timer globals of a process: the bridge to inside/timers.js.
 *
 * A timer is one kernel event of class `timer` at now + delay, an immediate one of class `job` at now,
 * so their order is the world's order. Delays are clamped as Node does it (whole ms, 1 … 2^31 − 1).
 * An interval's next turn counts from the instant at which it fired, so one that was overdue at a
 * thaw fires once. Time: virtual.
 */

import { AsyncResource } from 'node:async_hooks'
import { inspect, promisify } from 'node:util'
import type { BuiltinFactory, HostContext } from './context.ts'
import { insideScript } from './inside.ts'
import type { ProcessParts } from './parts.ts'
import { partsOf } from './parts.ts'

interface RealmTimers {
  readonly timers: Record<string, unknown>
  readonly promises: Record<string, unknown>
}

export type { RealmTimers }

const NODE_MAJOR = Number(process.versions.node.split('.')[0])

/** Makes the timers of this realm. Called once, by the process. */
export function buildTimers(context: HostContext, parts: ProcessParts): RealmTimers {
  const bridge = {
    schedule: (eventClass: 'timer' | 'job', delayUs: number, run: () => void) =>
      context.schedule(eventClass, delayUs, run),
    cancel: (event: Parameters<HostContext['cancel']>[0]) => context.cancel(event),
    guard: (what: string) => context.guard(what),
    hold: () => parts.hold(),
    release: () => parts.release(),
    run: (fn: (...args: unknown[]) => unknown, self: unknown, args: unknown[]) =>
      parts.call(fn, self, args),
    /** An async context costs half a microsecond a timer; most programs never ask for one. */
    bind: (fn: (...args: unknown[]) => unknown) => {
      if (!parts.asyncContextUsed) return null
      const resource = new AsyncResource('Timeout')
      return function (this: unknown, ...args: unknown[]) {
        return resource.runInAsyncScope(fn, this, ...args)
      }
    },
    warn: (text: string, name: string) => parts.warn(text, name),
    warnsNegative: NODE_MAJOR >= 23,
    invalidCallback: (got: unknown) =>
      parts.nodeError(
        'TypeError',
        'ERR_INVALID_ARG_TYPE',
        `The "callback" argument must be of type function. Received ${received(got)}`,
      ),
    abortError: (signal: { reason?: unknown }) =>
      Object.assign(parts.nodeError('Error', 'ABORT_ERR', 'The operation was aborted'), {
        name: 'AbortError',
        cause: signal.reason,
      }),
    checkOptions: (options: unknown) => {
      if (options === null || typeof options !== 'object') {
        throw parts.nodeError(
          'TypeError',
          'ERR_INVALID_ARG_TYPE',
          `The "options" argument must be of type object. Received ${received(options)}`,
        )
      }
      const { signal, ref = true } = options as { signal?: unknown; ref?: unknown }
      if (typeof ref !== 'boolean') {
        throw parts.nodeError(
          'TypeError',
          'ERR_INVALID_ARG_TYPE',
          `The "options.ref" property must be of type boolean. Received ${received(ref)}`,
        )
      }
      if (
        signal !== undefined &&
        (signal === null || typeof signal !== 'object' || !('aborted' in signal))
      ) {
        throw parts.nodeError(
          'TypeError',
          'ERR_INVALID_ARG_TYPE',
          `The "options.signal" property must be an instance of AbortSignal. Received ${received(signal)}`,
        )
      }
    },
    customPromisify: promisify.custom,
  }
  return insideScript('timers').runInContext(context.realm)(bridge) as RealmTimers
}

/** As Node's messages name a value that was not wanted. */
export function received(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return `function ${value.name}`
  if (typeof value === 'object') {
    const name = value.constructor?.name
    return name ? `an instance of ${name}` : inspect(value, { depth: -1 })
  }
  return `type ${typeof value} (${inspect(value).slice(0, 28)})`
}

export const makeTimers: BuiltinFactory = (context) => partsOf(context).timers.timers
export const makeTimersPromises: BuiltinFactory = (context) => partsOf(context).timers.promises
