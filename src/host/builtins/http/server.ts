/**
 * `http.Server` of one process: Node's request handling over this process's `net.Server`.
 *
 * An instance is made by Node's constructor and then given this prototype, so what Node hangs on it is
 * there, while listening, closing and everything that takes time is ours. Node looks for overdue
 * requests at an interval, by the real clock; here the next look is planned only while a request is
 * incomplete, at the times at which Node would look.
 */

import * as real from 'node:http'
import type { HostContext } from '../../context.ts'
import { type HttpWatch, watchOf } from '../net/http-watch.ts'
import type { NetModule } from '../net/index.ts'
import { acceptedBy } from '../net/server.ts'
import type { WorldSocket } from '../net/socket.ts'
import { nodeError } from '../system-error.ts'
import { bindClass, detachedPrototype } from './detach.ts'

type MadeServer = real.Server & {
  connectionsCheckingInterval: number
  on(event: 'connection', listener: (socket: WorldSocket) => void): MadeServer
}
type BusySocket = WorldSocket & {
  _httpMessage?: { finished: boolean; _headerSent: boolean } | null
}

const OURS = ['close', 'closeAllConnections', 'closeIdleConnections']

export function makeHttpServer(
  context: HostContext,
  ServerResponse: typeof real.ServerResponse,
): typeof real.Server {
  const net = context.builtin('net') as NetModule
  const NetServer = net.Server

  function Server(options?: unknown, listener?: unknown): object {
    const onRequest = typeof options === 'function' ? options : listener
    const given =
      typeof options === 'function' || options === undefined || options === null ? {} : options
    if (typeof given !== 'object') return new real.Server(given as real.ServerOptions)
    const made = new real.Server(
      { ServerResponse, ...given },
      onRequest as real.RequestListener,
    ) as MadeServer
    // Node's only listener of this event starts its real interval.
    made.removeAllListeners('listening')
    for (const name of ['_connections', '_handle', '_usingWorkers', '_workers', '_listeningId']) {
      Reflect.deleteProperty(made, name)
    }
    Object.setPrototypeOf(made, new.target === undefined ? Server.prototype : new.target.prototype)
    watchForOverdue(context, made)
    return made
  }

  const prototype = detachedPrototype(real.Server.prototype, NetServer.prototype, OURS)
  const closeNet = NetServer.prototype.close
  const methods = {
    close(this: MadeServer, callback?: (error?: Error) => void): MadeServer {
      this.closeIdleConnections()
      closeNet.call(this as never, callback)
      return this
    },
    closeAllConnections(this: MadeServer): void {
      for (const socket of [...acceptedBy(this)]) socket.destroy()
    },
    closeIdleConnections(this: MadeServer): void {
      for (const socket of [...acceptedBy(this)] as BusySocket[]) {
        const answering = socket._httpMessage && !socket._httpMessage.finished
        if (watchOf(socket)?.idle && !answering) socket.destroy()
      }
    },
  }
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(prototype, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: true,
    })
  }
  bindClass(Server, 'Server', prototype, NetServer)
  return Server as unknown as typeof real.Server
}

/** Ends connections whose request takes longer than `headersTimeout` or `requestTimeout`. */
function watchForOverdue(context: HostContext, server: MadeServer): void {
  let startedUs = 0
  let planned = false
  const plan = (): void => {
    if (planned) return
    planned = true
    const everyUs = Math.max(1, server.connectionsCheckingInterval) * 1000
    const sinceUs = context.kernel.now - startedUs
    context.schedule('timer', everyUs - (sinceUs % everyUs), look)
  }
  const look = (): void => {
    planned = false
    let incomplete = false
    for (const socket of [...acceptedBy(server)]) {
      const watch = watchOf(socket)
      if (watch === undefined || watch.idle || watch.tap.blind) continue
      if (isOverdue(watch, server, context.kernel.now)) answerOverdue(server, socket)
      else incomplete = true
    }
    if (incomplete) plan()
  }
  server.on('listening', () => {
    startedUs = context.kernel.now
  })
  server.on('connection', (socket) => {
    const watch = watchOf(socket)
    if (watch === undefined) return
    watch.onIncomplete = plan
    plan()
  })
}

function isOverdue(watch: HttpWatch, server: MadeServer, nowUs: number): boolean {
  const ageMs = (nowUs - watch.openSinceUs) / 1000
  const { headersTimeout, requestTimeout } = server
  const headOpen = watch.tap.headOpen || watch.tap.requestsBegun === 0
  return (
    (headersTimeout > 0 && headOpen && ageMs > headersTimeout) ||
    (requestTimeout > 0 && ageMs > requestTimeout)
  )
}

function answerOverdue(server: MadeServer, socket: BusySocket): void {
  const error = nodeError(Error, 'ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout')
  if (server.emit('clientError', error, socket as never)) return
  if (socket.writable && !socket._httpMessage?._headerSent) {
    socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
  }
  socket.removeAllListeners('error')
  socket.on('error', () => {})
  socket.destroy(error)
}
