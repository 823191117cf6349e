/**
 * What the server must be, looked at once before the first write. Throws `SettingError`.
 *
 * Connections are counted for the whole system: `pool size × processes` must fit under what the server
 * allows, or else the last process to start is turned away, and not before the first busy day.
 */

import type { SqlSession } from './connection.ts'
import { SettingError } from './errors.ts'

export interface ServerFacts {
  /** As Postgres counts: 150004 is 15.4. */
  readonly version: number
  readonly maxConnections: number
  /** Kept back for superusers and for roles with a reservation. */
  readonly reserved: number
  /** Limit of the role or of the database, whichever is smaller; null if neither has one. */
  readonly ownLimit: number | null
  readonly encoding: string
  /** A replica takes no writes. */
  readonly isReplica: boolean
}

/** Postgres 13: the oldest that this has to run on; it is tried on 15 and 18. */
const OLDEST_VERSION = 130_000

export async function readFacts(session: SqlSession): Promise<ServerFacts> {
  const [row] = await session.query(`
    SELECT current_setting('server_version_num')::int AS version,
      current_setting('max_connections')::int AS max_connections,
      current_setting('superuser_reserved_connections')::int
        + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved,
      (SELECT min(least) FROM (
        SELECT rolconnlimit AS least FROM pg_roles WHERE rolname = current_user
        UNION ALL SELECT datconnlimit FROM pg_database WHERE datname = current_database()
      ) AS limits WHERE least >= 0) AS own_limit,
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS is_replica`)
  const { version, max_connections, reserved, own_limit, encoding, is_replica } = row!
  return {
    version: Number(version),
    maxConnections: Number(max_connections),
    reserved: Number(reserved),
    ownLimit: own_limit === null ? null : Number(own_limit),
    encoding: String(encoding),
    isReplica: is_replica === true,
  }
}

export function checkServer(
  facts: ServerFacts,
  asked: { readonly address: string; readonly poolSize: number; readonly processes: number },
): void {
  const { address, poolSize, processes } = asked
  const wrong = (expected: string, got: string, next: string) =>
    new SettingError(`DATABASE_URL=${address}: expected ${expected}, got ${got}. Next: ${next}.`)
  if (facts.version < OLDEST_VERSION) {
    const got = `${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`
    throw wrong('Postgres 13 or newer', got, 'upgrade it, or name another server')
  }
  if (facts.isReplica) {
    throw wrong('a server that takes writes', 'a replica', 'name the primary')
  }
  if (facts.encoding !== 'UTF8') {
    throw wrong('a database in UTF8', facts.encoding, 'create one with ENCODING UTF8')
  }
  const free = facts.maxConnections - facts.reserved
  const room = Math.min(free, facts.ownLimit ?? free)
  const wanted = poolSize * processes
  if (wanted <= room) return
  const why =
    room < free
      ? `the limit of this role or database`
      : `max_connections ${facts.maxConnections} less ${facts.reserved} reserved`
  const fits = Math.floor(room / processes)
  throw wrong(
    `room for ${wanted} connections (DATABASE_POOL_SIZE ${poolSize} × DATABASE_PROCESSES ${processes})`,
    `room for ${room} (${why})`,
    fits > 0
      ? `DATABASE_POOL_SIZE=${fits}, or fewer processes, or raise the limit`
      : 'start fewer processes, or raise the limit',
  )
}
