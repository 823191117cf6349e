/**
 * `node:net` of one process: the world's network behind Node's interface.
 *
 * Each process gets classes of its own, so that what it sets on them stays with it. Names, addresses
 * and ports are the world's; nothing here can reach a real socket. Address checks and `BlockList` are
 * Node's own, which only calculate.
 */

import * as real from 'node:net'
import type { HostContext } from '../../context.ts'
import { watch } from '../../shared-objects.ts'
import { callable } from '../callable.ts'
import { normalizeArguments } from './addresses.ts'
import { HttpWatch } from './http-watch.ts'
import {
  makeServerClass,
  type ServerOptions,
  type ServerWorld,
  type WorldServer,
} from './server.ts'
import { WorldSocket } from './socket.ts'
import type { Accepted, SocketOptions } from './socket-options.ts'

/** A socket that its server has accepted is made from this, and from nothing that a program has. */
class AcceptedOptions {
  readonly options: SocketOptions
  readonly accepted: Accepted

  constructor(options: SocketOptions, accepted: Accepted) {
    this.options = options
    this.accepted = accepted
  }
}

export interface NetModule {
  /** One of the sockets of this process; `net.Server` and `http` extend these. */
  readonly Socket: new (
    options?: SocketOptions,
  ) => WorldSocket
  readonly Server: new (options?: ServerOptions, listener?: unknown) => WorldServer
  connect(...args: unknown[]): WorldSocket
}

export function makeNet(context: HostContext): NetModule {
  watch(WorldSocket, 'net.Socket')
  class Socket extends WorldSocket {
    constructor(options?: SocketOptions | AcceptedOptions) {
      if (options instanceof AcceptedOptions) super(context, options.options, options.accepted)
      else super(context, options)
    }
  }

  const world: ServerWorld = {
    context,
    accept: (end, options, mapped, paused) => {
      const watch = new HttpWatch(end, context.kernel, context.record)
      const socket = new Socket(new AcceptedOptions(options, { end, mapped, paused, watch }))
      watch.attach(socket)
      return socket
    },
  }

  const Server = makeServerClass(world)

  function connect(...args: unknown[]): WorldSocket {
    const [options, callback] = normalizeArguments(args)
    const socket = new Socket(options as SocketOptions)
    const { timeout } = options as { timeout?: number }
    if (timeout) socket.setTimeout(timeout)
    return callback === null ? socket.connect(options) : socket.connect(options, callback)
  }

  let autoSelectFamily = true
  let attemptTimeoutMs = 250
  const PublicSocket = callable(Socket)
  const PublicServer = callable(Server)
  return {
    connect,
    createConnection: connect,
    createServer: (options?: ServerOptions, listener?: unknown) => new Server(options, listener),
    isIP: real.isIP,
    isIPv4: real.isIPv4,
    isIPv6: real.isIPv6,
    BlockList: real.BlockList,
    SocketAddress: real.SocketAddress,
    Server: PublicServer,
    Socket: PublicSocket,
    Stream: PublicSocket,
    // One address a host: there is nothing to choose, but clients ask.
    getDefaultAutoSelectFamily: () => autoSelectFamily,
    setDefaultAutoSelectFamily: (value: boolean) => {
      autoSelectFamily = value
    },
    getDefaultAutoSelectFamilyAttemptTimeout: () => attemptTimeoutMs,
    setDefaultAutoSelectFamilyAttemptTimeout: (value: number) => {
      attemptTimeoutMs = Math.max(10, value)
    },
  } as NetModule
}
