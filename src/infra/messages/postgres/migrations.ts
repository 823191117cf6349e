/**
 * The tables' structure, as steps that are applied once each and in order.
 *
 * `migrate` may be called any number of times and by several processes at once: all of it is one
 * transaction under an advisory lock of the schema, and `schema_versions` remembers what was done. A
 * step that has been released is never edited; a change is a further step. A schema that this module
 * creates carries a mark, and only a schema with the mark is ever dropped.
 */

import type { SqlDatabase, SqlSession } from './connection.ts'
import { SettingError } from './errors.ts'

interface Migration {
  readonly name: string
  readonly sql: (schema: string) => string
}

/** Step n has version n + 1. */
const MIGRATIONS: readonly Migration[] = [
  {
    name: 'runs, messages and shard fences',
    sql: (schema) => `
      CREATE TABLE ${schema}.runs (
        run_id text PRIMARY KEY,
        idempotency_key text NOT NULL UNIQUE,
        status text NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
        creation bigint GENERATED ALWAYS AS IDENTITY
      );
      CREATE TABLE ${schema}.shard_fences (
        shard bigint PRIMARY KEY,
        highest_token bigint NOT NULL CHECK (highest_token >= 0)
      );
      CREATE SEQUENCE ${schema}.commit_numbers;
      CREATE TABLE ${schema}.messages (
        run_id text NOT NULL,
        seq bigint NOT NULL,
        shard bigint NOT NULL,
        token bigint NOT NULL,
        user_id text NOT NULL,
        body text NOT NULL,
        commit_number bigint NOT NULL,
        insertion bigint GENERATED ALWAYS AS IDENTITY,
        UNIQUE (run_id, seq)
      );
      CREATE INDEX messages_by_commit ON ${schema}.messages (commit_number, insertion);`,
  },
]

/** The version that this program works with. */
export const NEWEST_VERSION = MIGRATIONS.length

const MARK = 'made by leaselab, and dropped by it'
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))'
/** Whoever applies the steps holds the lock for a moment; this long is for a busy machine. */
export const MIGRATION_TIMEOUT_MS = 60_000

/** Brings the schema up to date. Throws `SettingError` if it is newer than this program. */
export async function migrate(database: SqlDatabase, schema: string): Promise<void> {
  await inTransaction(database, schema, async (session) => {
    await createSchema(session, schema)
    const version = await versionOf(session, schema)
    if (version > NEWEST_VERSION) {
      throw new SettingError(
        `DATABASE_SCHEMA=${schema}: expected version ${NEWEST_VERSION} of the tables or an older one, got ${version}. Next: run the newer program, or choose another schema.`,
      )
    }
    for (const [k, { name, sql }] of MIGRATIONS.entries()) {
      if (k < version) continue
      await session.run(sql(schema))
      await session.query(`INSERT INTO ${schema}.schema_versions (version, name) VALUES ($1, $2)`, [
        k + 1,
        name,
      ])
    }
  })
}

/**
 * Drops the schema and all that is in it. False if there is none. Throws `SettingError`, and drops
 * nothing, if it was not made here.
 */
export async function dropSchema(database: SqlDatabase, schema: string): Promise<boolean> {
  return await inTransaction(database, schema, async (session) => {
    const mark = await markOf(session, schema)
    if (mark === undefined) return false
    if (mark !== MARK) {
      throw new SettingError(
        `DATABASE_SCHEMA=${schema}: expected a schema that was made here, got one that was there before. Next: drop it by hand, if it may go.`,
      )
    }
    await session.run(`DROP SCHEMA ${schema} CASCADE`)
    return true
  })
}

async function inTransaction<T>(
  database: SqlDatabase,
  schema: string,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  return await database.session(async (session) => {
    await session.run(`BEGIN; SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}`)
    try {
      await session.query(LOCK, [`leaselab schema ${schema}`])
      const value = await work(session)
      await session.run('COMMIT')
      return value
    } catch (error) {
      await session.run('ROLLBACK').catch(() => {})
      throw error
    }
  })
}

/** Undefined if there is no such schema, null if it has no comment. */
async function markOf(session: SqlSession, schema: string): Promise<unknown> {
  const [row] = await session.query(
    `SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1`,
    [schema],
  )
  return row?.mark
}

async function createSchema(session: SqlSession, schema: string): Promise<void> {
  // Not IF NOT EXISTS alone: that asks for the right to create even where there is nothing to create.
  if ((await markOf(session, schema)) === undefined) {
    await session.run(`CREATE SCHEMA ${schema}; COMMENT ON SCHEMA ${schema} IS '${MARK}'`)
  }
  const [versions] = await session.query(`SELECT to_regclass($1) AS there`, [
    `${schema}.schema_versions`,
  ])
  if (versions?.there) return
  await session.run(`
    CREATE TABLE ${schema}.schema_versions (
      version integer PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`)
}

async function versionOf(session: SqlSession, schema: string): Promise<number> {
  const [row] = await session.query(
    `SELECT coalesce(max(version), 0) AS version FROM ${schema}.schema_versions`,
  )
  return Number(row?.version)
}
