/**
 * One connection of a process to the real Redis: client on one side, a connection of its own to the
 * server on the other, and in between the tap, the timeline's door and the look at what commands did.
 *
 * Commands are carried out in their order, and answered in it. Those at hand go to the server in one
 * write, but for one that the timeline has hit or that may block: it goes alone. A command is told to
 * the trace with its effects and its answer as one instant, and answered one turn of the event loop
 * later, so that what the timeline does at it comes first. What a client sent before it went away is
 * carried out, as by a server that reads its socket to the end.
 */

import type net from 'node:net'
import {
  encodeReply,
  error,
  ProtocolError,
  type Reply,
  RequestParser,
  replyToValue,
} from '../wire/resp.ts'
import type { CommandVerdict } from './director.ts'
import type { Lane, ProxyLink } from './proxy-link.ts'
import { RealRefusal } from './real-refusal.ts'
import { mayBlock, onlyReads } from './redis-keys.ts'
import { LinkBroken, type RedisLink } from './redis-link.ts'
import { masked, type Order, ownAnswer } from './redis-order.ts'
import type { RedisRun } from './redis-run.ts'
import { outOfSpace, replyOutOfSpace } from './redis-words.ts'

export interface ConnectionOptions {
  readonly run: RedisRun
  readonly process: string
  /** The life that speaks now. */
  readonly incarnation: () => number
  readonly link: ProxyLink
  readonly verdictOn: (argv: readonly string[], release: () => void) => CommandVerdict
  /** A command of the process was seen. */
  readonly moved: () => void
}

/** Commands that go to the server in one write, at the most. */
const BATCH = 64

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** `half dead` from a stall on: nothing passes, nobody is told. */
type State = 'open' | 'half dead' | 'closed'

export class Connection {
  readonly #socket: net.Socket
  readonly #options: ConnectionOptions
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

  constructor(socket: net.Socket, options: ConnectionOptions, forget: () => void) {
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
    const own = await ownAnswer(argv, run)
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
