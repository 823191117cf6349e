/**
 * `net.Socket` over a connection of the world.
 *
 * A real Duplex, so buffering, back-pressure and the order of events are Node's own; this file does
 * what Node's lib/net.js does above its TCP handle: connecting, half-closing, idle timeouts, errors.
 * Bytes that arrive while the program does not read wait here. Completions that Node gets from the
 * event loop (`finish` after a shutdown, `close`) come in an event of their own. Refuses: paths of
 * Unix sockets. Source: Node 20 lib/net.js and its documentation. Not here: `fd`, `onread`.
 */

import { addAbortSignal, Duplex, type DuplexOptions } from 'node:stream'
import type { ConnectionEnd, EndHandler } from '../../../sim/network.ts'
import type { Handle, HostContext } from '../../context.ts'
import { checkedPort, connectError, lookupError, nodeError, streamError } from '../system-error.ts'
import {
  type ConnectOptions,
  isLoopback,
  normalizeArguments,
  type ShownAddress,
  showAddress,
} from './addresses.ts'
import { IdleTimer } from './idle-timer.ts'
import { type Resolved, resolveHost } from './resolve-host.ts'

export interface SocketOptions extends DuplexOptions {
  readonly fd?: number
  readonly handle?: unknown
  readonly signal?: AbortSignal
}

/** A connection that a server has just accepted. */
export interface Accepted {
  readonly end: ConnectionEnd
  /** The server listens on `::`. */
  readonly mapped: boolean
  readonly paused: boolean
  /** Sees what arrives and what leaves. */
  readonly watch: StreamWatch | null
}

export interface StreamWatch {
  arrived(bytes: Uint8Array): void
  left(bytes: Uint8Array): void
  /** Nothing more will leave. */
  finished(): void
}

interface Chunk {
  readonly chunk: Buffer | Uint8Array | string
  readonly encoding: BufferEncoding
}

type Done = (error?: Error | null) => void

function toBytes({ chunk, encoding }: Chunk): Buffer {
  // A copy: the sender may use its buffer again as soon as the write is done.
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

/** In place of `write` once the other side has ended: a write after our own end says why. */
function writeAfterFin(
  this: Duplex,
  chunk: unknown,
  encoding?: unknown,
  callback?: unknown,
): boolean {
  if (!this.writableEnded) {
    return Duplex.prototype.write.call(this, chunk, encoding as BufferEncoding, callback as Done)
  }
  const done = typeof encoding === 'function' ? encoding : callback
  const error = Object.assign(new Error('This socket has been ended by the other party'), {
    code: 'EPIPE',
  })
  if (typeof done === 'function') process.nextTick(done as Done, error)
  this.destroy(error)
  return false
}

export class WorldSocket extends Duplex {
  connecting = false
  timeout: number | undefined
  /** Set by `net.Server` for the sockets it accepts. */
  server: unknown = null
  readonly autoSelectFamilyAttemptedAddresses: string[] = []
  readonly #context: HostContext
  readonly #idle: IdleTimer
  readonly #onClosed: (() => void)[] = []
  #handle: Handle | null = null
  #end: ConnectionEnd | null = null
  #giveUp: (() => void) | null = null
  #mapped = false
  #loopback = false
  #watch: StreamWatch | null = null
  #reading = false
  #flushing = false
  #inbox: Buffer[] = []
  #eof: 'no' | 'waiting' | 'told' = 'no'
  #peerGone = false
  #resetting = false
  #bytesRead = 0
  #bytesSent = 0
  #pendingBytes = 0
  #local: ShownAddress | null = null
  #remote: ShownAddress | null = null

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
    this.on('end', () => {
      if (!this.allowHalfOpen) this.write = writeAfterFin as typeof this.write
    })
    if (signal !== undefined) addAbortSignal(signal, this)
    if (accepted !== null) this.#accept(accepted)
  }

  #accept({ end, mapped, paused, watch }: Accepted): void {
    this.#mapped = mapped
    this.#loopback = end.party === end.peer.party
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
    if (options.port === undefined && (options.path === undefined || options.path === null)) {
      throw nodeError(
        TypeError,
        'ERR_MISSING_ARGS',
        'The "options" or "port" or "path" argument must be specified',
      )
    }
    if (options.path) {
      this.#context.unsupported('net.connect(path)', 'Use net.connect({ host, port }).')
    }
    if (typeof options.port !== 'number' && typeof options.port !== 'string') {
      const received = options.port === null ? 'null' : `an instance of ${typeof options.port}`
      throw nodeError(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "options.port" property must be one of type number or string. Received ${received}`,
      )
    }
    const port = checkedPort(options.port, 'Port')
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
    this.#end = null
    this.#inbox = []
    this.#eof = 'no'
    this.#reading = false
    this.#peerGone = false
    this.#resetting = false
    this.#local = null
    this.#remote = null
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
    this.#loopback = isLoopback(address)
    this.autoSelectFamilyAttemptedAddresses.push(`${address}:${port}`)
    const target = this.#loopback
      ? 'localhost'
      : resolved.kind === 'name'
        ? resolved.target
        : address
    this.#giveUp = this.#context.network.connect(
      this.#context.party,
      target,
      port,
      (end) => this.#connected(end),
      (code) => {
        this.#giveUp = null
        this.destroy(
          code === 'ENOTFOUND' && resolved.kind === 'name'
            ? lookupError(code, 'getaddrinfo', host)
            : // An address that no host of the world has: nobody answers for it.
              connectError(code === 'ENOTFOUND' ? 'EHOSTUNREACH' : code, address, port),
        )
      },
    )
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
    this.#end = end
    const handler: EndHandler = {
      data: ({ bytes }) => this.#arrived(bytes),
      end: () => this.#eofArrived(),
      close: (code) => this.#closedByPeer(code),
    }
    end.handler = handler
    if (end.closed) {
      this.#eofArrived()
      this.#peerGone = true
    }
  }

  #arrived(bytes: Buffer): void {
    this.#idle.refresh()
    this.#bytesRead += bytes.length
    this.#watch?.arrived(bytes)
    if (this.#reading && this.#inbox.length === 0) this.#reading = this.push(bytes)
    else this.#inbox.push(bytes)
  }

  #eofArrived(): void {
    if (this.#eof !== 'no') return
    this.#eof = 'waiting'
    if (this.#reading && this.#inbox.length === 0) this.#tellEof()
  }

  #tellEof(): void {
    this.#eof = 'told'
    this.push(null)
    this.read(0)
  }

  #closedByPeer(code: string | null): void {
    this.#peerGone = true
    if (code !== null) this.destroy(streamError(code, 'read'))
  }

  /** Brings in what waited, in an event of its own, as the loop's next poll would. */
  readonly #flush = (): void => {
    this.#flushing = false
    while (this.#reading && this.#inbox.length > 0) {
      this.#reading = this.push(this.#inbox.shift())
    }
    if (this.#reading && this.#eof === 'waiting') this.#tellEof()
  }

  override _read(_size?: number): void {
    if (this.connecting || this.#end === null) {
      if (!this.destroyed) this.once('connect', () => this._read())
      return
    }
    if (this.#reading) return
    this.#reading = true
    if (this.#flushing || (this.#inbox.length === 0 && this.#eof !== 'waiting')) return
    this.#flushing = true
    this.#context.schedule('io', 0, this.#flush)
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, callback: Done): void {
    this.#send([{ chunk, encoding }], callback)
  }

  override _writev(chunks: readonly Chunk[], callback: Done): void {
    this.#send(chunks, callback)
  }

  #send(chunks: readonly Chunk[], callback: Done): void {
    this.#sendBytes(
      chunks.length === 1 ? toBytes(chunks[0]!) : Buffer.concat(chunks.map(toBytes)),
      callback,
    )
  }

  #sendBytes(bytes: Buffer, callback: Done): void {
    if (this.connecting) {
      this.#pendingBytes = bytes.length
      const onClose = (): void =>
        callback(
          nodeError(
            Error,
            'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
            'Socket closed before the connection was established',
          ),
        )
      this.once('connect', () => {
        this.off('close', onClose)
        this.#sendBytes(bytes, callback)
      })
      this.once('close', onClose)
      return
    }
    this.#pendingBytes = 0
    const end = this.#end
    if (end === null) {
      callback(nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'))
      return
    }
    if (!this.#context.guard('a write to a socket')) return
    this.#idle.refresh()
    this.#bytesSent += bytes.length
    this.#watch?.left(bytes)
    end.write(bytes)
    // Nobody is there any more: the system answers the first write with a reset.
    if (this.#peerGone) {
      this.#context.schedule('io', 0, () => this.destroy(streamError('ECONNRESET', 'read')))
    }
    callback()
  }

  override _final(callback: Done): void {
    if (this.connecting) {
      this.once('connect', () => this._final(callback))
      return
    }
    const end = this.#end
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
      this.#end?.destroy(this.#resetting)
      this.#end = null
      this.#handle = null
      this.#local = null
      this.#inbox = []
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
    if (typeof ms !== 'number') {
      throw nodeError(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "msecs" argument must be of type number. Received ${ms === null || ms === undefined ? String(ms) : `type ${typeof ms}`}`,
      )
    }
    if (!(ms >= 0 && Number.isFinite(ms))) {
      throw nodeError(
        RangeError,
        'ERR_OUT_OF_RANGE',
        `The value of "msecs" is out of range. It must be a non-negative finite number. Received ${ms}`,
      )
    }
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
    return this.#bytesSent
  }

  get bytesWritten(): number {
    // While connecting, the chunk in flight is still counted as buffered by the stream.
    const waiting = this.#handle === null ? 0 : this.writableLength
    return this.#bytesSent + Math.max(waiting, this.#pendingBytes)
  }

  #localAddress(): ShownAddress | null {
    if (this.#end === null) return this.#local
    const { address, port } = this.#end.local
    this.#local ??= showAddress(this.#loopback ? '127.0.0.1' : address, port, this.#mapped)
    return this.#local
  }

  #remoteAddress(): ShownAddress | null {
    if (this.#end === null) return this.#remote
    const { address, port } = this.#end.remote
    this.#remote ??= showAddress(this.#loopback ? '127.0.0.1' : address, port, this.#mapped)
    return this.#remote
  }

  address(): ShownAddress | Record<string, never> {
    return this.#localAddress() ?? {}
  }

  get localAddress(): string | undefined {
    return this.#localAddress()?.address
  }

  get localPort(): number | undefined {
    return this.#localAddress()?.port
  }

  get localFamily(): string | undefined {
    return this.#localAddress()?.family
  }

  get remoteAddress(): string | undefined {
    return this.#remoteAddress()?.address
  }

  get remotePort(): number | undefined {
    return this.#remoteAddress()?.port
  }

  get remoteFamily(): string | undefined {
    return this.#remoteAddress()?.family
  }
}
