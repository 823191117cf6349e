/**
 * The network of a world: named hosts, byte streams in order, latency, and a door where traffic can
 * be held.
 *
 * A connection has two directions. What is sent travels in segments; each draws its latency from
 * (seed, link, what it is, how many of these came before) and none overtakes another of its
 * direction. A `Tap` cuts a direction's bytes into segments that mean something (one command each).
 * Before a segment is delivered the `door` is asked; a held segment holds everything behind it. The
 * `weather` between two hosts can slow what travels, or keep it waiting; what waits is never lost.
 * A direction has a window: a sender that asks is told to wait while more than WINDOW_BYTES are on
 * their way or lie unread over there, and learns a latency later that there is room again. What was
 * written goes out all the same, so that a sender who does not ask loses nothing.
 * Units: microseconds, bytes. Refuses: an unknown host (ENOTFOUND), a port where nobody listens
 * (ECONNREFUSED), a port that is taken (EADDRINUSE).
 */

import type { Recorder } from '../trace/recorder.ts'
import type { Kernel, Origin, Owner } from './kernel.ts'
import { type Chance, wholeBetween } from './random.ts'

/** What may be sent and not yet read before a sender has to wait: the two buffers of a TCP connection. */
export const WINDOW_BYTES = 65_536

/** One meaningful piece of a stream. `key` names the latency stream, e.g. a command's name. */
export interface Segment {
  readonly bytes: Buffer
  readonly key: string
  /** What the tap understood of it. */
  readonly meaning?: unknown
}

/** Cuts a direction's bytes into segments; keeps what is not complete yet. */
export interface Tap {
  push(bytes: Buffer): readonly Segment[]
}

/** What an end of a connection is told. `error` is a Node code such as `ECONNRESET`, or null. */
export interface EndHandler {
  data(segment: Segment): void
  /** The other side will send no more. */
  end(): void
  /** The connection is over. */
  close(error: string | null): void
}

export interface Address {
  readonly host: string
  readonly port: number
  readonly address: string
}

/** A process or server that can be reached, as the trace names it. */
export interface Party {
  readonly name: string
  readonly incarnation: number
  /** Null for a server that is part of the world. */
  readonly owner: Owner | null
}

export interface Listener {
  readonly port: number
  close(): void
}

export interface NetworkOptions {
  readonly kernel: Kernel
  readonly chance: Chance
  readonly record: Recorder['record']
  readonly minLatencyUs: number
  readonly maxLatencyUs: number
}

interface Listening {
  readonly party: Party
  readonly host: string
  readonly port: number
  readonly accept: (end: ConnectionEnd) => void
}

/** Something on its way: a segment, or the news of a closing. */
interface Piece {
  readonly deliver: () => void
  readonly segment: Segment | undefined
  /** The door has let it through. */
  readonly asked: boolean
}

interface Half {
  /** Name of the host that it leaves from. */
  readonly from: string
  readonly to: ConnectionEnd
  readonly origin: Origin
  readonly link: string
  lastArrival: number
  tap: Tap | null
  /** What waits at the door or for a way, and all behind it; null when nothing waits. */
  waiting: Piece[] | null
  /** What the first of these waits for. */
  waitsFor: 'door' | 'way'
  /** Nothing passes any more, and nobody is told. */
  dead: boolean
  /** Bytes sent and not read. */
  unread: number
  /** The sender waits for this; null when it does not. */
  onRoom: (() => void) | null
}

/**
 * What becomes of a segment at its arrival. `stall`: the connection is half dead from here. `reset`:
 * both ends are told ECONNRESET. Before the segment is delivered, or right after.
 */
export type DoorVerdict =
  | 'deliver'
  | 'hold'
  | 'stall-before'
  | 'stall-after'
  | 'reset-before'
  | 'reset-after'

export type Door = (segment: Segment, end: ConnectionEnd) => DoorVerdict

/** How the way from one host to another is. */
export interface Weather {
  /** Added to the latency. */
  readonly delayUs: number
  /** What arrives waits until it is no longer so. */
  readonly cut: boolean
}

export const FAIR: Weather = { delayUs: 0, cut: false }

/** One end of a connection: what a socket holds. */
export class ConnectionEnd {
  readonly id: number
  readonly party: Party
  readonly local: Address
  readonly remote: Address
  handler: EndHandler | null = null
  /** It says itself, by `took`, what has been read. Otherwise what arrives counts as read. */
  readsLater = false
  /** The other end. Set once, by the network. */
  peer!: ConnectionEnd
  /** The direction that leaves here. Set once, by the network. */
  out!: Half
  readonly #network: Network
  #sentEnd = false
  #closed = false

  constructor(network: Network, id: number, party: Party, local: Address, remote: Address) {
    this.#network = network
    this.id = id
    this.party = party
    this.local = local
    this.remote = remote
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Sends bytes to the other end. Nothing happens on a closed or half-closed end. */
  write(bytes: Uint8Array): void {
    if (this.#closed || this.#sentEnd) return
    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
    const { tap } = this.out
    if (tap === null) this.send({ bytes: buffer, key: 'bytes' })
    else for (const segment of tap.push(buffer)) this.send(segment)
  }

  /** Sends one segment whose meaning is known. */
  send(segment: Segment): void {
    if (this.#closed || this.#sentEnd) return
    this.out.unread += segment.bytes.length
    this.#network.carry(this.out, segment.key, () => this.peer.deliver(segment), segment)
  }

  /** For the network alone: a segment arrives here. */
  deliver(segment: Segment): void {
    if (this.#closed) return
    this.handler?.data(segment)
    if (!this.readsLater) this.took(segment.bytes.length)
  }

  /** So many bytes of what arrived here have been read. */
  took(bytes: number): void {
    const half = this.peer.out
    half.unread -= bytes
    if (half.onRoom !== null && half.unread <= WINDOW_BYTES) this.#network.tellRoom(half, this.peer)
  }

  /**
   * Is there room for more? If not, `run` is called once there is, in an event of this side; never
   * when the connection is over before there is.
   */
  hasRoom(run: () => void): boolean {
    if (this.#closed || this.out.unread <= WINDOW_BYTES) return true
    this.out.onRoom = run
    return false
  }

  /** Half-closes: the other end is told that no more will come. */
  end(): void {
    if (this.#closed || this.#sentEnd) return
    this.#sentEnd = true
    this.#network.carry(this.out, 'fin', () => {
      if (!this.peer.closed) this.peer.handler?.end()
    })
  }

  /** Closes both ways. The other end is told: orderly, or with ECONNRESET when `reset`. */
  destroy(reset = false): void {
    if (this.#closed) return
    this.#closed = true
    this.handler = null
    this.out.onRoom = null
    this.#network.forget(this)
    this.#network.carry(this.out, 'fin', () => this.peer.peerGone(reset ? 'ECONNRESET' : null))
  }

  /** For the network alone: the other end is gone. */
  peerGone(error: string | null): void {
    if (this.#closed) return
    this.#closed = true
    const { handler } = this
    this.handler = null
    this.#network.forget(this)
    // Closed over what was still to be read: the system there answers with a reset.
    if (this.out.onRoom !== null) error ??= 'ECONNRESET'
    this.out.onRoom = null
    if (error === null) handler?.end()
    handler?.close(error)
  }
}

export class Network {
  readonly #options: NetworkOptions
  readonly #listening = new Map<string, Listening>()
  readonly #hosts = new Map<string, string>()
  readonly #ends = new Set<ConnectionEnd>()
  #nextConn = 1
  #nextPort = 40_000
  /** Asked for every segment at its arrival. */
  door: Door = () => 'deliver'
  /** Asked when something leaves and when it arrives. A way that opens again is told by `clear`. */
  weather: (from: string, to: string) => Weather = () => FAIR
  readonly #waiting = new Set<Half>()
  /** Attempts to connect that wait for a way. */
  #attempts: { readonly from: string; readonly to: string; readonly go: () => void }[] = []

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  /** Makes a host name known and gives it an address. Processes and servers do it when they start. */
  addHost(name: string): string {
    let address = this.#hosts.get(name)
    if (address === undefined) {
      address = `10.0.0.${this.#hosts.size + 1}`
      this.#hosts.set(name, address)
    }
    return address
  }

  /** The address of a host name (or of an address itself); null when the world does not know it. */
  lookup(name: string): string | null {
    const address = this.#hosts.get(name)
    if (address !== undefined) return address
    for (const known of this.#hosts.values()) if (known === name) return name
    return null
  }

  /** Listens as `party` on its own host. Port 0 takes a free one. Null when the port is taken. */
  listen(party: Party, port: number, accept: (end: ConnectionEnd) => void): Listener | null {
    const address = this.addHost(party.name)
    const taken = port === 0 ? this.#nextPort++ : port
    const key = `${address}:${taken}`
    if (this.#listening.has(key)) return null
    const listening: Listening = { party, host: party.name, port: taken, accept }
    this.#listening.set(key, listening)
    return {
      port: taken,
      close: () => {
        if (this.#listening.get(key) === listening) this.#listening.delete(key)
      },
    }
  }

  /**
   * Opens a connection. One of the two is called later, in an event of `from`: `connected` with this
   * side's end, or `failed` with a code (ENOTFOUND, ECONNREFUSED). The answer gives up the attempt.
   */
  connect(
    from: Party,
    host: string,
    port: number,
    connected: (end: ConnectionEnd) => void,
    failed: (code: string) => void,
  ): () => void {
    const { kernel, record } = this.#options
    let live = true
    /** Accepted over there, and not known here yet. */
    let made: ConnectionEnd | null = null
    const loopback = host === 'localhost' || host === '127.0.0.1' || host === '::1'
    const address = this.lookup(loopback ? from.name : host)
    const link = `${from.name}>${loopback ? from.name : host}:${port}`
    const origin = kernel.origin(`connect ${link}`)
    const conn = this.#nextConn++
    const draw = this.#options.chance.stream(`latency ${link} connect`)
    const target = this.#nameAt(address) ?? host
    const there = kernel.now + this.#latency(draw) + this.weather(from.name, target).delayUs
    const back = (run: () => void): number => {
      const arrival = kernel.now + this.#latency(draw)
      kernel.at(arrival, origin, from.owner, 'io', () => {
        if (live) run()
      })
      return arrival
    }
    if (address === null) {
      kernel.at(there, origin, from.owner, 'io', () => live && failed('ENOTFOUND'))
      return () => {
        live = false
      }
    }
    const attempt = (): void => {
      if (!live) return
      if (this.weather(from.name, target).cut || this.weather(target, from.name).cut) {
        const go = (): void => void kernel.at(kernel.now, origin, null, 'job', attempt)
        this.#attempts.push({ from: from.name, to: target, go })
        return
      }
      const listening = this.#listening.get(`${address}:${port}`)
      const { name: process, incarnation } = from
      if (listening === undefined) {
        record({ kind: 'net.refused', process, incarnation, conn, to: `${host}:${port}` })
        back(() => failed('ECONNREFUSED'))
        return
      }
      record({ kind: 'net.opened', process, incarnation, conn, to: `${host}:${port}` })
      const [near, far] = this.#pair(conn, from, listening, address)
      this.#toParty(listening.party, `accept ${link}`, () => listening.accept(far))
      made = near
      // What the accepting side sends at once must not overtake the news that the connection is made.
      far.out.lastArrival = back(() => {
        made = null
        connected(near)
      })
    }
    kernel.at(there, origin, null, 'job', attempt)
    return () => {
      live = false
      made?.destroy()
    }
  }

  /** Closes everything that a party holds, as an operating system does when a process is gone. */
  drop(party: Party): void {
    for (const [key, listening] of this.#listening) {
      if (listening.party === party) this.#listening.delete(key)
    }
    for (const end of [...this.#ends]) if (end.party === party) end.destroy()
  }

  /** For ConnectionEnd alone: brings something to the other end, in order, through the door. */
  carry(half: Half, key: string, deliver: () => void, segment?: Segment): void {
    if (half.dead) return
    const { kernel, chance } = this.#options
    const { party } = half.to
    const latencyUs =
      this.#latency(chance.stream(`latency ${half.link} ${key}`)) +
      this.weather(half.from, party.name).delayUs
    const arrival = Math.max(half.lastArrival, kernel.now + latencyUs)
    half.lastArrival = arrival
    const piece: Piece = { deliver, segment, asked: false }
    kernel.at(arrival, half.origin, party.owner, 'io', () => this.#arrive(half, piece))
  }

  #arrive(half: Half, piece: Piece): void {
    if (half.dead) return
    const { to, waiting } = half
    if (waiting !== null) {
      waiting.push(piece)
      return
    }
    if (this.weather(half.from, to.party.name).cut) {
      this.#wait(half, 'way', piece)
      return
    }
    const { segment, asked, deliver } = piece
    const verdict = segment === undefined || asked ? 'deliver' : this.door(segment, to)
    switch (verdict) {
      case 'deliver':
        deliver()
        break
      case 'hold':
        this.#wait(half, 'door', { ...piece, asked: true })
        break
      case 'stall-before':
        this.#stall(to)
        break
      case 'stall-after':
        this.#stall(to)
        deliver()
        break
      case 'reset-before':
        this.#reset(to)
        break
      case 'reset-after':
        to.out.dead = true
        deliver()
        to.out.dead = false
        this.#reset(to)
    }
  }

  #wait(half: Half, waitsFor: Half['waitsFor'], first: Piece): void {
    half.waiting = [first]
    half.waitsFor = waitsFor
    this.#waiting.add(half)
  }

  #stall(end: ConnectionEnd): void {
    end.out.dead = true
    end.peer.out.dead = true
  }

  #reset(end: ConnectionEnd): void {
    const { handler } = end
    end.destroy(true)
    handler?.close('ECONNRESET')
  }

  /** For ConnectionEnd alone: tells the sender of a direction that there is room, once. */
  tellRoom(half: Half, sender: ConnectionEnd): void {
    const { kernel, chance } = this.#options
    const run = half.onRoom
    half.onRoom = null
    const latencyUs = this.#latency(chance.stream(`latency ${half.link} room`))
    if (run !== null) {
      kernel.at(kernel.now + latencyUs, half.origin, sender.party.owner, 'io', run)
    }
  }

  /** Lets go what the door held on the direction that arrives at `end`, in order. */
  release(end: ConnectionEnd): void {
    const half = end.peer.out
    if (half.waitsFor === 'door') this.#letGo(half)
  }

  /** The weather between two hosts has changed: what waited for a way that is open now goes on. */
  clear(a: string, b: string): void {
    const concerns = (from: string, to: string): boolean =>
      (from === a && to === b) || (from === b && to === a)
    for (const half of [...this.#waiting]) {
      const to = half.to.party.name
      if (half.waitsFor !== 'way' || !concerns(half.from, to)) continue
      if (!this.weather(half.from, to).cut) this.#letGo(half)
    }
    const attempts = this.#attempts.filter(({ from, to }) => concerns(from, to))
    this.#attempts = this.#attempts.filter((attempt) => !attempts.includes(attempt))
    for (const { go } of attempts) go()
  }

  #letGo(half: Half): void {
    const { waiting, to } = half
    if (waiting === null) return
    half.waiting = null
    this.#waiting.delete(half)
    const { kernel } = this.#options
    half.lastArrival = Math.max(half.lastArrival, kernel.now)
    for (const piece of waiting) {
      kernel.at(kernel.now, half.origin, to.party.owner, 'io', () => this.#arrive(half, piece))
    }
  }

  /** For ConnectionEnd alone. */
  forget(end: ConnectionEnd): void {
    this.#ends.delete(end)
  }

  #pair(
    conn: number,
    from: Party,
    listening: Listening,
    address: string,
  ): [ConnectionEnd, ConnectionEnd] {
    const here: Address = {
      host: from.name,
      port: this.#nextPort++,
      address: this.addHost(from.name),
    }
    const there: Address = { host: listening.host, port: listening.port, address }
    const near = new ConnectionEnd(this, conn, from, here, there)
    const far = new ConnectionEnd(this, conn, listening.party, there, here)
    near.peer = far
    far.peer = near
    near.out = this.#half(far, from.name, listening.host, conn)
    far.out = this.#half(near, listening.host, from.name, conn)
    this.#ends.add(near).add(far)
    return [near, far]
  }

  #half(to: ConnectionEnd, from: string, toName: string, conn: number): Half {
    const link = `${from}>${toName}`
    const origin = this.#options.kernel.origin(`link ${link} ${conn}`)
    const idle = {
      lastArrival: 0,
      tap: null,
      waiting: null,
      waitsFor: 'door',
      dead: false,
      unread: 0,
      onRoom: null,
    } as const
    return { from, to, origin, link, ...idle }
  }

  #nameAt(address: string | null): string | null {
    for (const [name, known] of this.#hosts) if (known === address) return name
    return null
  }

  #toParty(party: Party, origin: string, run: () => void): void {
    const { kernel } = this.#options
    if (party.owner === null) run()
    else kernel.at(kernel.now, kernel.origin(origin), party.owner, 'io', run)
  }

  #latency(draw: () => number): number {
    return wholeBetween(draw, this.#options.minLatencyUs, this.#options.maxLatencyUs)
  }
}
