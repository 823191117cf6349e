/**
 * The life of a process from its first event to its end: a realm and everything in it.
 *
 * It loads and runs the entry, keeps count of what could still wake the process, and decides what an
 * uncaught error or an empty count means: 'beforeExit' (which may revive it), 'exit', the code.
 * What ends it is carried out by process.ts, which closes the gate. Here every built-in is made, at
 * most once. Time: virtual µs.
 */

import { types } from 'node:util'
import { builtins } from './builtins/index.ts'
import type { Handle, HostContext } from './context.ts'
import { cleanStack, framesOf } from './errors.ts'
import { loadFetch } from './fetch.ts'
import { insideScript } from './inside.ts'
import { realpath } from './modules/disk.ts'
import { ModuleLoader } from './modules/loader.ts'
import { loopSite, ROUND } from './modules/loops.ts'
import { type ProcessParts, setParts } from './parts.ts'
import type { HostProcess, HostProcessOptions } from './process.ts'
import { buildProcess, type ProcessFace, type RealmProcess } from './process-object.ts'
import { createRealm, furnishRealm } from './realm.ts'
import { watchModule } from './shared-objects.ts'
import { buildTimers, type RealmTimers } from './timers.ts'

/** Thrown by `process.exit`, so that what stands behind it does not run on. Nobody is told of it. */
export const GONE = Symbol('this process has ended')

/** The exit code of a top-level await that never settles. */
const UNSETTLED = 13

export class Life {
  readonly loader: ModuleLoader
  face: ProcessFace | null = null
  readonly #host: HostProcess
  readonly #options: HostProcessOptions
  readonly #context: HostContext
  readonly #instances = new Map<string, unknown>()
  readonly #realmProcess: RealmProcess
  readonly #timers: RealmTimers
  #fetchApi: Readonly<Record<string, unknown>> | null = null
  /** Things that keep the process alive. */
  #holds = 0
  #checking = false
  #loading = true
  /** 'beforeExit' was told and nothing has held it since: this is the end. */
  #toldBeforeExit = false

  constructor(host: HostProcess, options: HostProcessOptions, startedUs: number) {
    this.#host = host
    this.#options = options
    this.#context = this.#makeContext()
    const parts = this.#makeParts(startedUs)
    setParts(this.#context, parts)
    this.#timers = buildTimers(this.#context, parts)
    this.#realmProcess = buildProcess(this.#context, parts, (face) => {
      this.face = face
    })
    this.loader = new ModuleLoader(this.#context)
    furnishRealm(this.#context, parts)
    insideScript('loops').runInContext(this.#context.realm)({
      name: ROUND,
      spent: (site: number, rounds: number) =>
        options.kernel.countRounds(rounds, () => host.tellLoop(loopSite(site))),
    })
  }

  run(): void {
    const loaded = (): void => {
      this.#loading = false
      this.#check()
    }
    const failed = (error: unknown): void => {
      this.#loading = false
      // Thrown by the top level, so an uncaught error, never an unhandled rejection.
      this.#host.uncaught(error, 'error')
      this.#check()
    }
    this.loader.runEntry(realpath(this.#options.program.entry)).then(loaded, failed)
    this.#check()
  }

  uncaught(error: unknown, kind: 'error' | 'rejection', promise: unknown): void {
    const face = this.#faceNow()
    if (kind === 'rejection') {
      if (face.listenerCount('unhandledRejection') > 0) {
        this.#host.call(() => face.emit('unhandledRejection', error, promise), undefined, [])
        return
      }
      this.#throwUncaught(rejectionError(error, this.#context), 'unhandledRejection', face)
    } else this.#throwUncaught(error, 'uncaughtException', face)
  }

  emit(name: string, value: unknown): void {
    this.#faceNow().emit(name, value)
  }

  #throwUncaught(error: unknown, origin: string, face: ProcessFace): void {
    try {
      face.emit('uncaughtExceptionMonitor', error, origin)
      const capture = face.capture()
      if (capture !== null) {
        capture(error)
        return
      }
      if (face.emit('uncaughtException', error, origin)) return
    } catch (second) {
      if (second !== GONE) this.#host.fail(second, 7)
      return
    }
    if (this.#host.gate === 'dead') return
    this.#host.tell(error)
    const wasExiting = face.markExiting()
    face.setExitCode(1)
    if (!wasExiting) this.#lastWords(() => face.emit('exit', 1))
    const code = Number(face.exitCode() ?? 1)
    this.#host.end({ code, signal: null, cause: 'uncaught' })
  }

  /** `process` is made on first use; an end needs it in any case. */
  #faceNow(): ProcessFace {
    this.#context.builtin('process')
    return this.face as ProcessFace
  }

  #hold(): void {
    this.#holds += 1
    this.#toldBeforeExit = false
  }

  #release(): void {
    this.#holds -= 1
    if (this.#holds === 0) this.#check()
  }

  /** Ends by itself when nothing is left. Asked whenever the last thing that held it has gone. */
  #check(): void {
    if (this.#holds > 0 || this.#checking || this.#host.gate === 'dead') return
    this.#checking = true
    this.#context.schedule('job', 0, () => {
      this.#checking = false
      if (this.#holds > 0) return
      const { face } = this
      if (face === null || this.#toldBeforeExit) this.#leave()
      else {
        this.#toldBeforeExit = true
        face.emit('beforeExit', Number(face.exitCode() ?? 0))
        this.#check()
      }
    })
  }

  #leave(): void {
    const { face } = this
    const code = (): number => Number(face?.exitCode() ?? 0)
    if (face !== null && !face.markExiting()) this.#lastWords(() => face.emit('exit', code()))
    const waits = this.#loading && (face?.exitCode() ?? null) === null
    if (waits) {
      this.#host.write(
        'stderr',
        `Warning: Detected unsettled top-level await in ${this.#options.program.entry}\n`,
      )
    }
    this.#host.end({ code: waits ? UNSETTLED : code() & 0xff, signal: null, cause: 'exit' })
  }

  #lastWords(run: () => void): void {
    try {
      run()
    } catch (error) {
      if (error !== GONE) this.#host.fail(error)
    }
  }

  #exitNow(code: number): never {
    this.#host.end({ code: code & 0xff, signal: null, cause: 'exit' })
    throw GONE
  }

  #makeParts(startedUs: number): ProcessParts {
    const life = this
    return {
      get timers() {
        return life.#timers
      },
      get queueMicrotask() {
        return life.#realmProcess.queueMicrotask
      },
      get asyncContextUsed() {
        return life.#instances.has('async_hooks')
      },
      ppid: 0,
      startedUs,
      makeProcess: () => life.#realmProcess.makeProcess(),
      fetchApi: () => {
        life.#fetchApi ??= loadFetch(life.#context.realm, life.loader)
        return life.#fetchApi
      },
      hold: () => life.#hold(),
      release: () => life.#release(),
      call: (fn, self, args) => life.#host.call(fn, self, args),
      warn: (text, name) => life.#faceNow().emitWarning(text, name),
      nodeError: (kind, code, message) => realmError(life.#context, kind, code, message),
      uptimeUs: () => life.#context.readClockUs() - startedUs,
      killSelf: (signal) => life.#host.signalSelf(signal),
      lastWords: (run) => life.#lastWords(run),
      exitNow: (code) => life.#exitNow(code),
    }
  }

  #makeContext(): HostContext {
    const host = this.#host
    const options = this.#options
    const { kernel, chance } = options
    const who = `${options.name} ${options.incarnation}`
    const origin = kernel.origin(`process ${options.name}`)
    const context: HostContext = {
      kernel,
      network: options.network,
      record: options.record,
      party: host.party,
      name: options.name,
      incarnation: options.incarnation,
      pid: options.pid,
      program: options.program,
      args: options.args,
      env: options.env,
      epochMs: options.epochMs,
      realm: createRealm(),
      readClockUs: () => kernel.readClock(),
      draw: (name) => chance.stream(`process ${who} ${name}`),
      guard: (what) => {
        if (host.gate === 'dead') return false
        host.assertCurrent(what)
        return true
      },
      alive: () => host.gate !== 'dead',
      schedule: (eventClass, delayUs, run) =>
        kernel.at(kernel.now + delayUs, origin, host, eventClass, () => {
          try {
            run()
          } catch (error) {
            host.uncaught(error, 'error')
          }
        }),
      cancel: (event) => kernel.cancel(event),
      open: () => this.#open(),
      write: (stream, text) => {
        if (context.guard(`a line on ${stream}`)) host.write(stream, text)
      },
      exit: (code) => this.#exitNow(code),
      builtin: (name) => this.#builtin(name),
      unsupported: (call, instead) => {
        throw realmError(context, 'Error', 'ERR_NOT_IN_WORLD', refusal(call, instead))
      },
    }
    return context
  }

  #open(): Handle {
    let open = true
    let ref = true
    this.#hold()
    return {
      ref: () => {
        if (!open || ref) return
        ref = true
        this.#hold()
      },
      unref: () => {
        if (!open || !ref) return
        ref = false
        this.#release()
      },
      hasRef: () => open && ref,
      close: () => {
        if (!open) return
        open = false
        if (ref) this.#release()
      },
    }
  }

  #builtin(name: string): unknown {
    if (this.#instances.has(name)) return this.#instances.get(name)
    const builtin = builtins.get(name)
    if (builtin === undefined) {
      throw realmError(
        this.#context,
        'Error',
        'ERR_NOT_IN_WORLD',
        refusal(`node:${name}`, 'It has no simulated form.'),
      )
    }
    let instance: unknown
    watchModule(name)
    if (builtin.kind === 'native') instance = process.getBuiltinModule(name)
    else if (builtin.kind === 'made') instance = builtin.make(this.#context)
    else this.#context.unsupported(`node:${name}`, builtin.instead)
    this.#instances.set(name, instance)
    return instance
  }
}

/** Names the call and the line that made it. */
function refusal(call: string, instead: string): string {
  const holder = { stack: '' }
  Error.captureStackTrace(holder, refusal)
  const frame = framesOf(cleanStack(holder.stack)).find(
    ({ file }) => !file.includes('/node_modules/'),
  )
  const where = frame === undefined ? '' : ` (${frame.file}:${frame.line})`
  return `${call} does not exist inside the world${where}. ${instead}`
}

/** With `code` in the stack's first line, as Node's own errors have it. */
function realmError(context: HostContext, kind: string, code: string, message: string): Error {
  const Class = context.realm[kind] as new (text: string) => Error
  const error = new Class(message) as Error & { code: string }
  const { stack } = error
  error.code = code
  if (typeof stack === 'string') {
    error.stack = cleanStack(stack).replace(/^(\w+)/, `$1 [${code}]`)
  }
  return error
}

/** A rejection with something that is no error is wrapped, as Node does. */
function rejectionError(reason: unknown, context: HostContext): unknown {
  if (types.isNativeError(reason)) return reason
  return realmError(
    context,
    'Error',
    'ERR_UNHANDLED_REJECTION',
    `This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "${reasonText(reason)}".`,
  )
}

/** Its own `toString` may throw. */
function reasonText(reason: unknown): string {
  try {
    return String(reason)
  } catch {
    return 'something that cannot be shown'
  }
}
