/**
 * The simulated arm: one world, from a scenario and a seed to a trace.
 *
 * It puts kernel, network, servers and processes together and carries out the director's verbs. It
 * must run in a child process of its own (see world-main.ts): an uncaught error of code under test
 * arrives at the real process, which passes it to `uncaught`.
 */

import { dirname, resolve } from 'node:path'
import { HostProcess } from '../host/process.ts'
import { restoreShared } from '../host/shared-objects.ts'
import type { LuaRuntime } from '../infra/redis/lua.ts'
import { type RedisRequest, RedisServer } from '../infra/redis/server.ts'
import type { ProgramFiles } from '../scenario/program-files.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { Kernel, type KernelLimits, Origin } from '../sim/kernel.ts'
import { type DoorVerdict, FAIR, Network } from '../sim/network.ts'
import { Chance } from '../sim/random.ts'
import type { WorldEnded } from '../trace/events.ts'
import { Recorder, type TraceSink } from '../trace/recorder.ts'
import { type Arm, CLEAR, type LinkState } from './arm.ts'
import { type CommandVerdict, Director } from './director.ts'

/** Wall clock at virtual time 0: 2026-01-01T00:00:00Z. */
export const EPOCH_MS = Date.UTC(2026, 0, 1)

/** One way over a link, drawn anew for each piece of traffic. */
export const LATENCY_US = { min: 100, max: 2000 } as const

/** Sorts before every other origin: a verb comes before anything else of its instant. */
const TIMELINE = '!timeline'

export interface SimOptions {
  readonly seed: string
  readonly scenario: Scenario
  readonly files: ProgramFiles | null
  readonly lua: LuaRuntime
  readonly limits?: KernelLimits
}

export class SimArm implements Arm {
  readonly kernel: Kernel
  readonly recorder: Recorder
  /** False when something of Node was changed for good: no other world may run in this child. */
  reusable = true
  readonly #options: SimOptions
  readonly #chance: Chance
  readonly #network: Network
  readonly #director: Director
  readonly #timeline = new Origin(TIMELINE)
  readonly #lives = new Map<string, HostProcess>()
  /** Links that are slow or cut, by `process to`. */
  readonly #links = new Map<string, LinkState>()

  constructor(options: SimOptions, sinks: readonly TraceSink[]) {
    this.#options = options
    this.kernel = new Kernel(options.limits)
    this.recorder = new Recorder(() => this.kernel.now)
    this.#chance = new Chance(options.seed)
    const { kernel, recorder } = this
    const shared = { kernel, chance: this.#chance, record: recorder.record }
    this.#network = new Network({
      ...shared,
      minLatencyUs: LATENCY_US.min,
      maxLatencyUs: LATENCY_US.max,
    })
    new RedisServer({
      ...shared,
      network: this.#network,
      lua: options.lua,
      epochMs: EPOCH_MS,
      name: 'redis',
      port: 6379,
    })
    for (const name of Object.keys(options.scenario.processes)) this.#network.addHost(name)
    this.#director = new Director(options.scenario, this, recorder.record)
    for (const sink of sinks) recorder.addSink(sink)
    recorder.addSink(this.#director.see)
    this.#network.door = (segment, end) => {
      if (!this.#director.waiting) return 'deliver'
      const request = segment.meaning as RedisRequest | undefined
      if (request?.kind !== 'command') return 'deliver'
      const argv = request.args.map((arg) => arg.toString('latin1'))
      const release = (): void => this.#network.release(end)
      return doorVerdict(this.#director.verdictOn(end.peer.party.name, argv, release))
    }
    this.#network.weather = (from, to) => {
      if (this.#links.size === 0) return FAIR
      const [out, back] = [this.#linkOf(from, to), this.#linkOf(to, from)]
      const delayUs = (out.delayMs + back.delayMs) * 1000
      if (out.delayMs > 0 || out.outCut) this.#director.linkBit(from, to)
      if (back.delayMs > 0 || back.inCut) this.#director.linkBit(to, from)
      return { delayUs, cut: out.outCut || back.inCut }
    }
  }

  /** Runs the world to its end and tells that as the last event. */
  async run(): Promise<void> {
    const { kernel } = this
    kernel.at(0, this.#timeline, null, 'job', () => this.#director.begin())
    const end = await kernel.run(this.#options.scenario.limitMs * 1000)
    const detail = 'detail' in end ? end.detail : null
    const { changed, whole } = restoreShared()
    this.reusable = whole
    if (changed.length > 0 && end.why !== 'leak') this.tellEnd('leak', sharedText(changed))
    else this.tellEnd(end.why === 'stopped' ? 'until' : end.why, detail)
    for (const life of this.#lives.values()) kernel.bury(life)
  }

  /** Records the last event. */
  tellEnd(why: WorldEnded['why'], detail: string | null): void {
    const never = this.#director.never()
    this.recorder.record({ kind: 'world.ended', why, detail, never })
  }

  shape(process: string, to: string, link: LinkState): void {
    const key = `${process} ${to}`
    if (link.delayMs === 0 && !link.outCut && !link.inCut) this.#links.delete(key)
    else this.#links.set(key, link)
    this.#network.clear(process, to)
  }

  #linkOf(process: string, to: string): LinkState {
    return this.#links.get(`${process} ${to}`) ?? CLEAR
  }

  after(delayMs: number, run: () => void): void {
    const { kernel } = this
    kernel.at(kernel.now + delayMs * 1000, this.#timeline, null, 'job', run)
  }

  stop(): void {
    this.kernel.stop()
  }

  start(name: string): boolean {
    const before = this.#lives.get(name)
    if (before !== undefined && before.state !== 'exited') return false
    const spec = this.#options.scenario.processes[name]
    if (spec === undefined) return false
    const { files } = this.#options
    const life = new HostProcess({
      kernel: this.kernel,
      network: this.#network,
      chance: this.#chance,
      record: this.recorder.record,
      name,
      incarnation: (before?.incarnation ?? 0) + 1,
      // A program of no lab has an init above it, as under `docker run --init`: signals end it.
      pid: files === null ? 2 : 1,
      isPid1: files !== null,
      program:
        files === null
          ? { entry: spec.program, cwd: dirname(spec.program), files }
          : { entry: resolve(files.labDir, spec.program), cwd: files.labDir, files },
      env: { ...spec.env },
      args: [...(spec.args ?? [])],
      epochMs: EPOCH_MS,
    })
    this.#lives.set(name, life)
    life.start()
    return true
  }

  restart(name: string): boolean {
    this.kill(name)
    return this.start(name)
  }

  freeze(name: string): boolean {
    const life = this.#lives.get(name)
    if (life?.state !== 'running') return false
    life.freeze()
    return true
  }

  thaw(name: string): boolean {
    const life = this.#lives.get(name)
    if (life?.state !== 'frozen') return false
    life.thaw()
    return true
  }

  kill(name: string): boolean {
    return this.#signal(name, 'SIGKILL')
  }

  term(name: string): boolean {
    return this.#signal(name, 'SIGTERM')
  }

  #signal(name: string, signal: 'SIGKILL' | 'SIGTERM'): boolean {
    const life = this.#lives.get(name)
    if (life === undefined || life.state === 'exited') return false
    life.signal(signal)
    return true
  }
}

/** Processes share Node's own classes, so one of them has reached into the others. */
function sharedText(changed: readonly string[]): string {
  const what =
    changed.length > 1 ? `${changed[0]} and ${changed.length - 1} more were` : `${changed[0]} was`
  return `${what} changed, which all processes share; change an object or a subclass of your own instead`
}

function doorVerdict(verdict: CommandVerdict): DoorVerdict {
  if (verdict.kind === 'deliver' || verdict.kind === 'hold') return verdict.kind
  return `${verdict.kind}-${verdict.point === 'before-arrival' ? 'before' : 'after'}`
}
