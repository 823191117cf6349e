/**
 * `net.Socket` over a connection of the world.
 *
 * A real Duplex, so buffering, back-pressure and the order of events are Node's own; this file does
 * what Node's lib/net.js does above its TCP handle: connecting, half-closing, idle timeouts, errors.
 * What arrives goes through an Inbox, what leaves through an Outbox. Completions that Node gets from
 * the event loop (`finish` after a shutdown, `close`) come in an event of their own. Refuses: paths of
 * Unix sockets. Source: Node 20 lib/net.js and its documentation. Not here: `fd`, `onread`.
 */

import { addAbortSignal, Duplex } from 'node:stream'
import type { ConnectionEnd } from '../../../sim/network.ts'
import type { Handle, HostContext } from '../../context.ts'
import { nodeError, streamError } from '../system-error.ts'
import {
  type ConnectOptions,
  isLoopback,
  normalizeArguments,
  type ShownAddress,
} from './addresses.ts'
import { dial, portOf } from './dial.ts'
import { IdleTimer, requireTimeout } from './idle-timer.ts'
import { Inbox } from './inbox.ts'
import { type Chunk, type Done, Outbox, writeAfterFin } from './outbox.ts'
import { type Resolved, resolveHost } from './resolve-host.ts'
import { Sides } from './sides.ts'
import type { Accepted, SocketOptions, StreamWatch } from './socket-options.ts'

export class WorldSocket extends Duplex {
  connecting = false
  timeout: number | undefined
  /** Set by `net.Server` for the sockets it accepts. */
  server: unknown = null
  readonly autoSelectFamilyAttemptedAddresses: string[] = []
  readonly #context: HostContext
  readonly #idle: IdleTimer
  readonly #onClosed: (() => void)[] = []
  readonly #sides = new Sides()
  readonly #inbox: Inbox
  readonly #outbox: Outbox
  #handle: Handle | null = null
  #giveUp: (() => void) | null = null
  #watch: StreamWatch | null = null
  #resetting = false
  #bytesRead = 0

  constructor(context: HostContext, options: SocketOptions = {}, accepted: Accepted | null = null) {
    const { fd, handle, signal, ...streamOptions } = options
    if (fd !== undefined || (handle !== undefined && handle !== null)) {
      context.unsupported('new net.Socket({ fd, handle })', 'Use net.connect({ host, port }).')
    }
    super({
      ...streamOptions,
      allowHalfOpen: Boolean(options.allowHalfOpen),
      emitClose: false,
      autoDestroy: true,
      decodeStrings: false,
    })
    this.#context = context
    this.#idle = new IdleTimer(context, () => this._onTimeout())
    this.#inbox = new Inbox(context, {
      push: (bytes) => this.push(bytes),
      tellEnd: () => {
        this.push(null)
        this.read(0)
      },
      took: (bytes) => this.#outbox.end?.took(bytes),
    })
    this.#outbox = new Outbox(context, this, (bytes) => {
      this.#idle.refresh()
      this.#watch?.left(bytes)
    })
    this.on('end', () => {
      if (!this.allowHalfOpen) this.write = writeAfterFin as typeof this.write
    })
    if (signal !== undefined) addAbortSignal(signal, this)
    if (accepted !== null) this.#accept(accepted)
  }

  #accept({ end, mapped, paused, watch }: Accepted): void {
    this.#sides.mapped = mapped
    this.#sides.loopback = end.party === end.peer.party
    this.#watch = watch
    this.#handle = this.#context.open('socket')
    this.#adopt(end)
    if (paused) this.pause()
    else this.read(0)
  }

  /** Calls `run` when this socket has let go of its connection. For the server that counts it. */
  whenReleased(run: () => void): void {
    this.#onClosed.push(run)
  }

  connect(...args: unknown[]): this {
    const [given, callback] = normalizeArguments(args)
    const options = given as ConnectOptions
    if (callback !== null) this.once('connect', callback)
    const port = portOf(options, this.#context)
    const host = options.host ?? 'localhost'
    if (!this.#context.guard('connect')) return this
    this.#reopen()
    this.#handle = this.#context.open('socket')
    this.connecting = true
    this.#idle.refresh()
    resolveHost(this.#context, host, options, (resolved) => this.#resolved(host, port, resolved))
    return this
  }

  /** A socket may be used for another connection after it was closed. */
  #reopen(): void {
    if (Object.hasOwn(this, 'write')) Reflect.deleteProperty(this, 'write')
    if (this.destroyed) (this as unknown as { _undestroy(): void })._undestroy()
    this.#handle?.close()
    this.#outbox.end = null
    this.#outbox.peerGone = false
    this.#inbox.clear()
    this.#sides.clear()
    this.#resetting = false
  }

  #resolved(host: string, port: number, resolved: Resolved): void {
    if (!this.connecting) return
    if (resolved.kind !== 'address') {
      const { error, address, family } =
        resolved.kind === 'failed'
          ? { error: resolved.error, address: undefined, family: undefined }
          : { ...resolved, error: null }
      this.emit('lookup', error, address, family, host)
      // A listener of `lookup` may have destroyed the socket.
      if (!this.connecting) return
    }
    if (resolved.kind === 'failed') {
      this.destroy(resolved.error)
      return
    }
    const { address } = resolved
    this.#sides.loopback = isLoopback(address)
    this.autoSelectFamilyAttemptedAddresses.push(`${address}:${port}`)
    this.#giveUp = dial(this.#context, host, port, resolved, {
      connected: (end) => this.#connected(end),
      failed: (error) => {
        this.#giveUp = null
        this.destroy(error)
      },
    })
  }

  #connected(end: ConnectionEnd): void {
    this.#giveUp = null
    this.connecting = false
    this.#adopt(end)
    this.#idle.refresh()
    this.emit('connect')
    this.emit('ready')
    if (this.readable && !this.isPaused()) this.read(0)
  }

  #adopt(end: ConnectionEnd): void {
    this.#outbox.end = end
    end.readsLater = true
    end.handler = {
      data: ({ bytes }) => this.#arrived(bytes),
      end: () => this.#inbox.endArrived(),
      close: (code) => this.#closedByPeer(code),
    }
    if (end.closed) {
      this.#inbox.endArrived()
      this.#outbox.peerGone = true
    }
  }

  #arrived(bytes: Buffer): void {
    this.#idle.refresh()
    this.#bytesRead += bytes.length
    this.#watch?.arrived(bytes)
    this.#inbox.arrived(bytes)
  }

  #closedByPeer(code: string | null): void {
    this.#outbox.peerGone = true
    if (code !== null) this.destroy(streamError(code, 'read'))
  }

  override _read(_size?: number): void {
    if (this.connecting || this.#outbox.end === null) {
      if (!this.destroyed) this.once('connect', () => this._read())
    } else this.#inbox.read()
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, callback: Done): void {
    this.#outbox.send([{ chunk, encoding }], callback)
  }

  override _writev(chunks: readonly Chunk[], callback: Done): void {
    this.#outbox.send(chunks, callback)
  }

  override _final(callback: Done): void {
    if (this.connecting) {
      this.once('connect', () => this._final(callback))
      return
    }
    const { end } = this.#outbox
    if (end === null) {
      callback()
      return
    }
    if (!this.#context.guard('the end of a socket')) return
    this.#watch?.finished()
    end.end()
    this.#context.schedule('io', 0, () => callback())
  }

  override _destroy(error: Error | null, callback: Done): void {
    this.connecting = false
    this.#idle.stop()
    const handle = this.#handle
    const hadError = error !== null && error !== undefined
    if (handle !== null) {
      if (!this.#context.guard('the closing of a socket')) return
      this.#giveUp?.()
      this.#giveUp = null
      if (!this.writableFinished && !this.#resetting) this.#watch?.finished()
      this.#outbox.end?.destroy(this.#resetting)
      this.#outbox.end = null
      this.#outbox.giveUp()
      this.#handle = null
      this.#sides.forgetLocal()
      this.#inbox.clear()
      this.#context.schedule('io', 0, () => {
        handle.close()
        this.emit('close', hadError)
      })
      callback(error)
    } else {
      callback(error)
      process.nextTick(() => this.emit('close', hadError))
    }
    for (const run of this.#onClosed.splice(0)) run()
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  resetAndDestroy(): this {
    if (this.#handle === null) {
      return this.destroy(nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'))
    }
    const reset = (): void => {
      this.#resetting = true
      this.destroy()
    }
    if (this.connecting) this.once('connect', reset)
    else reset()
    return this
  }

  setTimeout(ms: number, callback?: () => void): this {
    if (this.destroyed) return this
    requireTimeout(ms)
    this.timeout = ms
    this.#idle.set(ms)
    if (callback !== undefined) {
      if (ms === 0) this.removeListener('timeout', callback)
      else this.once('timeout', callback)
    }
    return this
  }

  _onTimeout(): void {
    this.emit('timeout')
  }

  /** Node's http code calls this when it has taken bytes past the stream. */
  _unrefTimer(): void {
    this.#idle.refresh()
  }

  /** There is no small-packet delay in this network. */
  setNoDelay(_noDelay?: boolean): this {
    return this
  }

  /** A probe of an idle connection has no effect that a program can see here. */
  setKeepAlive(_enable?: boolean, _initialDelayMs?: number): this {
    return this
  }

  ref(): this {
    if (this.#handle === null) this.once('connect', () => this.ref())
    else this.#handle.ref()
    return this
  }

  unref(): this {
    if (this.#handle === null) this.once('connect', () => this.unref())
    else this.#handle.unref()
    return this
  }

  get _connecting(): boolean {
    return this.connecting
  }

  get pending(): boolean {
    return this.#handle === null || this.connecting
  }

  get readyState(): string {
    if (this.connecting) return 'opening'
    if (this.readable && this.writable) return 'open'
    if (this.readable) return 'readOnly'
    return this.writable ? 'writeOnly' : 'closed'
  }

  get bufferSize(): number | undefined {
    return this.#handle === null ? undefined : this.writableLength
  }

  get bytesRead(): number {
    return this.#bytesRead
  }

  get _bytesDispatched(): number {
    return this.#outbox.bytesSent
  }

  get bytesWritten(): number {
    // While connecting, the chunk in flight is still counted as buffered by the stream.
    const waiting = this.#handle === null ? 0 : this.writableLength
    return this.#outbox.bytesSent + Math.max(waiting, this.#outbox.pendingBytes)
  }

  get #local(): ShownAddress | null {
    return this.#sides.local(this.#outbox.end)
  }

  get #remote(): ShownAddress | null {
    return this.#sides.remote(this.#outbox.end)
  }

  address(): ShownAddress | Record<string, never> {
    return this.#local ?? {}
  }

  get localAddress(): string | undefined {
    return this.#local?.address
  }

  get localPort(): number | undefined {
    return this.#local?.port
  }

  get localFamily(): string | undefined {
    return this.#local?.family
  }

  get remoteAddress(): string | undefined {
    return this.#remote?.address
  }

  get remotePort(): number | undefined {
    return this.#remote?.port
  }

  get remoteFamily(): string | undefined {
    return this.#remote?.family
  }
}
