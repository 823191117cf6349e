/**
 * One Node process inside the world: a realm, its modules, its timers, its life and its end.
 *
 * It ends by itself when nothing is left that could wake it, by `process.exit`, by a signal, or by an
 * error that nobody caught. From that instant its gate is closed: every effect of this incarnation
 * is a no-op, also in code that still runs on (a `finally`, a late promise). A frozen process
 * receives nothing; a signal other than SIGKILL waits for the thaw. A restart is a new HostProcess.
 * Time: virtual µs. Errors: those of the program are told on its stderr and in the trace; only the
 * host's own mistakes are thrown.
 */

import { basename, relative } from 'node:path'
import { targetDirsOf } from '../scenario/program-files.ts'
import { type Kernel, LeakError, type Owner } from '../sim/kernel.ts'
import type { Network, Party } from '../sim/network.ts'
import type { Chance } from '../sim/random.ts'
import type { Recorder } from '../trace/recorder.ts'
import type { ProgramSpec } from './context.ts'
import { factsOf, uncaughtText } from './errors.ts'
import { GONE, Life } from './life.ts'
import { prepareMainRealm } from './main-realm.ts'
import { setFindImporter } from './modules/compile.ts'
import { realpath } from './modules/disk.ts'
import type { ModuleLoader } from './modules/loader.ts'
import type { LoopSite } from './modules/loops.ts'
import { LineSplitter } from './output.ts'
import { defaultAction, isSignal } from './signals.ts'

export interface HostProcessExit {
  readonly code: number | null
  readonly signal: string | null
  readonly cause: 'exit' | 'signal' | 'uncaught'
}

export interface HostProcessOptions {
  readonly kernel: Kernel
  readonly network: Network
  readonly chance: Chance
  readonly record: Recorder['record']
  readonly name: string
  readonly incarnation: number
  readonly pid: number
  readonly program: ProgramSpec
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** Unix time in ms at virtual time 0. */
  readonly epochMs: number
  /** Default true: a container's first process ignores signals that it has no handler for. */
  readonly isPid1?: boolean
  readonly onExit?: (exit: HostProcessExit) => void
}

/** Characters in a process's life: the trace holds them all. */
const MOST_OUTPUT = 10_000_000

let kernelOfWorld: Kernel | null = null

export class HostProcess implements Owner {
  readonly name: string
  readonly incarnation: number
  readonly party: Party
  gate: 'open' | 'frozen' | 'dead' = 'open'
  readonly #options: HostProcessOptions
  readonly #output: Readonly<Record<'stdout' | 'stderr', LineSplitter>>
  #startedUs = 0
  /** Characters, both streams. */
  #written = 0
  /** Made by the first event. */
  #life: Life | null = null
  #pendingSignals: string[] = []

  constructor(options: HostProcessOptions) {
    this.#options = options
    this.name = options.name
    this.incarnation = options.incarnation
    this.party = { name: options.name, incarnation: options.incarnation, owner: this }
    options.network.addHost(options.name)
    const lines = (stream: 'stdout' | 'stderr') =>
      new LineSplitter((text) => {
        options.record({ kind: 'process.output', ...this.#who(), stream, text })
      })
    this.#output = { stdout: lines('stdout'), stderr: lines('stderr') }
  }

  get state(): 'running' | 'frozen' | 'exited' {
    if (this.gate === 'open') return 'running'
    return this.gate === 'frozen' ? 'frozen' : 'exited'
  }

  /** Puts the first event, which loads and runs the entry. */
  start(): void {
    const { kernel, record } = this.#options
    kernelOfWorld = kernel
    prepareMainRealm(() => this.#options.epochMs + (kernelOfWorld?.now ?? 0) / 1000)
    this.#startedUs = kernel.now
    record({ kind: 'process.started', ...this.#who(), program: programName(this.#options.program) })
    this.#post('job', () => {
      this.#life = new Life(this, this.#options, this.#startedUs)
      this.#life.run()
    })
  }

  freeze(): void {
    if (this.gate !== 'open') return
    this.#options.kernel.freeze(this)
    this.#options.record({ kind: 'process.frozen', ...this.#who() })
  }

  /** Overdue timers run first, then what came in, then the signals that waited. */
  thaw(): void {
    if (this.gate !== 'frozen') return
    this.#options.record({ kind: 'process.thawed', ...this.#who() })
    this.#options.kernel.thaw(this)
    const waiting = this.#pendingSignals
    this.#pendingSignals = []
    for (const signal of waiting) this.#receive(signal)
  }

  /** From outside, as `docker kill` or an orchestrator sends it. Nothing happens after the end. */
  signal(name: string): void {
    if (this.gate === 'dead') return
    if (!isSignal(name)) throw new RangeError(`unknown signal ${name}`)
    this.#options.record({ kind: 'process.signalled', ...this.#who(), signal: name })
    if (name === 'SIGKILL') this.end({ code: null, signal: name, cause: 'signal' })
    else if (name === 'SIGSTOP') this.freeze()
    else if (name === 'SIGCONT') {
      this.thaw()
      this.#receive(name)
    } else if (this.gate === 'frozen') {
      if (!this.#pendingSignals.includes(name)) this.#pendingSignals.push(name)
    } else this.#receive(name)
  }

  /** A signal that the process sends to itself. */
  signalSelf(name: string): void {
    if (name === 'SIGKILL' || name === 'SIGABRT') {
      this.end({ code: null, signal: name, cause: 'signal' })
    } else if (name === 'SIGSTOP') this.freeze()
    else this.#receive(name)
  }

  uncaught(error: unknown, kind: 'error' | 'rejection', promise?: unknown): void {
    if (this.gate === 'dead' || error === GONE || LeakError.is(error)) return
    if (this.#life === null) this.fail(error)
    else this.#life.uncaught(error, kind, promise)
  }

  /** Every effect asks first. A leak is told here and now: the program may catch what is thrown. */
  assertCurrent(what: string): void {
    try {
      this.#options.kernel.assertCurrent(this, what)
    } catch (error) {
      this.tell(error)
      throw error
    }
  }

  /** Ends it by an error: told on stderr and in the trace, code 1 unless another is given. */
  fail(error: unknown, code = 1): void {
    this.tell(error)
    this.end({ code, signal: null, cause: 'uncaught' })
  }

  /** The error, on stderr and in the trace. */
  tell(error: unknown): void {
    this.write('stderr', uncaughtText(error))
    const { name, message, stack, place } = factsOf(error, (file) => this.#isTested(file))
    this.#options.record({
      kind: 'process.error',
      ...this.#who(),
      name,
      message,
      stack,
      file: place?.file ?? null,
      line: place?.line ?? null,
      column: place?.column ?? null,
    })
  }

  /** A loop without end, in the trace; answers its place as a person names it. */
  tellLoop(site: LoopSite | undefined): string {
    const file = site?.file ?? 'a file'
    const line = site?.line ?? null
    const { program } = this.#options
    this.#options.record({
      kind: 'process.error',
      ...this.#who(),
      name: 'EndlessLoop',
      message: 'a loop that never ends',
      stack: '',
      file,
      line,
      column: null,
    })
    return `${programName({ ...program, entry: file })}:${line}`
  }

  /** Closes the gate. */
  end(exit: HostProcessExit): void {
    if (this.gate === 'dead') return
    this.#output.stdout.flush()
    this.#output.stderr.flush()
    this.#options.record({ kind: 'process.exited', ...this.#who(), ...exit })
    this.#options.kernel.bury(this)
    this.#options.network.drop(this.party)
    this.#life = null
    this.#options.onExit?.(exit)
  }

  /** Output of the process. Nothing comes out of a dead one. */
  write(stream: 'stdout' | 'stderr', text: string): void {
    if (this.gate === 'dead') return
    this.#written += text.length
    if (this.#written > MOST_OUTPUT) {
      const detail = `${this.name} printed more than ${MOST_OUTPUT / 1e6} million characters`
      this.#options.kernel.onRunaway?.(detail, 'event-limit')
    }
    this.#output[stream].push(text)
  }

  /** Runs what is the process's own; an error in it is the process's. */
  call(fn: (...args: never[]) => unknown, self: unknown, args: readonly unknown[]): void {
    try {
      Reflect.apply(fn, self, args)
    } catch (error) {
      this.uncaught(error, 'error')
    }
  }

  /** Emits an event of `process` within the running event. */
  tellFace(name: string, value: unknown): void {
    if (this.gate !== 'dead') this.call(() => this.#life?.emit(name, value), undefined, [])
  }

  /** The module behind an `import()` of this process. */
  import(...args: Parameters<ModuleLoader['import']>): ReturnType<ModuleLoader['import']> {
    if (this.#life === null) return new Promise(() => {})
    return this.#life.loader.import(...args)
  }

  #receive(name: string): void {
    const handlers = this.#life?.face?.listenerCount(name) ?? 0
    if (handlers > 0) {
      this.#post('io', () => this.#life?.face?.emit(name, name, 0))
      return
    }
    const action = defaultAction(name)
    if (action === 'ignore' || (this.#options.isPid1 ?? true)) return
    this.end({ code: null, signal: name, cause: 'signal' })
  }

  #post(eventClass: 'io' | 'job', run: () => void): void {
    const { kernel } = this.#options
    const origin = kernel.origin(`process ${this.name}`)
    kernel.at(kernel.now, origin, this, eventClass, () => this.call(run, undefined, []))
  }

  #isTested(file: string): boolean {
    const { files, cwd } = this.#options.program
    if (files === null) return file.startsWith(`${cwd}/`) && !file.includes('/node_modules/')
    if (file.includes('/node_modules/')) return false
    return targetDirsOf(files).some((dir) => file.startsWith(`${realpath(dir)}/`))
  }

  #who(): { process: string; incarnation: number } {
    return { process: this.name, incarnation: this.incarnation }
  }
}

/** Told by the real process in the drain of the event that handled it. */
process.on('rejectionHandled', (promise) => {
  const current = kernelOfWorld?.current
  if (current instanceof HostProcess) current.tellFace('rejectionHandled', promise)
})

/** Node's own emitters, which processes share, warn the real process of too many listeners. */
process.on('warning', (warning) => {
  if (warning.name !== 'MaxListenersExceededWarning') return
  const current = kernelOfWorld?.current
  if (current instanceof HostProcess) current.tellFace('warning', warning)
})

setFindImporter(() => {
  const current = kernelOfWorld?.current
  return current instanceof HostProcess ? (...args) => current.import(...args) : null
})

/** The program as the trace names it: never where on this disk it lies. */
function programName({ entry, cwd, files }: ProgramSpec): string {
  for (const folder of [files?.labDir, files?.targetDir, cwd]) {
    if (folder !== undefined && entry.startsWith(`${folder}/`)) return relative(folder, entry)
  }
  return basename(entry)
}
