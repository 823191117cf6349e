/**
 * `node:dns` of one process: the names of the world.
 *
 * Every host has one IPv4 address and no other records. `localhost` is 127.0.0.1. Answers come in a
 * later event. Refuses: `lookupService`. Unknown names are ENOTFOUND, other records ENODATA.
 */

import * as real from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import type { HostContext } from '../context.ts'
import { answerCallback, answerPromise } from './later.ts'
import { addressOf } from './net/resolve-host.ts'
import { refusedCall } from './refusing.ts'
import { lookupError } from './system-error.ts'

interface Found {
  readonly address: string
  readonly family: number
}

interface LookupOptions {
  readonly all?: boolean
  readonly family?: number | 'IPv4' | 'IPv6'
}

type Callback = (error: unknown, ...values: unknown[]) => void

const NO_RECORDS = [
  'Any',
  'Caa',
  'Cname',
  'Mx',
  'Naptr',
  'Ns',
  'Ptr',
  'Soa',
  'Srv',
  'Tlsa',
  'Txt',
  '6',
] as const

function toOptions(options: unknown): LookupOptions {
  if (typeof options === 'number') return { family: options }
  return (options ?? {}) as LookupOptions
}

function findAddress(context: HostContext, host: string, { family }: LookupOptions): Found {
  const kind = isIP(host)
  const wants6 = family === 6 || family === 'IPv6'
  if (!host) return { address: null as unknown as string, family: wants6 ? 6 : 4 }
  if (kind !== 0) return { address: host, family: kind }
  const address = wants6 ? null : addressOf(context, host)
  if (address === null) throw lookupError('ENOTFOUND', 'getaddrinfo', host)
  return { address, family: 4 }
}

/** Record queries ask the name server, which knows no addresses as names. */
function queryRecords(context: HostContext, host: string, type: string): unknown[] {
  const syscall = `query${type.length > 1 ? type[0] + type.slice(1).toLowerCase() : type}`
  const address = addressOf(context, host)
  if (address === null) throw lookupError('ENOTFOUND', syscall, host)
  if (type !== 'A') throw lookupError('ENODATA', syscall, host)
  return [address]
}

function reverseName(context: HostContext, address: string): string[] {
  if (isIP(address) === 0) throw lookupError('EINVAL', 'getHostByAddr', address)
  throw context.network.lookup(address) === null
    ? lookupError('ENOTFOUND', 'getHostByAddr', address)
    : lookupError('ENODATA', 'getHostByAddr', address)
}

function constantsOf(module: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(module).filter(
      ([, value]) => typeof value === 'string' || typeof value === 'number',
    ),
  )
}

export function makeDnsPromises(context: HostContext): Record<string, unknown> {
  const resolve = (host: string, type = 'A'): Promise<unknown[]> =>
    answerPromise(context, () => queryRecords(context, host, type))
  const queries: Record<string, unknown> = {
    resolve,
    resolve4: (host: string) => resolve(host, 'A'),
    reverse: (address: string) => answerPromise(context, () => reverseName(context, address)),
    getServers: () => ['127.0.0.11'],
    setServers: (_servers: unknown) => {},
  }
  for (const type of NO_RECORDS) {
    queries[`resolve${type}`] = (host: string) =>
      resolve(host, type === '6' ? 'AAAA' : type.toUpperCase())
  }
  class Resolver {
    constructor() {
      Object.assign(this, queries)
    }

    cancel(): void {}

    setLocalAddress(): void {}
  }
  return {
    ...constantsOf(real.promises),
    ...queries,
    Resolver,
    lookup: (host: string, options?: unknown) =>
      answerPromise(context, () => {
        const wanted = toOptions(options)
        const found = findAddress(context, host, wanted)
        return wanted.all ? [found] : found
      }),
    lookupService: refusedCall(context, 'dns.promises.lookupService', 'Use the ports you know.'),
    getDefaultResultOrder: () => 'verbatim',
    setDefaultResultOrder: (_order: string) => {},
  }
}

export function makeDns(context: HostContext): Record<string, unknown> {
  const last = (args: unknown[]): Callback => args.at(-1) as Callback
  function lookup(...args: unknown[]): object {
    const [host, second] = args as [string, unknown]
    const options = toOptions(typeof second === 'function' ? undefined : second)
    answerCallback(
      context,
      () => findAddress(context, host, options),
      (error, found) => {
        const callback = last(args)
        if (found === undefined) callback(error)
        else if (options.all) callback(null, [found])
        else callback(null, found.address, found.family)
      },
    )
    return {}
  }
  Object.defineProperty(lookup, promisify.custom, {
    value: (host: string, options?: unknown) =>
      (makeDnsPromises(context).lookup as (host: string, options?: unknown) => unknown)(
        host,
        options,
      ),
  })
  const resolve = (host: string, type: string, callback: Callback): object => {
    answerCallback(context, () => queryRecords(context, host, type), callback)
    return {}
  }
  const queries: Record<string, unknown> = {
    resolve: (...args: unknown[]) =>
      resolve(args[0] as string, args.length > 2 ? (args[1] as string) : 'A', last(args)),
    resolve4: (...args: unknown[]) => resolve(args[0] as string, 'A', last(args)),
    reverse: (address: string, callback: Callback) =>
      answerCallback(context, () => reverseName(context, address), callback),
    getServers: () => ['127.0.0.11'],
    setServers: (_servers: unknown) => {},
  }
  for (const type of NO_RECORDS) {
    queries[`resolve${type}`] = (...args: unknown[]) =>
      resolve(args[0] as string, type === '6' ? 'AAAA' : type.toUpperCase(), last(args))
  }
  class Resolver {
    constructor() {
      Object.assign(this, queries)
    }

    cancel(): void {}

    setLocalAddress(): void {}
  }
  return {
    ...constantsOf(real),
    ...queries,
    lookup,
    Resolver,
    lookupService: refusedCall(context, 'dns.lookupService', 'Use the ports you know.'),
    getDefaultResultOrder: () => 'verbatim',
    setDefaultResultOrder: (_order: string) => {},
    get promises() {
      return context.builtin('dns/promises')
    },
  }
}
