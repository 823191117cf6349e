/**
 * A process of a world without its realm: enough of a HostContext to try the built-ins by themselves.
 *
 * Kernel, network, chance and trace are the real ones. Programs are functions that take the built-ins
 * they use; what they print is collected. Only for programs that throw nothing uncaught.
 */

import { builtins } from '../../../src/host/builtins/index.ts'
import type { Handle, HostContext } from '../../../src/host/context.ts'
import { Kernel, type Owner, type RunEnd } from '../../../src/sim/kernel.ts'
import { Network, type Party } from '../../../src/sim/network.ts'
import { Chance } from '../../../src/sim/random.ts'
import type { TraceEvent } from '../../../src/trace/events.ts'
import { Recorder } from '../../../src/trace/recorder.ts'

export interface FakeWorld {
  readonly kernel: Kernel
  readonly network: Network
  readonly events: TraceEvent[]
  process(name: string): FakeProcess
  /** Runs until nothing is left, or until `untilMs` (10 virtual minutes if not given). */
  run(untilMs?: number): Promise<RunEnd>
}

export interface FakeProcess {
  readonly context: HostContext
  readonly owner: Owner
  readonly lines: string[]
  /** Handles that are open and referenced. */
  alive(): number
  /** Puts the program's start into the world, `atMs` from now. */
  start(program: (process: FakeProcess) => void, atMs?: number): void
  // biome-ignore lint/suspicious/noExplicitAny: a program uses modules by name, as JavaScript does
  module(name: string): any
  setTimeout(run: () => void, ms: number): void
}

export function fakeWorld(seed = 'test'): FakeWorld {
  const kernel = new Kernel()
  const chance = new Chance(seed)
  const recorder = new Recorder(() => kernel.now)
  const events: TraceEvent[] = []
  recorder.addSink((event) => events.push(event))
  const network = new Network({
    kernel,
    chance,
    record: recorder.record,
    minLatencyUs: 200,
    maxLatencyUs: 800,
  })
  const processes = new Map<string, FakeProcess>()
  const world: FakeWorld = {
    kernel,
    network,
    events,
    process: (name) => {
      let process = processes.get(name)
      if (process === undefined) {
        process = fakeProcess(name, { kernel, network, chance, record: recorder.record })
        processes.set(name, process)
      }
      return process
    },
    run: (untilMs = 600_000) => kernel.run(untilMs * 1000),
  }
  return world
}

interface Parts {
  readonly kernel: Kernel
  readonly network: Network
  readonly chance: Chance
  readonly record: Recorder['record']
}

function fakeProcess(name: string, { kernel, network, chance, record }: Parts): FakeProcess {
  const owner: Owner = {
    name,
    gate: 'open',
    uncaught: (error) => {
      throw error
    },
  }
  const party: Party = { name, incarnation: 1, owner }
  network.addHost(name)
  const origin = kernel.origin(name)
  const lines: string[] = []
  const open = new Set<Handle>()
  const modules = new Map<string, unknown>()
  const context: HostContext = {
    kernel,
    network,
    record,
    party,
    name,
    incarnation: 1,
    pid: 1,
    program: { entry: '/lab/main.ts', cwd: process.cwd(), files: null },
    args: [],
    env: {},
    epochMs: 1_700_000_000_000,
    realm: globalThis as unknown as Record<string, unknown>,
    readClockUs: () => kernel.readClock(),
    draw: (stream) => chance.stream(`${name}#1 ${stream}`),
    guard: (what) => {
      if (owner.gate === 'dead') return false
      kernel.assertCurrent(owner, what)
      return true
    },
    alive: () => owner.gate !== 'dead',
    schedule: (eventClass, delayUs, run) =>
      kernel.at(kernel.now + delayUs, origin, owner, eventClass, run),
    cancel: (event) => kernel.cancel(event),
    open: () => {
      let referenced = true
      const handle: Handle = {
        ref: () => {
          referenced = true
        },
        unref: () => {
          referenced = false
        },
        hasRef: () => referenced,
        close: () => {
          open.delete(handle)
        },
      }
      open.add(handle)
      return handle
    },
    write: (_stream, text) => lines.push(text),
    exit: () => kernel.bury(owner),
    builtin: (wanted) => {
      const known = modules.get(wanted)
      if (known !== undefined) return known
      const builtin = builtins.get(wanted)
      if (builtin === undefined || builtin.kind !== 'made') {
        return process.getBuiltinModule(wanted)
      }
      const made = builtin.make(context)
      modules.set(wanted, made)
      return made
    },
    unsupported: (call, instead): never => {
      throw new Error(`${call} has no simulated form; use ${instead}`)
    },
  } as HostContext
  const fake: FakeProcess = {
    context,
    owner,
    lines,
    alive: () => [...open].filter((handle) => handle.hasRef()).length,
    start: (program, atMs = 0) => {
      kernel.at(kernel.now + atMs * 1000, origin, owner, 'job', () => program(fake))
    },
    module: (wanted) => context.builtin(wanted),
    setTimeout: (run, ms) => {
      context.schedule('timer', ms * 1000, run)
    },
  }
  return fake
}
