/** The tables' SQL, run by a Postgres in WebAssembly: no server, one connection. */

import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatabaseError, SettingError } from '../../../src/infra/messages/index.ts'
import {
  dropSchema,
  migrate,
  NEWEST_VERSION,
} from '../../../src/infra/messages/postgres/migrations.ts'
import { sqlTables } from '../../../src/infra/messages/postgres/sql-tables.ts'
import { row, run } from './cases.ts'
import { pgliteDatabase, type Sent } from './pglite.ts'

let pglite: PGlite
let schemas = 0

// WebAssembly of 10 MB and an initdb in it: seconds, on a busy machine many.
beforeAll(async () => {
  pglite = await PGlite.create()
}, 120_000)

afterAll(async () => {
  await pglite?.close()
})

async function newTables(onSent?: (sent: Sent) => void) {
  schemas += 1
  const schema = `case_${schemas}`
  const database = pgliteDatabase(pglite, onSent)
  await migrate(database, schema)
  return { tables: sqlTables(database, { schema, statementTimeoutMs: 5000 }), schema, database }
}

describe('message tables in PGlite', () => {
  run(async () => (await newTables()).tables)

  it('a statement that failed decides: work that swallows the error does not commit', async () => {
    const { tables, schema } = await newTables()
    await pglite.exec(`ALTER TABLE ${schema}.messages ADD CHECK (body <> 'poison')`)
    const swallowing = tables.transaction(async (tx) => {
      await tx.raiseToken(131, 5)
      await tx.insertMessage(row({ body: 'poison' })).catch(() => {})
      return 'all is well'
    })
    const error = await swallowing.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DatabaseError)
    expect((error as DatabaseError).certainty).toBe('did-not-happen')
    expect((error as DatabaseError).message).toMatch(/^the transaction failed: .*check constraint/)
    expect(await tables.fences()).toEqual([])
    await tables.transaction((tx) => tx.insertMessage(row()))
    expect(await tables.messages()).toHaveLength(1)
  })

  it('the fence is one statement of the transaction of the write', async () => {
    const sent: string[] = []
    const { tables } = await newTables(({ text }) => sent.push(text.replace(/\s+/g, ' ')))
    await tables.transaction((tx) => tx.passFence(131, 5))
    sent.length = 0
    await tables.transaction(async (tx) => {
      expect(await tx.passFence(131, 5)).toEqual({ kind: 'passed' })
      await tx.insertMessage(row({ token: 5 }))
    })
    expect(
      sent.map((text) =>
        text
          .replace(/case_\d+\./g, '')
          .split(' ')
          .slice(0, 3)
          .join(' '),
      ),
    ).toEqual([
      'BEGIN ISOLATION LEVEL',
      'INSERT INTO shard_fences',
      'INSERT INTO messages',
      'COMMIT',
    ])
    expect(sent[1]).toContain('WHERE fence.highest_token <= excluded.highest_token')
  })
})

describe('migrations', () => {
  it('can be applied twice: the second time nothing is done and nothing is lost', async () => {
    const { tables, schema, database } = await newTables()
    await tables.transaction((tx) => tx.insertMessage(row()))
    await migrate(database, schema)
    expect(await tables.messages()).toHaveLength(1)
    const versions = `SELECT version FROM ${schema}.schema_versions ORDER BY version`
    expect((await pglite.query<{ version: number }>(versions)).rows.map((r) => r.version)).toEqual(
      Array.from({ length: NEWEST_VERSION }, (_, k) => k + 1),
    )
  })

  it('refuse tables that a newer program has made', async () => {
    const { schema, database } = await newTables()
    await pglite.exec(
      `INSERT INTO ${schema}.schema_versions VALUES (${NEWEST_VERSION + 1}, 'later')`,
    )
    const error = await migrate(database, schema).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SettingError)
    expect((error as Error).message).toBe(
      `DATABASE_SCHEMA=${schema}: expected version ${NEWEST_VERSION} of the tables or an older one, got ${NEWEST_VERSION + 1}. Next: run the newer program, or choose another schema.`,
    )
  })

  it('leave nothing half done when a step fails', async () => {
    await pglite.exec('CREATE SCHEMA taken; CREATE TABLE taken.messages (id int)')
    await expect(migrate(pgliteDatabase(pglite), 'taken')).rejects.toThrow(/already exists/)
    const tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'taken'`
    expect((await pglite.query(tables)).rows).toEqual([{ table_name: 'messages' }])
  })

  it('a schema that was made here can be dropped, one that was there before cannot', async () => {
    const { schema, database } = await newTables()
    expect(await dropSchema(database, schema)).toBe(true)
    expect(await dropSchema(database, schema)).toBe(false)
    await pglite.exec('CREATE SCHEMA theirs')
    await migrate(database, 'theirs')
    await expect(dropSchema(database, 'theirs')).rejects.toThrow(/one that was there before/)
    expect(
      await sqlTables(database, { schema: 'theirs', statementTimeoutMs: 5000 }).runs(),
    ).toEqual([])
  })
})
