/**
 * What the parts of one simulated process share: its world, its identity, its gate.
 *
 * Built once per incarnation by `process.ts` and handed to every module facade in `builtins/`. Every
 * effect (a byte, a timer, a line) goes through `guard` first: it throws a LeakError when another
 * process's event is running, and answers false when this incarnation is dead.
 */

import type { ProgramFiles } from '../scenario/program-files.ts'
import type { Kernel, WorldEvent } from '../sim/kernel.ts'
import type { Network, Party } from '../sim/network.ts'
import type { Draw } from '../sim/random.ts'
import type { Recorder } from '../trace/recorder.ts'

/** Where the files of a process come from. Paths are absolute. */
export interface ProgramSpec {
  readonly entry: string
  readonly cwd: string
  /** Null for a program of no lab: then every file below `cwd` may be imported. */
  readonly files: ProgramFiles | null
}

/** Something that keeps a process alive: a socket, a server, a timer. */
export interface Handle {
  ref(): void
  unref(): void
  hasRef(): boolean
  /** It is over. Idempotent. */
  close(): void
}

export interface HostContext {
  readonly kernel: Kernel
  readonly network: Network
  /** Tells the trace. Built-ins record what a server of this process got and answered over HTTP. */
  readonly record: Recorder['record']
  /** This incarnation, as network and trace name it. Its owner is the kernel's owner. */
  readonly party: Party
  readonly name: string
  readonly incarnation: number
  readonly pid: number
  readonly program: ProgramSpec
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Unix time in ms at virtual time 0. */
  readonly epochMs: number
  /** The realm's global object: intrinsics in here are the process's own. */
  readonly realm: Record<string, unknown>

  /** Virtual µs, counted (a loop that spins on the clock is noticed). */
  readClockUs(): number
  /** A named stream of numbers of this incarnation. */
  draw(name: string): Draw
  /** True when the effect may be made. See above. */
  guard(what: string): boolean
  alive(): boolean
  /** An event of this process after `delayUs`; `timer` events run first at a thaw. */
  schedule(eventClass: 'timer' | 'io' | 'job', delayUs: number, run: () => void): WorldEvent
  cancel(event: WorldEvent): void
  /** Registers something that keeps the process alive (referenced from the start). */
  open(kind: string): Handle
  /** Writes to fd 1 or 2. Split into lines by the process. */
  write(stream: 'stdout' | 'stderr', text: string): void
  /** Ends this incarnation: the gate closes at once. */
  exit(code: number): void
  /** Another built-in of this process, by name without `node:`. */
  builtin(name: string): unknown
  /** Throws what a call answers that has no simulated form. */
  unsupported(call: string, instead: string): never
}

/** One built-in module: makes this process's own instance of it. Called at most once a process. */
export type BuiltinFactory = (context: HostContext) => unknown
