/**
 * `net.Server`: listens on this process's own host of the world.
 *
 * The state hangs on the object under a symbol and is made on first use, since `http.Server` objects
 * come out of Node's own constructor and are given this prototype afterwards. Binding happens at once
 * (as in Node, the port is known right after `listen`), `listening` and errors follow in a tick. A
 * server bound to a loopback address resets whoever comes from another host. Refuses: Unix sockets,
 * file descriptors. Source: Node 20 lib/net.js.
 */

import { EventEmitter } from 'node:events'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import type { ConnectionEnd, Listener } from '../../../sim/network.ts'
import type { Handle, HostContext } from '../../context.ts'
import { checkedPort, listenError, lookupError, nodeError } from '../system-error.ts'
import { isLoopback, normalizeArguments, type ShownAddress, showAddress } from './addresses.ts'
import { addressOf } from './resolve-host.ts'
import type { WorldSocket } from './socket.ts'
import type { SocketOptions } from './socket-options.ts'

export interface ServerOptions {
  readonly allowHalfOpen?: boolean
  readonly pauseOnConnect?: boolean
  readonly noDelay?: boolean
  readonly keepAlive?: boolean
  readonly keepAliveInitialDelay?: number
  readonly highWaterMark?: number
}

interface Bound {
  readonly listener: Listener
  readonly handle: Handle
  readonly address: string
}

interface ServerState {
  bound: Bound | null
  /** Counts calls of `listen`, so that a lookup for an earlier one is ignored. */
  attempt: number
  unref: boolean
  readonly sockets: Set<WorldSocket>
}

/** What a server needs of its process. Kept in a closure: code under test must not get at it. */
export interface ServerWorld {
  readonly context: HostContext
  accept(end: ConnectionEnd, options: SocketOptions, mapped: boolean, paused: boolean): WorldSocket
}

const kState = Symbol('server state')

interface ListenOptions {
  readonly port?: number | string | null
  readonly host?: string
  readonly path?: string
  readonly fd?: number
  readonly signal?: AbortSignal
}

type OnConnection = (socket: WorldSocket) => void

function stateOf(server: { [kState]?: ServerState | undefined }): ServerState {
  server[kState] ??= { bound: null, attempt: 0, unref: false, sockets: new Set() }
  return server[kState]
}

/** The sockets that a server has accepted and that are not closed, in the order of arrival. */
export function acceptedBy(server: object): ReadonlySet<WorldSocket> {
  return stateOf(server).sockets
}

export type WorldServer = InstanceType<ReturnType<typeof makeServerClass>>

/** The class of servers of one process. */
export function makeServerClass(world: ServerWorld) {
  const { context } = world
  class Server extends EventEmitter {
    declare [kState]: ServerState | undefined
    allowHalfOpen: boolean
    pauseOnConnect: boolean
    highWaterMark: number | undefined
    maxConnections: number | undefined

    constructor(options: ServerOptions | OnConnection | null = {}, listener?: unknown) {
      super()
      const given = typeof options === 'function' || options === null ? {} : options
      const onConnection = typeof options === 'function' ? options : listener
      if (typeof onConnection === 'function') this.on('connection', onConnection as () => void)
      this.allowHalfOpen = Boolean(given.allowHalfOpen)
      this.pauseOnConnect = Boolean(given.pauseOnConnect)
      this.highWaterMark = given.highWaterMark
    }

    get listening(): boolean {
      return this[kState]?.bound !== null && this[kState] !== undefined
    }

    listen(...args: unknown[]): this {
      const [given, callback] = normalizeArguments(args)
      const options = given as ListenOptions
      const state = stateOf(this)
      if (state.bound !== null) {
        throw nodeError(
          Error,
          'ERR_SERVER_ALREADY_LISTEN',
          'Listen method has been called more than once without closing.',
        )
      }
      if (callback !== null) this.once('listening', callback)
      state.attempt += 1
      if (options.path !== undefined || options.fd !== undefined) {
        context.unsupported('server.listen(path or fd)', 'Use server.listen(port).')
      }
      const anyPort = args.length === 0 || typeof args[0] === 'function' || 'port' in options
      if (!anyPort) {
        throw nodeError(
          TypeError,
          'ERR_INVALID_ARG_VALUE',
          `The argument 'options' must have the property "port" or "path". Received ${JSON.stringify(options)}`,
        )
      }
      const port = checkedPort(options.port ?? 0, 'options.port')
      closeOnAbort(this, options.signal)
      if (options.host) bindHost(this, options.host, port)
      else bind(this, '::', port)
      return this
    }

    address(): ShownAddress | null {
      const bound = this[kState]?.bound ?? null
      if (bound === null) return null
      const { address, family } = showAddress(bound.address, bound.listener.port, false)
      return { address, family, port: bound.listener.port }
    }

    close(callback?: (error?: Error) => void): this {
      const state = stateOf(this)
      if (typeof callback === 'function') {
        if (state.bound === null) {
          this.once('close', () =>
            callback(nodeError(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')),
          )
        } else this.once('close', callback)
      }
      if (state.bound !== null) {
        if (!context.guard('the closing of a server')) return this
        state.bound.listener.close()
        state.bound.handle.close()
        state.bound = null
      }
      state.attempt += 1
      closeIfDone(this)
      return this
    }

    async [Symbol.asyncDispose](): Promise<void> {
      if (this.listening) await promisify(this.close).call(this)
    }

    getConnections(callback: (error: Error | null, count: number) => void): this {
      const { size } = stateOf(this).sockets
      process.nextTick(callback, null, size)
      return this
    }

    get _connections(): number {
      return this[kState]?.sockets.size ?? 0
    }

    set _connections(_count: number) {
      // Node's http constructor sets it to 0.
    }

    ref(): this {
      stateOf(this).unref = false
      stateOf(this).bound?.handle.ref()
      return this
    }

    unref(): this {
      stateOf(this).unref = true
      stateOf(this).bound?.handle.unref()
      return this
    }
  }

  function closeOnAbort(server: Server, signal: AbortSignal | undefined): void {
    if (signal === undefined) return
    const onAbort = (): void => {
      server.close()
    }
    if (signal.aborted) process.nextTick(onAbort)
    else {
      signal.addEventListener('abort', onAbort)
      server.once('close', () => signal.removeEventListener('abort', onAbort))
    }
  }

  function bindHost(server: Server, host: string, port: number): void {
    const { attempt } = stateOf(server)
    const found = isIP(host) === 0 ? addressOf(context, host) : host
    const own = context.network.lookup(context.name)
    const bindFound = (): void => {
      if (attempt !== stateOf(server).attempt) return
      if (found === null) server.emit('error', lookupError('ENOTFOUND', 'getaddrinfo', host))
      else if (isLoopback(found) || found === own) bind(server, found, port)
      else server.emit('error', listenError('EADDRNOTAVAIL', found, port))
    }
    if (isIP(host) === 0) context.schedule('io', 0, bindFound)
    else process.nextTick(bindFound)
  }

  function bind(server: Server, address: string, port: number): void {
    const state = stateOf(server)
    if (!context.guard('listen')) return
    const listener = context.network.listen(context.party, port, (end) => accept(server, end))
    if (listener === null) {
      const error = listenError('EADDRINUSE', address, port)
      process.nextTick(() => server.emit('error', error))
      return
    }
    const handle = context.open('server')
    if (state.unref) handle.unref()
    state.bound = { listener, handle, address }
    process.nextTick(() => {
      // Closed before anybody was told: then nobody is.
      if (state.bound?.listener === listener) server.emit('listening')
    })
  }

  function accept(server: Server, end: ConnectionEnd): void {
    const state = stateOf(server)
    const { bound } = state
    const foreign = end.peer.party !== end.party
    const localOnly =
      bound !== null &&
      isLoopback(bound.address) &&
      bound.address !== '::' &&
      bound.address !== '0.0.0.0'
    if (bound === null || (localOnly && foreign)) {
      end.destroy(true)
      return
    }
    const mapped = bound.address === '::'
    if (server.maxConnections && state.sockets.size >= server.maxConnections) {
      drop(server, end, mapped)
      return
    }
    const { allowHalfOpen, highWaterMark } = server
    const watermarks =
      highWaterMark === undefined
        ? {}
        : { readableHighWaterMark: highWaterMark, writableHighWaterMark: highWaterMark }
    const socket = world.accept(
      end,
      { allowHalfOpen, ...watermarks },
      mapped,
      server.pauseOnConnect,
    )
    state.sockets.add(socket)
    socket.server = server
    socket.whenReleased(() => {
      state.sockets.delete(socket)
      closeIfDone(server)
    })
    server.emit('connection', socket)
  }

  function drop(server: Server, end: ConnectionEnd, mapped: boolean): void {
    const local = showAddress(end.local.address, end.local.port, mapped)
    const remote = showAddress(end.remote.address, end.remote.port, mapped)
    end.destroy()
    server.emit('drop', {
      localAddress: local.address,
      localPort: local.port,
      localFamily: local.family,
      remoteAddress: remote.address,
      remotePort: remote.port,
      remoteFamily: remote.family,
    })
  }

  function closeIfDone(server: Server): void {
    const state = stateOf(server)
    if (state.bound !== null || state.sockets.size > 0) return
    process.nextTick(() => server.emit('close'))
  }

  return Server
}
