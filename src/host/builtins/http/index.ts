/**
 * `node:http` of one process: Node's own protocol code over the world's network and clock.
 *
 * Parsing, framing, pooling and events are Node's. Its classes are copied per process and cut off from
 * the originals; dates, timeouts and sockets are the world's. Refuses: Unix sockets.
 */

import * as real from 'node:http'
import type { HostContext } from '../../context.ts'
import { makeClient } from './client.ts'
import { makeMessages } from './messages.ts'
import { makeHttpServer } from './server.ts'

type ClientRequestLike = object & { end(): void }

export function makeHttp(context: HostContext): object {
  const { OutgoingMessage, ServerResponse } = makeMessages(context)
  const { Agent, ClientRequest, defaults } = makeClient(
    context,
    OutgoingMessage.prototype,
    OutgoingMessage,
  )
  const Server = makeHttpServer(context, ServerResponse)
  const NewRequest = ClientRequest as unknown as new (...args: unknown[]) => ClientRequestLike
  const NewServer = Server as unknown as new (...args: unknown[]) => object
  const request = (...args: unknown[]) => new NewRequest(...args)
  const http = {
    METHODS: [...real.METHODS],
    STATUS_CODES: { ...real.STATUS_CODES },
    Agent,
    ClientRequest,
    IncomingMessage: real.IncomingMessage,
    OutgoingMessage,
    Server,
    ServerResponse,
    createServer: (...args: unknown[]) => new NewServer(...args),
    validateHeaderName: real.validateHeaderName,
    validateHeaderValue: real.validateHeaderValue,
    request,
    get: (...args: unknown[]) => {
      const made = request(...args)
      made.end()
      return made
    },
    maxHeaderSize: real.maxHeaderSize,
    // The pool of idle parsers is the laboratory's own.
    setMaxIdleHTTPParsers: (_max: number) => {},
  }
  return Object.defineProperty(http, 'globalAgent', {
    configurable: true,
    enumerable: true,
    get: () => defaults.globalAgent,
    set: (agent: unknown) => {
      defaults.globalAgent = agent
    },
  })
}
