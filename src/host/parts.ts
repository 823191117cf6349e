/**
 * What the host's own files know of a process beyond its HostContext, kept out of the built-ins' reach.
 */

import type { HostContext } from './context.ts'
import type { RealmTimers } from './timers.ts'

export interface ProcessParts {
  readonly timers: RealmTimers
  readonly queueMicrotask: (callback: () => void) => void
  /** True once the program has loaded `async_hooks`. */
  readonly asyncContextUsed: boolean
  readonly ppid: number
  makeProcess(): unknown
  /** `fetch` and its classes, by name. Loaded by the first call. */
  fetchApi(): Readonly<Record<string, unknown>>
  /** One thing more, or less, that keeps the process alive. */
  hold(): void
  release(): void
  /** Calls code under test; what it throws is the process's uncaught error. */
  call(fn: (...args: never[]) => unknown, self: unknown, args: readonly unknown[]): void
  warn(text: string, name: string): void
  /** An error of the realm's own class, with Node's code. */
  nodeError(kind: 'Error' | 'TypeError' | 'RangeError', code: string, message: string): Error
  /** Virtual µs at which this incarnation began. */
  readonly startedUs: number
  /** Virtual µs since then. */
  uptimeUs(): number
  /** A signal that the process sends to itself. */
  killSelf(signal: string): void
  /** Runs the listeners of 'exit': what they throw is an uncaught error, which ends the process. */
  lastWords(run: () => void): void
  /** The gate closes. Throws, so that the code behind it does not run on. */
  exitNow(code: number): never
}

const known = new WeakMap<HostContext, ProcessParts>()

export function setParts(context: HostContext, parts: ProcessParts): void {
  known.set(context, parts)
}

export function partsOf(context: HostContext): ProcessParts {
  const parts = known.get(context)
  if (parts === undefined) throw new Error(`no process behind the context of ${context.name}`)
  return parts
}
