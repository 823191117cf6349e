/**
 * From what a program asks `connect` for to a connection of the world, or to the error that Node tells.
 *
 * Refuses, by throwing as Node does: no port, a port that is none, the path of a Unix socket (which
 * has no simulated form). All else comes later, in events: a name is looked up, an address answers,
 * refuses, or nobody is there.
 */

import type { ConnectionEnd } from '../../../sim/network.ts'
import type { HostContext } from '../../context.ts'
import { checkedPort, connectError, lookupError, nodeError } from '../system-error.ts'
import { type ConnectOptions, isLoopback } from './addresses.ts'
import type { Resolved } from './resolve-host.ts'

/** The port that is asked for. Throws as Node does when there is none. */
export function portOf(options: ConnectOptions, context: HostContext): number {
  if (options.port === undefined && (options.path === undefined || options.path === null)) {
    throw nodeError(
      TypeError,
      'ERR_MISSING_ARGS',
      'The "options" or "port" or "path" argument must be specified',
    )
  }
  if (options.path) {
    context.unsupported('net.connect(path)', 'Use net.connect({ host, port }).')
  }
  if (typeof options.port !== 'number' && typeof options.port !== 'string') {
    const received = options.port === null ? 'null' : `an instance of ${typeof options.port}`
    throw nodeError(
      TypeError,
      'ERR_INVALID_ARG_TYPE',
      `The "options.port" property must be one of type number or string. Received ${received}`,
    )
  }
  return checkedPort(options.port, 'Port')
}

export interface Dialled {
  connected(end: ConnectionEnd): void
  failed(error: Error): void
}

/**
 * Connects to a name or address that has been looked up. `host` is what the program called it. The
 * answer gives the attempt up.
 */
export function dial(
  context: HostContext,
  host: string,
  port: number,
  resolved: Exclude<Resolved, { readonly kind: 'failed' }>,
  { connected, failed }: Dialled,
): () => void {
  const { address } = resolved
  const named = resolved.kind === 'name' ? resolved.target : address
  return context.network.connect(
    context.party,
    isLoopback(address) ? 'localhost' : named,
    port,
    connected,
    (code) => {
      const unknown = code === 'ENOTFOUND'
      if (unknown && resolved.kind === 'name') failed(lookupError(code, 'getaddrinfo', host))
      // An address that no host of the world has: nobody answers for it.
      else failed(connectError(unknown ? 'EHOSTUNREACH' : code, address, port))
    },
  )
}
