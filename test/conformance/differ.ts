/** Runs steps against a real Redis and against the engine, and says where the replies differ. */
import { RedisEngine, type Session } from '../../src/infra/redis/engine.ts'
import type { LuaRuntime } from '../../src/infra/redis/lua.ts'
import { splitInline } from '../../src/wire/inline.ts'
import { encodeReply, type Reply } from '../../src/wire/resp.ts'
import type { Mask, Step } from './case.ts'
import { RealConnection } from './real-redis.ts'

export interface Difference {
  readonly step: number
  readonly command: string
  readonly real: string
  readonly engine: string
}

type Connection = 'a' | 'b'
interface Parsed {
  readonly on: Connection
  readonly how: 'run' | 'send' | 'await'
  readonly args: readonly Buffer[]
  readonly mask: Mask | null
  readonly shown: string
}

export function parseStep(step: Step): Parsed {
  const run = typeof step === 'string' ? step : step.run
  const mask = typeof step === 'string' ? null : step.mask
  if (typeof run !== 'string') {
    return { on: 'a', how: 'run', args: run, mask, shown: run.map(String).join(' ') }
  }
  const marked = /^b([>!?]) ?/.exec(run)
  const line = marked === null ? run : run.slice(marked[0].length)
  const args = splitInline(Buffer.from(line, 'utf8').toString('latin1'))
  if (args === null) throw new Error(`this step does not parse: ${run}`)
  const how = marked?.[1] === '!' ? 'send' : marked?.[1] === '?' ? 'await' : 'run'
  return { on: marked === null ? 'a' : 'b', how, args, mask, shown: run }
}

const shown = (reply: Reply): string => JSON.stringify(encodeReply(reply).toString('latin1'))

function normalized(reply: Reply, mask: Mask | null): string {
  if (mask === 'unordered' && Array.isArray(reply)) {
    return JSON.stringify(reply.map((item) => normalized(item, mask)).sort())
  }
  if (mask === 'shape') {
    if (reply === null) return 'null'
    if (Buffer.isBuffer(reply)) return 'bulk'
    if (Array.isArray(reply)) return `array of ${reply.length}`
    if (typeof reply === 'number' || typeof reply === 'bigint') return 'integer'
  }
  return shown(reply)
}

const NEAR = 2000

function isNear(real: string, engine: string): boolean {
  const numbers = /-?[0-9]+/g
  if (real.replace(numbers, '#') !== engine.replace(numbers, '#')) return false
  const [a, b] = [real.match(numbers) ?? [], engine.match(numbers) ?? []]
  // Below zero are answers such as "no expiry" and the second halves of ids: those must be alike.
  return a.every((text, i) => {
    return text === b[i] || (Number(text) >= 0 && Math.abs(Number(text) - Number(b[i])) <= NEAR)
  })
}

/** The microseconds since the epoch that TIME answers; NaN for anything of another shape. */
function instantUs(reply: Reply): number {
  if (!Array.isArray(reply) || reply.length !== 2) return Number.NaN
  const [seconds, micros] = reply.map((part) =>
    Buffer.isBuffer(part) && /^[0-9]{1,16}$/.test(`${part}`) ? Number(part) : Number.NaN,
  )
  return micros! < 1e6 ? seconds! * 1e6 + micros! : Number.NaN
}

export function sameReply(real: Reply, engine: Reply, mask: Mask | null): boolean {
  if (mask === 'near') {
    const framing = /\$[0-9]+/g
    return isNear(shown(real).replace(framing, '$'), shown(engine).replace(framing, '$'))
  }
  if (mask === 'instant') return Math.abs(instantUs(real) - instantUs(engine)) < 2e6
  return normalized(real, mask) === normalized(engine, mask)
}

function isQuit(step: Parsed | undefined): boolean {
  return step?.args[0]?.toString().toLowerCase() === 'quit'
}

export class Differ {
  readonly #port: number
  readonly #real: Record<Connection, RealConnection>
  readonly #control: RealConnection
  readonly #lua: LuaRuntime

  constructor(port: number, connections: readonly RealConnection[], lua: LuaRuntime) {
    this.#port = port
    const [a, b, control] = connections as [RealConnection, RealConnection, RealConnection]
    this.#real = { a, b }
    this.#control = control
    this.#lua = lua
  }

  static async connect(port: number, lua: LuaRuntime): Promise<Differ> {
    const open = () => RealConnection.open(port)
    return new Differ(port, [await open(), await open(), await open()], lua)
  }

  close(): void {
    for (const connection of [...Object.values(this.#real), this.#control]) connection.close()
  }

  /** The differences, in the order of the steps. */
  async run(steps: readonly Step[]): Promise<Difference[]> {
    const parsed = steps.map(parseStep)
    const real = await this.#runReal(parsed)
    const engine = this.#runEngine(parsed)
    const differences: Difference[] = []
    parsed.forEach(({ shown: command, mask }, step) => {
      const [a, b] = [real[step], engine[step]]
      if (a === undefined && b === undefined) return
      if (a !== undefined && b !== undefined && sameReply(a, b, mask)) return
      const text = (reply: Reply | undefined) => (reply === undefined ? '(blocked)' : shown(reply))
      differences.push({ step, command, real: text(a), engine: text(b) })
    })
    return differences
  }

  async #runReal(steps: readonly Parsed[]): Promise<(Reply | undefined)[]> {
    await this.#real.a.run('RESET')
    await this.#real.b.run('RESET')
    await this.#control.run('FLUSHALL')
    await this.#control.run('SCRIPT', 'FLUSH')
    const replies: (Reply | undefined)[] = []
    let at = 0
    while (at < steps.length) {
      const step = steps[at] as Parsed
      if (step.how === 'run') {
        let end = at
        while (steps[end]?.how === 'run' && steps[end]?.on === step.on) {
          if (isQuit(steps[end++])) break
        }
        this.#real[step.on].send(steps.slice(at, end).map(({ args }) => args))
        replies.push(...(await this.#real[step.on].receive(end - at)))
        if (isQuit(steps[end - 1])) await this.#reopen(step.on)
        at = end
        continue
      }
      if (step.how === 'send') {
        this.#real[step.on].send([step.args])
        await this.#untilBlocked()
        replies.push(undefined)
      } else replies.push((await this.#real[step.on].receive(1))[0])
      at++
    }
    return replies
  }

  async #reopen(on: Connection): Promise<void> {
    this.#real[on].close()
    this.#real[on] = await RealConnection.open(this.#port)
  }

  async #untilBlocked(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const info = String(await this.#control.run('INFO', 'clients'))
      if (/blocked_clients:[1-9]/.test(info)) return
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    throw new Error('the command did not block on the real server')
  }

  #runEngine(steps: readonly Parsed[]): (Reply | undefined)[] {
    const engine = new RedisEngine({ lua: this.#lua, random: () => 0 })
    const sessions: Record<Connection, Session> = { a: engine.open(), b: engine.open() }
    const woken = new Map<Session, Reply>()
    const nowUs = Date.now() * 1000
    return steps.map(({ on, how, args }) => {
      const session = sessions[on]
      if (how === 'await') {
        if (!woken.has(session)) engine.tick(engine.nextDeadlineUs() ?? nowUs)
        this.#collect(engine, woken)
        const reply = woken.get(session)
        woken.delete(session)
        return reply
      }
      const outcome = engine.execute(session, args, nowUs)
      this.#collect(engine, woken)
      return outcome.kind === 'reply' ? outcome.reply : undefined
    })
  }

  #collect(engine: RedisEngine, woken: Map<Session, Reply>): void {
    for (const { session, reply } of engine.takeWoken()) woken.set(session, reply)
  }
}
