/**
 * Where a real Redis is: `redis://` and `rediss://` addresses, parsed once.
 *
 * `redis[s]://[user[:password]@]host[:port][/database]`; the port is 6379 and the database 0 when
 * left out. User and password are percent-decoded. `shown` has no password and is all that may be
 * printed. Refuses everything else with a RealRefusal.
 */

import { maskAddress } from '../wire/mask-address.ts'
import { RealRefusal } from './real-refusal.ts'

export interface RedisAddress {
  readonly tls: boolean
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly password: string | null
  readonly database: number
  /** The address with its password masked. */
  readonly shown: string
}

const EXAMPLE = 'redis://127.0.0.1:6379'

/** Throws RealRefusal. */
export function parseRedisAddress(text: string): RedisAddress {
  const refuse = (message: string, expected: string): never => {
    throw new RealRefusal(message, {
      expected,
      got: maskAddress(text),
      next: `REDIS_URL=${EXAMPLE} pnpm leaselab grade <lab> --target <folder>`,
    })
  }
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || !url.hostname) {
    return refuse(
      'REDIS_URL is no address of a Redis server.',
      `redis://[user:password@]host[:port][/database], or rediss:// for TLS; e.g. ${EXAMPLE}`,
    )
  }
  const database = /^\/?(\d{0,4})$/.exec(url.pathname)?.[1]
  if (database === undefined || url.search !== '' || url.hash !== '') {
    return refuse(
      'REDIS_URL has something behind the port that is no database number.',
      'nothing, or a number: redis://host:6379/2',
    )
  }
  let user: string
  let password: string
  try {
    user = decodeURIComponent(url.username)
    password = decodeURIComponent(url.password)
  } catch {
    return refuse(
      'The user or password in REDIS_URL cannot be read.',
      'every % of a password written as %25, @ as %40, : as %3A, / as %2F',
    )
  }
  return {
    tls: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 6379 : Number(url.port),
    user: user || null,
    password: password || null,
    database: Number(database),
    shown: maskAddress(text),
  }
}
