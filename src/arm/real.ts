/**
 * The real arm: one run of a scenario with child processes, signals and a real Redis server.
 *
 * The same director, the same events, the same taps as in the simulated arm; only time, order and
 * latency are the machine's. `t` is true microseconds since the run began. The limit is three times the
 * scenario's and at least a second more; like every point in time of a scenario it counts from the
 * first line of a process (real-clock.ts). Not here: whether the machine was fit for it
 * (machine-watch.ts), and repeats.
 */

import { resolve } from 'node:path'
import type { ProgramFiles } from '../scenario/program-files.ts'
import type { ProcessSpec, Scenario } from '../scenario/scenario.ts'
import type { TraceEvent, Unplaced, WorldEnded } from '../trace/events.ts'
import { Recorder } from '../trace/recorder.ts'
import type { Arm, LinkState } from './arm.ts'
import { Director } from './director.ts'
import type { WorldJob } from './job.ts'
import { MachineWatch } from './machine-watch.ts'
import { RealClock } from './real-clock.ts'
import { RealProcess } from './real-process.ts'
import { Ways } from './real-ways.ts'
import type { RedisAddress } from './redis-address.ts'
import { openLink, type RedisLink } from './redis-link.ts'
import type { RedisRun } from './redis-run.ts'
import type { Survey } from './redis-survey.ts'
import { RedisTruth } from './redis-truth.ts'
import { Turnstile } from './turnstile.ts'

const REDIS = 'redis'
/** How long processes may take until the first of them says something. */
const START_CEILING_MS = 60_000
const PORT_POLL_MS = 20
const UPPER_BOUND_FACTOR = 3
const UPPER_BOUND_LEAST_MS = 1000

export interface RealOptions {
  readonly job: WorldJob
  /** Path of the built real-main. */
  readonly main: string
  readonly address: RedisAddress
  readonly survey: Survey
  /** The run's own connection, whose space `prefix` is. */
  readonly control: RedisLink
  readonly prefix: string
}

/** One name of the scenario and its present life. */
interface Role {
  /** Null until it is first started. */
  life: RealProcess | null
  /** Lives to come, spawned already. */
  readonly ready: RealProcess[]
  incarnation: number
  /** Lines of a process that may have just begun to listen, while that is looked at. */
  readonly held: (() => void)[]
  /** It is to be started once its present life is over. */
  again: boolean
}

export class RealArm implements Arm {
  readonly events: TraceEvent[] = []
  readonly watch = new MachineWatch()
  readonly #options: RealOptions
  readonly #scenario: Scenario
  readonly #clock = new RealClock()
  readonly #recorder = new Recorder(this.#clock.nowUs)
  readonly #director: Director
  readonly #turnstile = new Turnstile()
  readonly #ways: Ways
  readonly #roles = new Map<string, Role>()
  #over = false
  #bug: Error | null = null
  #finish: () => void = () => {}
  readonly #finished = new Promise<void>((done) => {
    this.#finish = done
  })

  constructor(options: RealOptions) {
    this.#options = options
    this.#scenario = options.job.scenario
    this.#director = new Director(this.#scenario, this, this.#record)
    this.#ways = new Ways({
      processes: this.#scenario.processes,
      redis: this.#redisRun(),
      record: this.#record,
      incarnation: (name) => this.#roles.get(name)?.incarnation ?? 0,
      verdictOn: (name, argv, release) => this.#director.verdictOn(name, argv, release),
      moved: (name) => this.#roles.get(name)?.life?.moved(),
      linkBit: this.#director.linkBit,
      after: (delayMs, run) => this.after(delayMs, run),
    })
    this.#recorder.addSink((event) => {
      this.events.push(event)
      if (event.kind === 'process.output' && event.stream === 'stdout') this.#clockStarts()
    })
    this.#recorder.addSink(this.#director.see)
  }

  /** Runs the scenario to its end. Afterwards no process of it lives. Rejects with a bug of ours. */
  async run(): Promise<void> {
    try {
      await this.#ways.make()
      await this.#spawnAll()
      const { limitMs } = this.#scenario
      const mostMs = Math.max(limitMs * UPPER_BOUND_FACTOR, limitMs + UPPER_BOUND_LEAST_MS)
      this.after(START_CEILING_MS, () => this.#clockStarts())
      this.#clock.fromFirstLine(() => {
        this.after(mostMs, () => this.#end('time-limit', null))
        this.#director.begin()
      })
      await this.#finished
    } finally {
      this.abort()
      await this.gone()
    }
    if (this.#bug !== null) throw this.#bug
  }

  /** Ends the run at once: kills what lives, closes what is open. */
  abort(): void {
    this.watch.stop()
    this.#clock.stop()
    for (const life of this.#lives()) life.signal('SIGKILL')
    this.#ways.close()
    if (!this.#over) this.#end('crash', 'the run was broken off')
  }

  /** Resolves when every process is gone and no command is on its way. */
  async gone(): Promise<void> {
    await Promise.all(this.#lives().map((life) => life.gone))
    await this.#turnstile.idle()
  }

  after(delayMs: number, run: () => void): void {
    this.#clock.after(delayMs, () => {
      if (!this.#over) run()
    })
  }

  stop(): void {
    this.#end('until', null)
  }

  start(name: string): boolean {
    const role = this.#roles.get(name)
    const spec = this.#scenario.processes[name]
    const { files } = this.#options.job
    if (role === undefined || spec === undefined || files === null) return false
    if (role.life !== null && role.life.state !== 'exited') return false
    role.incarnation += 1
    const who = { process: name, incarnation: role.incarnation }
    this.#record({ kind: 'process.started', ...who, program: spec.program })
    const life = role.ready.shift() ?? this.#spawn(name, role, spec, files)
    role.life = life
    life.begin()
    void this.#untilItServes(name, life)
    return true
  }

  restart(name: string): boolean {
    const role = this.#roles.get(name)
    if (role === undefined || !this.kill(name)) return this.start(name)
    role.again = true
    return true
  }

  freeze(name: string): boolean {
    const role = this.#roles.get(name)
    if (!role?.life?.freeze()) return false
    this.#told(name, 'process.frozen')
    this.#ways.stopped(name, true)
    return true
  }

  thaw(name: string): boolean {
    const role = this.#roles.get(name)
    if (role?.life?.state !== 'frozen') return false
    this.#told(name, 'process.thawed')
    role.life.thaw()
    this.#ways.stopped(name, false)
    return true
  }

  kill(name: string): boolean {
    return this.#signal(name, 'SIGKILL')
  }

  term(name: string): boolean {
    return this.#signal(name, 'SIGTERM')
  }

  shape(process: string, to: string, link: LinkState): void {
    this.#ways.shape(process, to, link)
  }

  #signal(name: string, signal: 'SIGKILL' | 'SIGTERM'): boolean {
    const life = this.#roles.get(name)?.life
    if (life == null || life.state === 'exited') return false
    this.#told(name, 'process.signalled', signal)
    return life.signal(signal)
  }

  #spawn(name: string, role: Role, spec: ProcessSpec, files: ProgramFiles): RealProcess {
    const who = () => ({ process: name, incarnation: role.incarnation })
    return new RealProcess({
      main: this.#options.main,
      files,
      program: resolve(files.labDir, spec.program),
      args: spec.args ?? [],
      env: this.#ways.environmentOf(name),
      onOutput: (stream, text) => {
        const event = { kind: 'process.output', ...who(), stream, text } as const
        const tell = (): void => this.#record(event)
        if (this.#ways.isUp(name) && role.held.length === 0) tell()
        else this.#tellOnceLooked(name, role, tell)
      },
      onExit: (exit, error) => {
        for (const tell of role.held.splice(0)) tell()
        this.#ways.ended(name)
        if (this.#over) return
        if (error !== null) this.#record({ kind: 'process.error', ...who(), ...error })
        this.#record({ kind: 'process.exited', ...who(), ...exit })
        if (role.again) {
          role.again = false
          this.start(name)
        }
      },
      onStillborn: (how) => this.#fail(new Error(`a process for ${name} did not start: ${how}`)),
      onAlarm: ({ why, detail }) => this.#end(why === 'machine' ? 'hang' : why, detail),
    })
  }

  #told(
    name: string,
    kind: 'process.frozen' | 'process.thawed' | 'process.signalled',
    signal?: string,
  ): void {
    const who = { process: name, incarnation: this.#roles.get(name)?.incarnation ?? 0 }
    this.#record({ kind, ...who, ...(signal === undefined ? {} : { signal }) })
  }

  /** A bug of ours: the run ends with it. */
  #fail(error: Error): void {
    if (this.#over) return
    this.#bug = error
    this.#end('crash', error.message)
  }

  #end(why: WorldEnded['why'], detail: string | null): void {
    if (this.#over) return
    const never = this.#director.never()
    this.#record({ kind: 'world.ended', why, detail, never })
    this.#over = true
    this.watch.stop()
    this.#finish()
  }

  /** The timeline's own times begin, and with them the watch over the machine. */
  #clockStarts(): void {
    if (this.#clock.firstLine()) this.watch.start()
  }

  /** Nothing is told after the end. */
  readonly #record = (event: Unplaced): void => {
    if (!this.#over) this.#recorder.record(event)
  }

  /** All processes that the scenario can come to, waiting for their beginning. */
  async #spawnAll(): Promise<void> {
    const { files } = this.#options.job
    if (files === null) return
    for (const [name, spec] of Object.entries(this.#scenario.processes)) {
      const role: Role = { life: null, ready: [], incarnation: 0, held: [], again: false }
      this.#roles.set(name, role)
      for (let n = livesOf(name, this.#scenario); n > 0; n -= 1) {
        role.ready.push(this.#spawn(name, role, spec, files))
      }
    }
    await Promise.all(this.#lives().map((life) => life.isUp))
  }

  #redisRun(): RedisRun {
    const { address, survey, control, prefix } = this.#options
    const startUs = this.#clock.startMs * 1000
    const truth = new RedisTruth({
      prefix,
      server: REDIS,
      tellsExpiry: survey.tellsExpiry,
      traceUs: (unixMs) => Math.round(unixMs * 1000 - survey.clockOffsetUs - startUs),
      record: this.#record,
    })
    let commands = 0
    let conns = 0
    return {
      server: REDIS,
      prefix,
      truth,
      control,
      turnstile: this.#turnstile,
      record: this.#record,
      atOneInstant: this.#clock.atOneInstant,
      open: () => openLink(address),
      nextCommand: () => ++commands,
      nextConn: () => ++conns,
      fail: (error) => this.#fail(error),
    }
  }

  #lives(): readonly RealProcess[] {
    return [...this.#roles.values()].flatMap(({ life, ready }) => (life ? [life, ...ready] : ready))
  }

  /** Opens the ways to a process once it listens. */
  async #untilItServes(name: string, life: RealProcess): Promise<void> {
    const isCurrent = (): boolean => this.#roles.get(name)?.life === life
    while (!this.#over && !this.#ways.isUp(name) && isCurrent() && life.state !== 'exited') {
      if (life.state === 'running') await this.#look(name)
      await new Promise((resolve) => setTimeout(resolve, PORT_POLL_MS))
    }
  }

  /** A line may say that it is ready: whoever acts on it must find the way open. */
  #tellOnceLooked(name: string, role: Role, tell: () => void): void {
    role.held.push(tell)
    if (role.held.length > 1) return
    void this.#look(name).then(() => {
      for (const held of role.held.splice(0)) held()
    })
  }

  async #look(name: string): Promise<void> {
    try {
      await this.#ways.look(name)
    } catch (error) {
      this.#fail(error as Error)
    }
  }
}

/** How many lives of a name its scenario can come to. */
function livesOf(name: string, { processes, timeline }: Scenario): number {
  const begun = processes[name]?.begins === 'timeline' ? 0 : 1
  const steps = timeline.filter(
    ({ do: verb }) => (verb.verb === 'start' || verb.verb === 'restart') && verb.process === name,
  )
  return begun + steps.length
}
