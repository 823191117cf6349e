/**
 * One life of a program as a real process: made ready, begun, stopped, continued, signalled, killed.
 *
 * A process is spawned when this is made, and runs its program from `begin` on: how long a machine
 * takes to spawn one (a tenth of a second, seconds under load, and the spawner waits) is not part of a
 * run.
 * It leads a process group of its own, which every signal goes to, has nothing in its environment but
 * what the scenario gives, and a guard that ends it when the judge is gone. Output comes line by
 * line, then the end, which is told once all output has arrived. Times are not known here.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { factsOf } from '../host/errors.ts'
import { LineSplitter } from '../host/output.ts'
import type { ProgramFiles } from '../scenario/program-files.ts'
import type { ProcessError, ProcessExited } from '../trace/events.ts'
import { guardOf, killGroup } from './guard.ts'
import type { RealOrder, ToldError } from './real-main.ts'
import { type Alarm, Watchdog } from './watchdog.ts'

const JUDGE_FD = 3

export type RealExit = Pick<ProcessExited, 'code' | 'signal' | 'cause'>
export type RealError = Pick<
  ProcessError,
  'name' | 'message' | 'stack' | 'file' | 'line' | 'column'
>

export interface RealProcessOptions {
  /** Path of the built real-main. */
  readonly main: string
  readonly files: ProgramFiles
  /** Absolute. */
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => void
  /** `error` is what ended it, where something did. Called once, after all output. */
  readonly onExit: (exit: RealExit, error: RealError | null) => void
  /** It ended before it was told to begin: a bug of ours. */
  readonly onStillborn: (how: string) => void
  /** It computes without end, or uses too much memory; it has been killed. */
  readonly onAlarm: (alarm: Alarm) => void
}

export class RealProcess {
  state: 'ready' | 'running' | 'frozen' | 'exited' = 'ready'
  /** Resolves when it has ended and all its output is here. */
  readonly gone: Promise<void>
  /** Resolves when it waits for its program, or has ended before. */
  readonly isUp: Promise<void>
  readonly #child: ChildProcess
  readonly #line: Duplex | undefined
  readonly #options: RealProcessOptions
  readonly #watchdog: Watchdog | null
  readonly #lines: Record<'stdout' | 'stderr', LineSplitter>
  #error: ToldError | null = null
  #tellGone: () => void = () => {}
  #tellUp: () => void = () => {}

  constructor(options: RealProcessOptions) {
    this.#options = options
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve
    })
    this.isUp = new Promise((resolve) => {
      this.#tellUp = resolve
    })
    const { main, files, env } = options
    this.#child = spawn(process.execPath, [main, JSON.stringify(files)], {
      cwd: files.labDir,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    const child = this.#child
    const guard = child.pid === undefined ? null : guardOf(child.pid)
    this.#watchdog =
      child.pid === undefined
        ? null
        : new Watchdog(
            child.pid,
            (alarm) => {
              this.signal('SIGKILL')
              options.onAlarm(alarm)
            },
            'quiet is fine',
          )
    this.#lines = { stdout: this.#linesOf('stdout'), stderr: this.#linesOf('stderr') }
    const heard = new LineSplitter((line) => this.#heard(line))
    this.#line = child.stdio[JUDGE_FD] as Duplex | undefined
    this.#line?.setEncoding('utf8').on('data', (text: string) => heard.push(text))
    this.#line?.on('error', () => {}) // Its end is told by 'close'.
    child.on('exit', () => {
      this.#watchdog?.stop()
      guard?.kill('SIGKILL')
      killGroup(child) // Whoever it started must not keep the descriptors open.
    })
    child.on('error', () => this.#ended(1, null))
    child.on('close', (code, signal) => this.#ended(code, signal))
  }

  /** Lets it run its program. Call once. */
  begin(): void {
    if (this.state !== 'ready') return
    const { program, args } = this.#options
    const order: RealOrder = { program, args }
    this.state = 'running'
    this.#line?.write(`${JSON.stringify(order)}\n`)
  }

  /** Something of it was seen: it is getting on. */
  moved(): void {
    this.#watchdog?.moved()
  }

  /** Stops it where it stands. False when it does not run. */
  freeze(): boolean {
    if (this.state !== 'running') return false
    this.state = 'frozen'
    this.#send('SIGSTOP')
    return true
  }

  thaw(): boolean {
    if (this.state !== 'frozen') return false
    this.state = 'running'
    this.#send('SIGCONT')
    return true
  }

  /** False when it is gone. A stopped process gets what is not SIGKILL when it goes on. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): boolean {
    if (this.state === 'exited') return false
    this.#send(signal)
    return true
  }

  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // It has ended by itself, and its end is on its way.
    }
  }

  #linesOf(stream: 'stdout' | 'stderr'): LineSplitter {
    const lines = new LineSplitter((text) => {
      this.moved()
      this.#options.onOutput(stream, text)
    })
    this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => lines.push(text))
    return lines
  }

  /** An error, or the empty line that says it is up. */
  #heard(line: string): void {
    if (line === '') {
      this.#tellUp()
      return
    }
    try {
      this.#error = JSON.parse(line) as ToldError
    } catch {
      // Not ours: the program wrote to a descriptor that it knows nothing of.
    }
  }

  #ended(code: number | null, signal: string | null): void {
    if (this.state === 'exited') return
    if (this.state === 'ready') this.#options.onStillborn(signal ?? `exit code ${code}`)
    this.state = 'exited'
    this.#lines.stdout.flush()
    this.#lines.stderr.flush()
    const uncaught = signal === null && code !== 0 && this.#error !== null
    const cause = signal !== null ? 'signal' : uncaught ? 'uncaught' : 'exit'
    const { targetDir } = this.#options.files
    const error = uncaught && this.#error ? readError(this.#error, targetDir) : null
    this.#options.onExit({ code: signal === null ? code : null, signal, cause }, error)
    this.#tellUp()
    this.#tellGone()
  }
}

/** Read by the same rules as an error in a world. */
function readError(told: ToldError, targetDir: string): RealError {
  const error = Object.assign(new Error(String(told.message)), { stack: String(told.stack) })
  Object.defineProperty(error, 'name', { value: String(told.name) })
  if (told.place !== null) Object.assign(error, { place: told.place })
  const { name, message, stack, place } = factsOf(error, (file) => file.startsWith(targetDir))
  const { file = null, line = null, column = null } = place ?? {}
  return { name, message, stack, file, line, column }
}
