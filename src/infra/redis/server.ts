/**
 * A Redis server in a world: the engine behind the simulated network.
 *
 * Commands arrive one by one (a tap cuts the client's bytes), are executed at the instant of their
 * arrival, and are told to the trace with their effects and their reply. A connection whose command
 * blocks executes nothing more until that is answered. Time for the engine is Unix microseconds;
 * for the trace it is the world's.
 */

import type { Kernel, WorldEvent } from '../../sim/kernel.ts'
import type { ConnectionEnd, Network, Party, Segment, Tap } from '../../sim/network.ts'
import type { Chance } from '../../sim/random.ts'
import type { Recorder } from '../../trace/recorder.ts'
import {
  encodeReply,
  ProtocolError,
  type Reply,
  RequestParser,
  replyToValue,
} from '../../wire/resp.ts'
import { type EngineEffect, RedisEngine, type Session } from './engine.ts'
import type { LuaRuntime } from './lua.ts'

/** What the tap understood of a piece of a client's stream. */
export type RedisRequest =
  | { readonly kind: 'command'; readonly name: string; readonly args: readonly Buffer[] }
  | { readonly kind: 'protocol-error'; readonly message: string }

const NOTHING = Buffer.alloc(0)

function commandSegment(args: readonly Buffer[]): Segment {
  const name = args[0]?.toString('latin1').toUpperCase() ?? ''
  const meaning: RedisRequest = { kind: 'command', name, args }
  return { bytes: NOTHING, key: name, meaning }
}

class RequestTap implements Tap {
  readonly #parser = new RequestParser()

  push(bytes: Buffer): readonly Segment[] {
    try {
      return this.#parser.push(bytes).map(commandSegment)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const meaning: RedisRequest = { kind: 'protocol-error', message: error.message }
      const fault: Segment = { bytes: NOTHING, key: 'protocol-error', meaning }
      // What came whole before the fault is answered, as a real server does.
      return [...error.requests.map(commandSegment), fault]
    }
  }
}

/** The arguments as the trace shows them: passwords are masked. */
function shown(name: string, args: readonly Buffer[]): string[] {
  const argv = args.map((arg) => arg.toString('latin1'))
  argv[0] = name
  if (name === 'AUTH') for (let k = 1; k < argv.length; k += 1) argv[k] = '***'
  if (name === 'HELLO') {
    const auth = argv.findIndex((arg, k) => k > 1 && arg.toUpperCase() === 'AUTH')
    if (auth > 0 && argv[auth + 2] !== undefined) argv[auth + 2] = '***'
  }
  return argv
}

interface Client {
  readonly end: ConnectionEnd
  readonly session: Session
  /** The command that blocks this connection, and what waits behind it. */
  blocked: { readonly id: number; readonly name: string } | null
  readonly waiting: RedisRequest[]
}

export interface RedisServerOptions {
  readonly kernel: Kernel
  readonly network: Network
  readonly chance: Chance
  readonly record: Recorder['record']
  readonly lua: LuaRuntime
  /** Unix ms at virtual time 0. */
  readonly epochMs: number
  readonly name: string
  readonly port: number
}

export class RedisServer {
  readonly #options: RedisServerOptions
  readonly #engine: RedisEngine
  readonly #clients = new Map<Session, Client>()
  #nextId = 1
  #executing: number | null = null
  #alarm: WorldEvent | null = null
  #alarmUs = 0

  constructor(options: RedisServerOptions) {
    this.#options = options
    const { chance, network, name, port, epochMs } = options
    this.#engine = new RedisEngine({
      lua: options.lua,
      random: chance.stream(`engine ${name}`),
      onEffect: (effect) => this.#tellEffect(effect),
      startedAtUs: epochMs * 1000,
    })
    const party: Party = { name, incarnation: 1, owner: null }
    network.listen(party, port, (end) => this.#accept(end))
  }

  #accept(end: ConnectionEnd): void {
    const { address, port } = end.remote
    const session = this.#engine.open({ addr: `${address}:${port}` })
    const client: Client = { end, session, blocked: null, waiting: [] }
    this.#clients.set(session, client)
    end.peer.out.tap = new RequestTap()
    end.handler = {
      data: (segment) => this.#arrived(client, segment.meaning as RedisRequest),
      end: () => this.#close(client),
      close: () => this.#close(client),
    }
  }

  #close(client: Client): void {
    this.#clients.delete(client.session)
    this.#engine.close(client.session)
    client.end.destroy()
  }

  #arrived(client: Client, request: RedisRequest): void {
    if (client.blocked !== null) client.waiting.push(request)
    else this.#execute(client, request)
    this.#settle()
  }

  #execute(client: Client, request: RedisRequest): void {
    if (request.kind === 'protocol-error') {
      client.end.send({ bytes: Buffer.from(`-ERR ${request.message}\r\n`), key: 'error' })
      this.#close(client)
      return
    }
    const { record } = this.#options
    const { name, args } = request
    const { party } = client.end.peer
    const id = this.#nextId++
    record({
      kind: 'redis.command',
      id,
      process: party.name,
      incarnation: party.incarnation,
      server: this.#options.name,
      conn: client.end.id,
      argv: shown(name, args),
    })
    this.#executing = id
    const outcome = this.#engine.execute(client.session, args, this.#nowUs())
    this.#executing = null
    if (outcome.kind === 'blocked') client.blocked = { id, name }
    else this.#answer(client, id, name, outcome.reply)
  }

  #answer(client: Client, id: number, name: string, reply: Reply): void {
    const { party } = client.end.peer
    this.#options.record({
      kind: 'redis.reply',
      id,
      process: party.name,
      incarnation: party.incarnation,
      server: this.#options.name,
      command: name,
      reply: replyToValue(reply),
    })
    client.end.send({ bytes: encodeReply(reply), key: `${name} reply` })
    if (name === 'QUIT') this.#close(client)
  }

  /** Answers those whose wait is over, lets their connections go on, and sets the next alarm. */
  #settle(): void {
    for (let woken = this.#engine.takeWoken(); woken.length > 0; woken = this.#engine.takeWoken()) {
      for (const { session, reply } of woken) {
        const client = this.#clients.get(session)
        if (client === undefined || client.blocked === null) continue
        const { id, name } = client.blocked
        client.blocked = null
        this.#answer(client, id, name, reply)
        while (client.blocked === null && client.waiting.length > 0) {
          this.#execute(client, client.waiting.shift()!)
        }
      }
    }
    this.#setAlarm()
  }

  #setAlarm(): void {
    const deadlineUs = this.#engine.nextDeadlineUs()
    const { kernel, name } = this.#options
    if (this.#alarm !== null) {
      if (deadlineUs === this.#alarmUs) return
      kernel.cancel(this.#alarm)
      this.#alarm = null
    }
    if (deadlineUs === null) return
    this.#alarmUs = deadlineUs
    const at = deadlineUs - this.#options.epochMs * 1000
    this.#alarm = kernel.at(at, kernel.origin(`redis ${name}`), null, 'timer', () => {
      this.#alarm = null
      this.#engine.tick(this.#nowUs())
      this.#settle()
    })
  }

  #tellEffect(effect: EngineEffect): void {
    const { epochMs, name, record } = this.#options
    record({
      kind: 'redis.effect',
      server: name,
      id: effect.op === 'expired' ? null : this.#executing,
      op: effect.op,
      key: effect.key,
      value: effect.value,
      expireAt: effect.expireAtMs === null ? null : (effect.expireAtMs - epochMs) * 1000,
    })
  }

  #nowUs(): number {
    return this.#options.epochMs * 1000 + this.#options.kernel.now
  }
}
