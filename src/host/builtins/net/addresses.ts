/**
 * Arguments and addresses of sockets and servers, in Node's forms.
 *
 * Node's `connect` and `listen` take a port, a path or an object, then perhaps a host, a backlog and a
 * callback. Every host of the world has one IPv4 address; `localhost` is 127.0.0.1 (and not ::1 first,
 * so that a refused connection names one address). A server that listens everywhere listens on `::`
 * as in most containers, so the sockets it accepts show IPv4 addresses the IPv6 way.
 */

export interface ConnectOptions {
  readonly host?: string
  readonly port?: number | string
  readonly path?: string | null
  readonly family?: number | string
  readonly timeout?: number
  readonly keepAlive?: boolean
  readonly noDelay?: boolean
  readonly autoSelectFamily?: boolean
  readonly hints?: number
  readonly lookup?: unknown
  readonly signal?: AbortSignal
}

type Callback = (...args: unknown[]) => void

function isPipeName(value: unknown): value is string {
  return typeof value === 'string' && !(value.trim() !== '' && Number(value) >= 0)
}

/** The arguments of `connect` and `listen` as one options object and the callback, if any. */
export function normalizeArguments(
  args: readonly unknown[],
): readonly [Record<string, unknown>, Callback | null] {
  const last = args.at(-1)
  const callback = typeof last === 'function' ? (last as Callback) : null
  const [first, second] = args
  if (first === undefined || first === null || typeof first === 'function') {
    return [typeof first === 'function' || args.length === 0 ? {} : { port: first }, callback]
  }
  if (typeof first === 'object') return [first as Record<string, unknown>, callback]
  if (isPipeName(first)) return [{ path: first }, callback]
  const options: Record<string, unknown> = { port: first }
  if (typeof second === 'string') options.host = second
  return [options, callback]
}

/** Names and addresses by which a process reaches itself. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '::' ||
    host === '0.0.0.0' ||
    /^127\./.test(host)
  )
}

export interface ShownAddress {
  readonly address: string
  readonly port: number
  readonly family: 'IPv4' | 'IPv6'
}

/** An address as `socket.address()` tells it. `mapped`: of a socket accepted on `::`. */
export function showAddress(address: string, port: number, mapped: boolean): ShownAddress {
  return mapped
    ? { address: `::ffff:${address}`, family: 'IPv6', port }
    : { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port }
}
