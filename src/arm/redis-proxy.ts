/**
 * The way from one process to the real Redis server: a door that reads every command.
 *
 * It listens on loopback for this process alone, so it knows who speaks; each connection has one of
 * its own to the server. The tap of the simulated network cuts the stream into commands. For each the
 * timeline is asked; then it goes to the server with a look at its keys behind it, and command,
 * effects and answer are told to the trace before the answer goes back. One connection of the run at a
 * time has commands at the server (all those that it has at hand, in one write), so the trace has the
 * server's order. Commands that may block do not keep others waiting.
 * Refuses, with an error to the process: keys outside the run's space, what concerns other users of
 * the server, and logins (the proxy has done that).
 */

import net from 'node:net'
import type { Recorder } from '../trace/recorder.ts'
import {
  encodeReply,
  error,
  OK,
  ProtocolError,
  type Reply,
  RequestParser,
  replyToValue,
} from '../wire/resp.ts'
import type { CommandVerdict } from './director.ts'
import type { Lane, ProxyLink } from './proxy-link.ts'
import { RealRefusal } from './real-refusal.ts'
import { isForAll, keysOf, mayBlock, onlyReads } from './redis-keys.ts'
import { LinkBroken, type RedisLink } from './redis-link.ts'
import type { RedisTruth } from './redis-truth.ts'
import { outOfSpace, replyOutOfSpace } from './redis-words.ts'
import type { Turnstile } from './turnstile.ts'

/** What all proxies of a run share. */
export interface RedisRun {
  readonly server: string
  readonly prefix: string
  readonly record: Recorder['record']
  /** A command, what it changed and its answer are one instant, as they are for the server. */
  readonly atOneInstant: (tell: () => void) => void
  readonly truth: RedisTruth
  readonly turnstile: Turnstile
  /** The run's own connection, to ask what keys a command has. */
  readonly control: RedisLink
  readonly open: () => Promise<RedisLink>
  readonly nextCommand: () => number
  readonly nextConn: () => number
  /** Our own bug, or the server gone: ends the run. */
  readonly fail: (error: Error) => void
}

export interface RedisProxyOptions {
  readonly run: RedisRun
  readonly process: string
  /** The life that speaks now. */
  readonly incarnation: () => number
  readonly link: ProxyLink
  readonly verdictOn: (argv: readonly string[], release: () => void) => CommandVerdict
  /** A command of the process was seen. */
  readonly moved: () => void
}

export class RedisProxy {
  readonly #options: RedisProxyOptions
  readonly #server = net.createServer({ allowHalfOpen: true })
  readonly #connections = new Set<Connection>()

  constructor(options: RedisProxyOptions) {
    this.#options = options
    this.#server.on('connection', (socket) => {
      const connection = new Connection(socket, this.#options, () => {
        this.#connections.delete(connection)
      })
      this.#connections.add(connection)
    })
  }

  /** Answers the port, on 127.0.0.1. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => {
        resolve((this.#server.address() as net.AddressInfo).port)
      })
    })
  }

  close(): void {
    this.#server.close()
    for (const connection of this.#connections) connection.destroy()
  }
}

/** A command on its way, with what the timeline says to it. */
interface Order {
  readonly args: readonly Buffer[]
  /** `argv[0]` in capitals. */
  readonly argv: readonly string[]
  /** As the trace has it. */
  readonly shown: readonly string[]
  readonly verdict: CommandVerdict
  /** Resolves when what is held is let go. */
  readonly released: Promise<void>
  /** The proxy's own answer, where the server is not asked. */
  readonly own: Reply
  /** Its answer may take as long as it likes. */
  readonly blocks: boolean
}

/** Commands that go to the server in one write, at the most. */
const BATCH = 64

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** `half dead` from a stall on: nothing passes, nobody is told. */
type State = 'open' | 'half dead' | 'closed'

class Connection {
  readonly #socket: net.Socket
  readonly #options: RedisProxyOptions
  readonly #forget: () => void
  readonly #parser = new RequestParser()
  readonly #queue: (readonly Buffer[])[] = []
  /** Taken from the queue and not carried out yet. */
  #first: Order | null = null
  readonly #out: Lane
  readonly #in: Lane
  readonly #id: number
  readonly #incarnation: number
  /** Opened by the first command. */
  #upstream: Promise<RedisLink> | null = null
  #state: State = 'open'
  #busy = false
  #clientGone = false
  /** The server is at a command that waits for something to happen. */
  #blocked = false
  /** Keys of the commands that wait for EXEC; null outside a transaction. */
  #queued: string[] | null = null

  constructor(socket: net.Socket, options: RedisProxyOptions, forget: () => void) {
    this.#socket = socket
    this.#options = options
    this.#forget = forget
    const { link, run, process } = options
    this.#out = link.lane('out')
    this.#in = link.lane('in')
    this.#id = run.nextConn()
    this.#incarnation = options.incarnation()
    socket.setNoDelay(true)
    run.record({
      kind: 'net.opened',
      process,
      incarnation: this.#incarnation,
      conn: this.#id,
      to: `${run.server}:6379`,
    })
    socket.on('data', (bytes: Buffer) => this.#out.pass(() => this.#arrived(Buffer.from(bytes))))
    socket.on('error', () => {})
    const gone = (): void => this.#out.pass(() => this.#left())
    socket.on('end', gone)
    socket.on('close', gone)
  }

  /** Ends both sides without a word. */
  destroy(): void {
    this.#state = 'closed'
    this.#socket.destroy()
    this.#upstream?.then((link) => link.close()).catch(() => {})
    this.#forget()
  }

  #arrived(bytes: Buffer): void {
    if (this.#state !== 'open') return
    try {
      this.#queue.push(...this.#parser.push(bytes))
    } catch (fault) {
      if (!(fault instanceof ProtocolError)) throw fault
      this.#queue.push(...fault.requests)
      this.#answer(error(`ERR ${fault.message}`))
      this.#clientGone = true
    }
    void this.#pump()
  }

  #left(): void {
    this.#clientGone = true
    // A server forgets whoever waits and goes away; else a dead process would be given entries.
    if (this.#blocked && this.#state === 'open') this.destroy()
    else void this.#pump()
  }

  /** In order; what a client sent before it went away is carried out. */
  async #pump(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      while (this.#state === 'open' && (await this.#next()));
      if (this.#clientGone && this.#state === 'open') this.destroy()
    } catch (broken) {
      // The server has closed this connection or takes none, so the process loses it too.
      if (this.#state === 'open') this.#reset()
      if (!(broken instanceof LinkBroken || broken instanceof RealRefusal)) {
        this.#options.run.fail(broken as Error)
      }
    } finally {
      this.#busy = false
    }
  }

  /** Carries out what can go in one write. False when there is nothing. */
  async #next(): Promise<boolean> {
    const { run } = this.#options
    const batch: Order[] = []
    while (batch.length < BATCH) {
      const order = await this.#order()
      if (order === null) break
      const apart = order.verdict.kind !== 'deliver' || order.blocks
      if (apart && batch.length > 0) break
      this.#first = null
      if (apart) {
        await this.#apart(order)
        return true
      }
      batch.push(order)
    }
    if (batch.length === 0) return false
    const upstream = await this.#connected()
    const replies = await run.turnstile.pass(() => this.#carryOut(upstream, batch))
    // What the timeline does at one of these commands comes before the answers.
    await immediate()
    for (const reply of replies) this.#answer(reply)
    if (batch.at(-1)?.argv[0] === 'QUIT') this.#clientGone = true
    return true
  }

  /** The command that is next, with what the timeline says to it. Asked once for each. */
  async #order(): Promise<Order | null> {
    if (this.#first !== null) return this.#first
    const args = this.#queue.shift()
    if (args === undefined) return null
    const { run, verdictOn, moved } = this.#options
    moved()
    const argv = args.map((arg) => arg.toString('latin1'))
    argv[0] = argv[0]?.toUpperCase() ?? ''
    const shown = masked(argv.map((arg) => outOfSpace(arg, run.prefix)))
    let letGo = (): void => {}
    const released = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const verdict = verdictOn(shown, () => letGo())
    const own = await this.#ownAnswer(argv)
    const blocks = own === null && this.#queued === null && mayBlock(argv)
    this.#first = { args, argv, shown, verdict, released, own, blocks }
    return this.#first
  }

  /** A command that the timeline has hit, or that may block. */
  async #apart(order: Order): Promise<void> {
    const { verdict, blocks, released } = order
    if (verdict.kind === 'hold') await released
    else if (verdict.kind !== 'deliver' && verdict.point === 'before-arrival') {
      this.#cut(verdict.kind)
    }
    if (this.#state !== 'open') return
    const upstream = await this.#connected()
    this.#blocked = blocks
    const reply = blocks
      ? await this.#wait(upstream, order)
      : (await this.#options.run.turnstile.pass(() => this.#carryOut(upstream, [order])))[0]
    this.#blocked = false
    if (verdict.kind === 'stall' || verdict.kind === 'reset') return this.#cut(verdict.kind)
    await immediate()
    if (reply !== undefined) this.#answer(reply)
  }

  async #connected(): Promise<RedisLink> {
    this.#upstream ??= this.#options.run.open()
    const upstream = await this.#upstream
    upstream.onBroken = () => this.#state === 'open' && this.#reset()
    return upstream
  }

  /** An answer that the server is not asked for, or null. */
  async #ownAnswer(argv: readonly string[]): Promise<Reply> {
    const { prefix, control } = this.#options.run
    const [name = '', first = ''] = argv
    if (name === 'SELECT') return first === '0' ? OK : error('ERR DB index is out of range')
    if (name === 'AUTH') return error(NO_PASSWORD)
    if (name === 'HELLO' && argv.length > 1 && first !== '2') return error(NO_PROTO)
    if (isForAll(argv)) {
      return error(
        `ERR ${name}${argv.length > 1 ? ` ${first}` : ''} concerns others who use this server, and is not passed on in the real arm`,
      )
    }
    let keys = keysOf(argv)
    if (keys === null) {
      const told = await control.send('COMMAND', 'GETKEYS', ...argv)
      keys = Array.isArray(told) ? told.map((key) => (key as Buffer).toString('latin1')) : []
    }
    const stray = keys.find((key) => !key.startsWith(prefix))
    if (stray === undefined) return null
    return error(
      `ERR the key '${stray}' lies outside this run's key space: put KEY_PREFIX from the environment in front of every key (keys.ts does)`,
    )
  }

  /** Sends all of these at once, and tells each as its answer comes. */
  async #carryOut(upstream: RedisLink, orders: readonly Order[]): Promise<readonly Reply[]> {
    const { truth, atOneInstant } = this.#options.run
    const sent = upstream.atOnce(() =>
      orders.map((order) => {
        const keys = this.#touched(order)
        const reply = order.own === null ? upstream.send(...order.args) : Promise.resolve(order.own)
        const look = keys.length > 0 ? truth.ask(upstream, keys) : null
        // Each is awaited below; one that breaks before its turn is no news of its own.
        reply.catch(() => {})
        look?.catch(() => {})
        return { order, keys, reply, look }
      }),
    )
    const replies: Reply[] = []
    for (const { order, keys, reply, look } of sent) {
      let answer: Reply
      try {
        answer = await reply
      } catch (broken) {
        // It may have been carried out: that it was sent is all that is known.
        this.#tellCommand(order)
        throw broken
      }
      const looked = await look
      atOneInstant(() => {
        const id = this.#tellCommand(order)
        if (looked !== null) truth.tell(id, keys, looked)
        this.#tellReply(order, id, answer)
      })
      replies.push(answer)
    }
    return replies
  }

  /** A command that may block: told when it goes in. */
  async #wait(upstream: RedisLink, order: Order): Promise<Reply> {
    const sent = upstream.send(...order.args)
    const id = this.#tellCommand(order)
    const reply = await sent
    this.#tellReply(order, id, reply)
    return reply
  }

  #tellCommand({ shown }: Order): number {
    const { run, process } = this.#options
    const id = run.nextCommand()
    const { server } = run
    const incarnation = this.#incarnation
    const conn = this.#id
    run.record({ kind: 'redis.command', id, process, incarnation, server, conn, argv: shown })
    return id
  }

  #tellReply({ shown }: Order, id: number, answer: Reply): void {
    const { run, process } = this.#options
    const { server } = run
    const incarnation = this.#incarnation
    const command = shown[0] ?? ''
    const reply = replyOutOfSpace(replyToValue(answer), run.prefix)
    run.record({ kind: 'redis.reply', id, process, incarnation, server, command, reply })
  }

  /** Keys that the command can have changed: all that it names, in a script's text too. */
  #touched({ argv, own }: Order): readonly string[] {
    const name = argv[0] ?? ''
    if (own !== null) return []
    if (name === 'MULTI') this.#queued ??= []
    const waited = this.#queued
    if (name === 'EXEC' || name === 'DISCARD' || name === 'RESET') this.#queued = null
    if (onlyReads(argv)) return []
    const named = this.#named(argv)
    if (this.#queued !== null) {
      this.#queued.push(...named)
      return []
    }
    return [...new Set([...(name === 'EXEC' ? (waited ?? []) : []), ...named])]
  }

  #named(argv: readonly string[]): readonly string[] {
    const { prefix } = this.#options.run
    const keys = argv.filter((arg, at) => at > 0 && arg.startsWith(prefix))
    if (argv[0] !== 'EVAL') return keys
    const written = (argv[1] ?? '').split(prefix).slice(1)
    return [...keys, ...written.map((rest) => prefix + (/^[^\s'"\]]*/.exec(rest)?.[0] ?? ''))]
  }

  #answer(reply: Reply): void {
    const bytes = encodeReply(reply)
    this.#in.pass(() => {
      if (this.#state === 'open' && !this.#socket.destroyed) this.#socket.write(bytes)
    })
  }

  #cut(how: 'stall' | 'reset'): void {
    if (how === 'reset') this.#reset()
    else this.#state = 'half dead'
  }

  #reset(): void {
    this.#state = 'closed'
    this.#socket.resetAndDestroy()
    this.#upstream?.then((link) => link.close()).catch(() => {})
    this.#forget()
  }
}

const NO_PASSWORD =
  'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?'
const NO_PROTO = 'NOPROTO unsupported protocol version'

/** Passwords are not for the trace. */
function masked(argv: string[]): readonly string[] {
  if (argv[0] === 'AUTH') return argv.map((arg, at) => (at === 0 ? arg : '***'))
  const auth = argv.findIndex((arg, at) => at > 1 && arg.toUpperCase() === 'AUTH')
  if (argv[0] === 'HELLO' && auth > 0 && argv[auth + 2] !== undefined) argv[auth + 2] = '***'
  return argv
}
