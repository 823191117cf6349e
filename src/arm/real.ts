/**
 * The real arm: one run of a scenario with child processes, signals and a real Redis server.
 *
 * The same director, the same events, the same taps as in the simulated arm; only time, order and
 * latency are the machine's. `t` is true microseconds since the run began. A scenario's own points
 * in time (`atMs`, the limit) count from the first line that any process prints, since how long a
 * process takes to start says nothing about the lab; the limit is three times the scenario's, and at
 * least a second more. Not here: whether the machine was fit for it (machine-watch.ts), and repeats.
 */

import { resolve } from 'node:path'
import type { ProgramFiles } from '../scenario/program-files.ts'
import type { ProcessSpec, Scenario } from '../scenario/scenario.ts'
import type { TraceEvent, WorldEnded } from '../trace/events.ts'
import { Recorder } from '../trace/recorder.ts'
import type { Arm, LinkState } from './arm.ts'
import { Director } from './director.ts'
import { HttpProxy } from './http-proxy.ts'
import type { WorldJob } from './job.ts'
import { MachineWatch } from './machine-watch.ts'
import { ProxyLink } from './proxy-link.ts'
import { answers, freePort, mentions, realEnvironment, servedPort } from './real-names.ts'
import { RealProcess } from './real-process.ts'
import type { RedisAddress } from './redis-address.ts'
import { openLink, type RedisLink } from './redis-link.ts'
import { RedisProxy, type RedisRun } from './redis-proxy.ts'
import type { Survey } from './redis-survey.ts'
import { RedisTruth } from './redis-truth.ts'
import { Turnstile } from './turnstile.ts'

const REDIS = 'redis'
const REDIS_PORT = 6379
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
  env: Readonly<Record<string, string>>
  port: number | null
  /** It listens, as far as it listens at all. */
  isUp: boolean
  /** Lines of a process that may have just begun to listen, while that is looked at. */
  held: (() => void)[]
  /** It is to be started once its present life is over. */
  again: boolean
  readonly http: { readonly to: string; readonly proxy: HttpProxy }[]
}

export class RealArm implements Arm {
  readonly events: TraceEvent[] = []
  readonly watch = new MachineWatch()
  readonly #options: RealOptions
  readonly #scenario: Scenario
  readonly #recorder: Recorder
  readonly #director: Director
  readonly #turnstile = new Turnstile()
  readonly #roles = new Map<string, Role>()
  readonly #links = new Map<string, ProxyLink>()
  readonly #redis: RedisProxy[] = []
  readonly #startMs = performance.now()
  readonly #timers = new Set<NodeJS.Timeout>()
  /** What waits for the first line. */
  #early: (() => void)[] | null = []
  #isBegin = false
  #over = false
  /** The time of what is told as one instant; null between. */
  #instantUs: number | null = null
  #bug: Error | null = null
  #finish: () => void = () => {}
  readonly #finished = new Promise<void>((done) => {
    this.#finish = done
  })
  readonly #next = { command: 1, conn: 1, request: 1 }

  constructor(options: RealOptions) {
    this.#options = options
    this.#scenario = options.job.scenario
    this.#recorder = new Recorder(() => this.#instantUs ?? this.#nowUs())
    this.#director = new Director(this.#scenario, this, this.#recorder.record)
    this.#recorder.addSink((event) => {
      this.events.push(event)
      if (event.kind === 'process.output' && event.stream === 'stdout') this.#clockStarts()
    })
    this.#recorder.addSink(this.#director.see)
  }

  /** Runs the scenario to its end. Afterwards no process of it lives. Rejects with a bug of ours. */
  async run(): Promise<void> {
    try {
      await this.#prepare()
      const { limitMs } = this.#scenario
      const most = Math.max(limitMs * UPPER_BOUND_FACTOR, limitMs + UPPER_BOUND_LEAST_MS)
      this.#early?.push(() => this.after(most, () => this.#end('time-limit', null)))
      this.after(START_CEILING_MS, () => this.#clockStarts())
      this.#isBegin = true
      this.#director.begin()
      this.#isBegin = false
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
    for (const timer of this.#timers) clearTimeout(timer)
    for (const life of this.#lives()) life.signal('SIGKILL')
    for (const proxy of this.#redis) proxy.close()
    for (const { http } of this.#roles.values()) for (const { proxy } of http) proxy.close()
    if (!this.#over) this.#end('crash', 'the run was broken off')
  }

  after(delayMs: number, run: () => void): void {
    if (this.#isBegin && delayMs > 0 && this.#early !== null) {
      this.#early.push(() => this.after(delayMs, run))
      return
    }
    const act = (): void => {
      if (!this.#over) run()
    }
    if (delayMs <= 0) {
      // Before the next answer of a server is read: a fault at a command comes before its answer.
      setImmediate(act)
      return
    }
    const dueMs = performance.now() + delayMs
    const arm = (): void => {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          // Node's timers can come up to a millisecond early; a lower bound is exact.
          if (performance.now() < dueMs) arm()
          else act()
        },
        Math.ceil(dueMs - performance.now()),
      )
      this.#timers.add(timer)
    }
    arm()
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
    this.#recorder.record({ kind: 'process.started', ...who, program: spec.program })
    const life = role.ready.shift() ?? this.#spawn(name, role, spec, files)
    role.life = life
    life.begin()
    this.#untilItServes(name, life)
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
    for (const proxy of this.#proxiesTo(name)) proxy.stopped(true)
    return true
  }

  thaw(name: string): boolean {
    const role = this.#roles.get(name)
    if (role?.life?.state !== 'frozen') return false
    this.#told(name, 'process.thawed')
    role.life.thaw()
    for (const proxy of this.#proxiesTo(name)) proxy.stopped(false)
    return true
  }

  kill(name: string): boolean {
    return this.#signal(name, 'SIGKILL')
  }

  term(name: string): boolean {
    return this.#signal(name, 'SIGTERM')
  }

  shape(process: string, to: string, link: LinkState): void {
    this.#linkOf(process, to).shape(link)
  }

  #signal(name: string, signal: 'SIGKILL' | 'SIGTERM'): boolean {
    const life = this.#roles.get(name)?.life
    if (life == null || life.state === 'exited') return false
    this.#told(name, 'process.signalled', signal)
    return life.signal(signal)
  }

  #spawn(name: string, role: Role, spec: ProcessSpec, files: ProgramFiles): RealProcess {
    const { record } = this.#recorder
    const who = () => ({ process: name, incarnation: role.incarnation })
    return new RealProcess({
      main: this.#options.main,
      files,
      program: resolve(files.labDir, spec.program),
      args: spec.args ?? [],
      env: role.env,
      onOutput: (stream, text) => {
        const event = { kind: 'process.output', ...who(), stream, text } as const
        const tell = (): void => void (this.#over || record(event))
        if (role.isUp) tell()
        else this.#tellOnceLooked(name, role, tell)
      },
      onExit: (exit, error) => {
        for (const tell of role.held.splice(0)) tell()
        role.isUp = role.port === null
        for (const proxy of this.#proxiesTo(name)) void proxy.serve(false)
        if (this.#over) return
        if (error !== null) record({ kind: 'process.error', ...who(), ...error })
        record({ kind: 'process.exited', ...who(), ...exit })
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
    this.#recorder.record({ kind, ...who, ...(signal === undefined ? {} : { signal }) })
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
    this.#recorder.record({ kind: 'world.ended', why, detail, never })
    this.#over = true
    this.watch.stop()
    this.#finish()
  }

  #clockStarts(): void {
    const early = this.#early
    if (early === null) return
    this.#early = null
    this.watch.start()
    for (const arm of early) arm()
  }

  /** Makes the ways between the processes, and their environments. */
  async #prepare(): Promise<void> {
    const specs = Object.entries(this.#scenario.processes)
    for (const [name, spec] of specs) {
      const port = servedPort(spec) === null ? null : await freePort()
      this.#roles.set(name, newRole(port))
    }
    const run = this.#redisRun()
    for (const [name, spec] of specs) {
      const role = this.#roles.get(name)!
      const env = spec.env ?? {}
      const places = new Map<string, string>()
      if (mentions(env, `${REDIS}:${REDIS_PORT}`)) {
        const proxy = this.#redisProxy(name, role, run)
        places.set(`${REDIS}:${REDIS_PORT}`, `127.0.0.1:${await proxy.listen()}`)
      }
      for (const [to, { env: theirs = {} }] of specs) {
        const place = `${to}:${theirs.PORT}`
        if (this.#roles.get(to)?.port == null || !mentions(env, place)) continue
        const port = await freePort()
        role.http.push({ to, proxy: this.#httpProxy(name, role, to, Number(theirs.PORT), port) })
        places.set(place, `127.0.0.1:${port}`)
      }
      role.env = realEnvironment(env, places, role.port, this.#options.prefix)
    }
    const { files } = this.#options.job
    for (const [name, spec] of specs) {
      const role = this.#roles.get(name)!
      if (files === null) continue
      for (let n = livesOf(name, this.#scenario); n > 0; n -= 1) {
        role.ready.push(this.#spawn(name, role, spec, files))
      }
    }
    await Promise.all([...this.#roles.values()].flatMap(({ ready }) => ready.map((l) => l.isUp)))
  }

  #redisRun(): RedisRun {
    const { address, survey, control, prefix } = this.#options
    const { record } = this.#recorder
    const startUs = this.#startMs * 1000
    const truth = new RedisTruth({
      prefix,
      server: REDIS,
      tellsExpiry: survey.tellsExpiry,
      traceUs: (unixMs) => Math.round(unixMs * 1000 - survey.clockOffsetUs - startUs),
      record: (event) => this.#over || record(event),
    })
    return {
      server: REDIS,
      prefix,
      truth,
      turnstile: this.#turnstile,
      control,
      record: (event) => this.#over || record(event),
      atOneInstant: this.#atOneInstant,
      open: () => openLink(address),
      nextCommand: () => this.#next.command++,
      nextConn: () => this.#next.conn++,
      fail: (error) => this.#fail(error),
    }
  }

  #redisProxy(name: string, role: Role, run: RedisRun): RedisProxy {
    const proxy = new RedisProxy({
      run,
      process: name,
      incarnation: () => role.incarnation,
      link: this.#linkOf(name, REDIS),
      verdictOn: (argv, release) =>
        this.#director.waiting
          ? this.#director.verdictOn(name, argv, release)
          : { kind: 'deliver' },
      moved: () => role.life?.moved(),
    })
    this.#redis.push(proxy)
    return proxy
  }

  #httpProxy(name: string, role: Role, to: string, toPort: number, port: number): HttpProxy {
    const { record } = this.#recorder
    return new HttpProxy(port, {
      process: name,
      incarnation: () => role.incarnation,
      to,
      toPort,
      realPort: this.#roles.get(to)?.port ?? 0,
      record: (event) => this.#over || record(event),
      link: this.#linkOf(name, to),
      nextRequest: () => this.#next.request++,
      nextConn: () => this.#next.conn++,
    })
  }

  #linkOf(process: string, to: string): ProxyLink {
    const key = `${process} ${to}`
    const known = this.#links.get(key)
    if (known !== undefined) return known
    const link = new ProxyLink(
      () => this.#over || this.#director.linkBit(process, to),
      (delayMs, run) => this.after(delayMs, run),
    )
    this.#links.set(key, link)
    return link
  }

  #nowUs(): number {
    return Math.round((performance.now() - this.#startMs) * 1000)
  }

  /** All that `tell` records has one time. */
  readonly #atOneInstant = (tell: () => void): void => {
    this.#instantUs = this.#nowUs()
    try {
      tell()
    } finally {
      this.#instantUs = null
    }
  }

  #lives(): readonly RealProcess[] {
    return [...this.#roles.values()].flatMap(({ life, ready }) => (life ? [life, ...ready] : ready))
  }

  #proxiesTo(name: string): readonly HttpProxy[] {
    return [...this.#roles.values()].flatMap(({ http }) =>
      http.filter(({ to }) => to === name).map(({ proxy }) => proxy),
    )
  }

  /** Opens the ways to a process once it listens. */
  async #untilItServes(name: string, life: RealProcess): Promise<void> {
    const role = this.#roles.get(name)!
    while (!this.#over && !role.isUp && role.life === life && life.state !== 'exited') {
      if (life.state === 'running') await this.#look(name, role)
      await new Promise((resolve) => setTimeout(resolve, PORT_POLL_MS))
    }
  }

  /** A line may say that it is ready: whoever acts on it must find the way open. */
  #tellOnceLooked(name: string, role: Role, tell: () => void): void {
    role.held.push(tell)
    if (role.held.length > 1) return
    void this.#look(name, role).then(() => {
      for (const held of role.held.splice(0)) held()
    })
  }

  async #look(name: string, role: Role): Promise<void> {
    if (role.isUp || role.port === null || !(await answers(role.port))) return
    await Promise.all(this.#proxiesTo(name).map((proxy) => proxy.serve(true)))
    role.isUp = true
  }

  /** Resolves when every process is gone and no command is on its way. */
  async gone(): Promise<void> {
    await Promise.all(this.#lives().map((life) => life.gone))
    await this.#turnstile.idle()
  }
}

function newRole(port: number | null): Role {
  const isUp = port === null
  const life = { life: null, ready: [], incarnation: 0, again: false }
  return { ...life, env: {}, port, isUp, held: [], http: [] }
}

/** How many lives of a name its scenario can come to. */
function livesOf(name: string, { processes, timeline }: Scenario): number {
  const begun = processes[name]?.begins === 'timeline' ? 0 : 1
  const steps = timeline.filter(
    ({ do: verb }) => (verb.verb === 'start' || verb.verb === 'restart') && verb.process === name,
  )
  return begun + steps.length
}
