/**
 * The `process` global of a process: the bridge to inside/process.js.
 *
 * What the machine would answer is fixed: Linux, user 1000, `/usr/local/bin/node`, a plausible memory
 * use that never changes. Versions are those of the Node that runs the world. Clocks are virtual.
 * Ending, signals and uncaught errors are decided in process.ts. Refuses what reaches into the
 * machine (`chdir`, `binding`, `dlopen`, `setuid`, `report`), by name.
 */

import { constants } from 'node:os'
import type { BuiltinFactory, HostContext } from './context.ts'
import { insideScript } from './inside.ts'
import { builtinName } from './modules/resolver.ts'
import { type ProcessParts, partsOf } from './parts.ts'
import { received } from './timers.ts'

/** What the host needs of a process object that exists. */
export interface ProcessFace {
  emit(name: string, ...args: unknown[]): boolean
  listenerCount(name: string): number
  /** The callback of `process.setUncaughtExceptionCaptureCallback`. */
  capture(): ((error: unknown) => void) | null
  exitCode(): number | string | null | undefined
  setExitCode(code: number): void
  /** True when it was exiting already. */
  markExiting(): boolean
  emitWarning(text: string, name: string): void
}

export interface RealmProcess {
  makeProcess(): unknown
  nextTick(callback: (...args: unknown[]) => void, ...args: unknown[]): void
  queueMicrotask(callback: () => void): void
}

const MEBIBYTE = 1024 * 1024
/** As of a small service just after its start. Never changes, so nothing may be concluded from it. */
const MEMORY = {
  rss: 64 * MEBIBYTE,
  heapTotal: 24 * MEBIBYTE,
  heapUsed: 16 * MEBIBYTE,
  external: 2 * MEBIBYTE,
  arrayBuffers: MEBIBYTE / 4,
}
const RESOURCES = {
  userCPUTime: 0,
  systemCPUTime: 0,
  maxRSS: 64 * 1024,
  sharedMemorySize: 0,
  unsharedDataSize: 0,
  unsharedStackSize: 0,
  minorPageFault: 0,
  majorPageFault: 0,
  swappedOut: 0,
  fsRead: 0,
  fsWrite: 0,
  ipcSent: 0,
  ipcReceived: 0,
  signalsCount: 0,
  voluntaryContextSwitches: 0,
  involuntaryContextSwitches: 0,
}

export const EXEC_PATH = '/usr/local/bin/node'

const realNextTick = process.nextTick
const realQueueMicrotask = queueMicrotask

/** Signal numbers are Linux's, whatever the machine. */
const SIGNALS: Readonly<Record<string, number>> = constants.signals

/** Makes ticks at once, `process` itself when it is asked for. Called once, by the process. */
export function buildProcess(
  context: HostContext,
  parts: ProcessParts,
  handOver: (face: ProcessFace) => void,
): RealmProcess {
  let warned = false
  const bridge = {
    facts: JSON.stringify({
      version: process.version,
      versions: process.versions,
      arch: process.arch,
      release: { name: 'node', ...(process.release.lts ? { lts: process.release.lts } : {}) },
      features: process.features,
      config: { target_defaults: {}, variables: {} },
      argv: [EXEC_PATH, context.program.entry, ...context.args],
      execPath: EXEC_PATH,
      pid: context.pid,
      ppid: parts.ppid,
      cwd: context.program.cwd,
      memory: MEMORY,
      constrainedMemory: 512 * MEBIBYTE,
      resources: RESOURCES,
    }),
    env: JSON.stringify(context.env),
    emitter: () => context.builtin('events'),
    streams: () => ({
      ...(context.builtin('stream') as object),
      StringDecoder: (context.builtin('string_decoder') as { StringDecoder: unknown })
        .StringDecoder,
    }),
    nextTick: realNextTick,
    queueMicrotask: realQueueMicrotask,
    alive: () => context.alive(),
    call: parts.call,
    write: (stream: 'stdout' | 'stderr', text: string) => context.write(stream, text),
    exit: (code: number) => parts.exitNow(code),
    beforeEnd: (run: () => void) => parts.lastWords(run),
    killSelf: (signal: string) => parts.killSelf(signal),
    uptimeUs: () => parts.uptimeUs(),
    nowUs: () => context.readClockUs(),
    refuse: (call: string, instead: string) => context.unsupported(call, instead),
    error: parts.nodeError,
    received,
    signals: SIGNALS,
    signalName: (wanted: number) =>
      Object.entries(SIGNALS).find(([, number]) => number === wanted)?.[0],
    warnedBefore: () => {
      const before = warned
      warned = true
      return before
    },
    isBuiltin: (name: string) => builtinName(name) !== null,
    builtin: (name: string) => context.builtin(name),
    handOver,
  }
  return insideScript('process').runInContext(context.realm)(bridge) as RealmProcess
}

export const makeProcessObject: BuiltinFactory = (context) => partsOf(context).makeProcess()
