/**
 * Opens the tables in Postgres: address, server and structure are looked at before anything else, so
 * that what is wrong is told at the start and in one sentence (`SettingError`).
 */

import type { MessageTables } from '../tables.ts'
import { parseAddress, parseSchema } from './address.ts'
import type { SqlDatabase } from './connection.ts'
import { DatabaseError, explainConnect, SettingError, sqlStateOf } from './errors.ts'
import { dropSchema, MIGRATION_TIMEOUT_MS, migrate } from './migrations.ts'
import { openPool } from './pool.ts'
import { checkServer, readFacts } from './server-check.ts'
import { sqlTables } from './sql-tables.ts'

export interface DatabaseSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** Where the tables live. Runs that must not meet have one each. Default `leaselab`. */
  readonly schema?: string
  /** Connections of this process, at most. Default 10. */
  readonly poolSize?: number
  /** How many processes with such a pool there are. Default 1. */
  readonly processes?: number
  /** Default 5000. */
  readonly statementTimeoutMs?: number
  /** Default 5000. */
  readonly connectTimeoutMs?: number
  /** Hears of a connection that broke while nobody used it. */
  readonly onTrouble?: (text: string) => void
}

const DEFAULT_SCHEMA = 'leaselab'
const DEFAULT_POOL_SIZE = 10
const DEFAULT_TIMEOUT_MS = 5000
/** So much later than the server's own timeout an answer is given up. */
const ANSWER_GRACE_MS = 1000

/** Tables that are up to date. Throws `SettingError`. */
export async function openPostgres(settings: DatabaseSettings): Promise<MessageTables> {
  const schema = parseSchema(settings.schema ?? DEFAULT_SCHEMA)
  const poolSize = settings.poolSize ?? DEFAULT_POOL_SIZE
  const statementTimeoutMs = settings.statementTimeoutMs ?? DEFAULT_TIMEOUT_MS
  await prepare(settings, async (database, address) => {
    const facts = await database.session(readFacts)
    checkServer(facts, { address, poolSize, processes: settings.processes ?? 1 })
    await migrate(database, schema)
  })
  const pool = openPool({
    url: settings.url,
    size: poolSize,
    connectTimeoutMs: settings.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    answerTimeoutMs: statementTimeoutMs + ANSWER_GRACE_MS,
    onTrouble: settings.onTrouble ?? (() => {}),
  })
  return sqlTables(pool, { schema, statementTimeoutMs })
}

/** Drops a schema that was made here. False if there is none. Throws `SettingError`. */
export async function dropPostgres(settings: DatabaseSettings): Promise<boolean> {
  const schema = parseSchema(settings.schema ?? DEFAULT_SCHEMA)
  return await prepare(settings, (database) => dropSchema(database, schema))
}

/** Work on one connection of its own, which may take longer than a statement of the tables may. */
async function prepare<T>(
  settings: DatabaseSettings,
  work: (database: SqlDatabase, address: string) => Promise<T>,
): Promise<T> {
  const { url, masked: address, user, database: name } = parseAddress(settings.url)
  const database = openPool({
    url,
    size: 1,
    connectTimeoutMs: settings.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    answerTimeoutMs: MIGRATION_TIMEOUT_MS + ANSWER_GRACE_MS,
    onTrouble: () => {},
  })
  try {
    return await work(database, address)
  } catch (error) {
    const cause = error instanceof DatabaseError ? error.cause : error
    const isOurs = cause instanceof SettingError || isBug(cause)
    throw isOurs ? cause : explainConnect(cause, { address, user, database: name })
  } finally {
    await database.end()
  }
}

/** A statement that the server cannot carry out as it is written is ours to mend. */
function isBug(error: unknown): boolean {
  const state = sqlStateOf(error)
  return (
    error instanceof TypeError || (state !== null && /^(22|42)/.test(state) && state !== '42501')
  )
}
