/**
 * From the host that a socket was given to an address.
 *
 * An address needs no lookup and answers at once; a name is looked up in the world, or by the
 * program's own `lookup` function, and answers in a later event. Source: lookupAndConnect of Node 20.
 */

import { isIP } from 'node:net'
import type { HostContext } from '../../context.ts'
import { lookupError } from '../system-error.ts'
import type { ConnectOptions } from './addresses.ts'

export type Resolved =
  /** The host was an address. */
  | { readonly kind: 'address'; readonly address: string }
  /** `target` is what to ask the network for: it names its links after host names. */
  | {
      readonly kind: 'name'
      readonly address: string
      readonly family: 4 | 6
      readonly target: string
    }
  | { readonly kind: 'failed'; readonly error: Error }

type LookupCallback = (
  error: Error | null,
  address?: string | readonly { address: string; family: number }[],
  family?: number,
) => void
type Lookup = (host: string, options: object, callback: LookupCallback) => void

/** The address of a name for this process; null when the world does not know it. */
export function addressOf(context: HostContext, name: string): string | null {
  const known = name.endsWith('.') ? name.slice(0, -1) : name
  if (known.toLowerCase() === 'localhost') return '127.0.0.1'
  return context.network.lookup(known) ?? context.network.lookup(known.toLowerCase())
}

export function resolveHost(
  context: HostContext,
  host: string,
  options: ConnectOptions,
  done: (resolved: Resolved) => void,
): void {
  if (isIP(host) !== 0) {
    done({ kind: 'address', address: host })
    return
  }
  if (typeof options.lookup === 'function') {
    const { family, hints = 0 } = options
    const lookup = options.lookup as Lookup
    lookup(host, { family, hints, all: options.autoSelectFamily !== false }, (error, found, kind) =>
      done(fromLookup(host, error, found, kind)),
    )
    return
  }
  context.schedule('io', 0, () => {
    const address = options.family === 6 ? null : addressOf(context, host)
    done(
      address === null
        ? { kind: 'failed', error: lookupError('ENOTFOUND', 'getaddrinfo', host) }
        : { kind: 'name', address, family: 4, target: host },
    )
  })
}

function fromLookup(
  host: string,
  error: Error | null,
  found: string | readonly { address: string; family: number }[] | undefined,
  kind: number | undefined,
): Resolved {
  if (error) return { kind: 'failed', error }
  const first = typeof found === 'string' ? { address: found, family: kind ?? 4 } : found?.[0]
  if (first === undefined) {
    return { kind: 'failed', error: lookupError('ENOTFOUND', 'getaddrinfo', host) }
  }
  const { address, family } = first
  return { kind: 'name', address, family: family === 6 ? 6 : 4, target: address }
}
