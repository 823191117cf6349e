/**
 * `DATABASE_URL` and the name of the schema, checked before anything is opened. Throws `SettingError`.
 */

import { maskAddress } from '../../../wire/mask-address.ts'
import { SettingError } from './errors.ts'

const EXAMPLE = 'postgres://user:password@127.0.0.1:5432/shop'

export interface Address {
  readonly url: string
  /** Without passwords; for people. */
  readonly masked: string
  readonly user: string
  readonly database: string
}

/** Takes an address apart. The database defaults to the user's name, as in Postgres's own tools. */
export function parseAddress(url: string): Address {
  const masked = maskAddress(url)
  const wrong = (got: string) =>
    new SettingError(
      `DATABASE_URL=${masked}: expected an address such as ${EXAMPLE}, got ${got}. Next: mend it, or unset it for tables in memory.`,
    )
  if (!/^postgres(ql)?:\/\//.test(url)) throw wrong('one that does not begin with postgres://')
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw wrong(
      'one that cannot be read; special characters of a password are written as %40 and so on',
    )
  }
  if (!canDecode(parsed)) throw wrong('one with a % that does not begin a code such as %40')
  if (parsed.hostname === '' && !parsed.searchParams.has('host')) throw wrong('one without a host')
  const user = decoded(parsed.username) || parsed.searchParams.get('user') || ''
  if (user === '') throw wrong('one without a user')
  return { url, masked, user, database: decoded(parsed.pathname.slice(1)) || user }
}

/** A schema's name as it can stand in a statement without quotes. */
export function parseSchema(schema: string): string {
  const fits = /^[a-z_][a-z0-9_]{0,62}$/.test(schema)
  if (fits && !/^pg_/.test(schema) && schema !== 'information_schema') return schema
  throw new SettingError(
    `DATABASE_SCHEMA=${schema}: expected small letters, digits and _, up to 63, not beginning with a digit or pg_, got ${JSON.stringify(schema)}. Next: choose another name, or unset it.`,
  )
}

const decoded = decodeURIComponent

function canDecode({ username, password, pathname }: URL): boolean {
  try {
    for (const part of [username, password, pathname]) decoded(part)
    return true
  } catch {
    return false
  }
}
