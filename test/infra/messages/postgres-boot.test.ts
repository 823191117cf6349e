/** What can be wrong when the tables are opened on a real server: one sentence each, without a password. */

import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningPostgres, startPostgres } from '../../../scripts/servers.mjs'
import {
  type DatabaseSettings,
  dropTables,
  openTables,
  SettingError,
} from '../../../src/infra/messages/index.ts'
import { NEWEST_VERSION } from '../../../src/infra/messages/postgres/migrations.ts'
import { row } from './cases.ts'
import { ask, hasPostgres, tellWithoutPostgres } from './real-postgres.ts'

tellWithoutPostgres()

const SECRET = 'hunter2'

/** A server that says this to whoever comes; nothing if it is empty. */
function stranger(says: string): Promise<{ readonly server: Server; readonly port: number }> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => says && socket.end(says))
    })
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address ? address.port : 0 })
    })
  })
}

describe.runIf(hasPostgres)('opening the tables', () => {
  let postgres: RunningPostgres

  beforeAll(async () => {
    postgres = await startPostgres({ max_connections: 20, fsync: 'off' })
    await ask(
      postgres.url,
      `CREATE ROLE plain LOGIN PASSWORD '${SECRET}'; CREATE ROLE narrow LOGIN PASSWORD '${SECRET}' CONNECTION LIMIT 4;
       CREATE ROLE shut LOGIN PASSWORD '${SECRET}' CONNECTION LIMIT 0`,
    )
  }, 120_000)

  afterAll(async () => {
    await postgres?.stop()
  })

  const at = (part: string, port = postgres.port) => `postgres://${part}@127.0.0.1:${port}/postgres`

  async function told(settings: DatabaseSettings): Promise<string> {
    const error = await openTables(settings).then(
      () => new Error('it was opened'),
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(SettingError)
    const { message } = error as Error
    expect(message).toMatch(/^DATABASE_URL=postgres:\/\/.*: expected .*, got .*\. Next: .*\.$/)
    expect(message).not.toContain(SECRET)
    expect(message).not.toContain('\n')
    return message
  }

  it.each([
    [`leaselab:${SECRET}`, 'a password that is right for leaselab, got a refusal of the password'],
    [`nobody:${SECRET}`, 'got a refusal of the password'],
    ['leaselab', 'got a server that asks for a password, and none in the address'],
    [`plain:${SECRET}`, 'GRANT CREATE ON DATABASE postgres TO plain'],
    [`narrow:${SECRET}`, 'expected room for 10 connections'],
    [`shut:${SECRET}`, 'got no connection left'],
  ])('as %s', async (user, text) => {
    expect(await told({ url: at(user) })).toContain(text)
  })

  it('a database that is not there', async () => {
    const message = await told({ url: postgres.url.replace(/[^/]*$/, 'nowhere') })
    expect(message).toContain('a database named nowhere, got no such database')
    expect(message).toContain('createdb nowhere')
  })

  it('nobody listens there', async () => {
    const { server, port } = await stranger('')
    await new Promise((resolve) => server.close(resolve))
    expect(await told({ url: at(`u:${SECRET}`, port) })).toContain('got connection refused')
  })

  it('something else listens there', async () => {
    const { server, port } = await stranger("-ERR unknown command 'x'\r\n")
    const message = await told({ url: at(`u:${SECRET}`, port), connectTimeoutMs: 2000 })
    expect(message).toMatch(/expected a Postgres server/)
    server.close()
  })

  it('nothing comes back from there', async () => {
    const { server, port } = await stranger('')
    const message = await told({ url: at(`u:${SECRET}`, port), connectTimeoutMs: 200 })
    expect(message).toContain('got no answer in time')
    server.close()
  })

  it('a server without TLS, where TLS is asked for', async () => {
    const message = await told({ url: `${postgres.url}?sslmode=verify-full` })
    expect(message).toContain('got a server without TLS')
  })

  it('more connections than the server has', async () => {
    const wanted = { url: postgres.url, poolSize: 6, processes: 3 }
    expect(await told(wanted)).toContain(
      'room for 18 connections (DATABASE_POOL_SIZE 6 × DATABASE_PROCESSES 3), got room for 17 (max_connections 20 less 3 reserved)',
    )
    const tables = await openTables({ ...wanted, poolSize: 5 })
    await tables.close()
  })

  it('many at once on an empty server: each step of the structure is applied once', async () => {
    const settings = { url: postgres.url, schema: 'rush', poolSize: 1 }
    const all = await Promise.all(Array.from({ length: 8 }, () => openTables(settings)))
    await Promise.all(all.map((tables) => tables.close()))
    const versions = await ask(postgres.url, 'SELECT version FROM rush.schema_versions')
    expect(versions).toHaveLength(NEWEST_VERSION)
  })

  it('a role that may not create can use a schema that was made for it', async () => {
    await ask(postgres.url, 'CREATE SCHEMA given AUTHORIZATION plain')
    const tables = await openTables({ url: at(`plain:${SECRET}`), schema: 'given' })
    await tables.transaction((tx) => tx.insertMessage(row()))
    await tables.close()
    const dropping = dropTables({ url: at(`plain:${SECRET}`), schema: 'given' })
    await expect(dropping).rejects.toThrow(/got one that was there before/)
  })

  it('runs with schemas of their own do not meet, and leave nothing', async () => {
    const one = await openTables({ url: postgres.url, schema: 'run_1', poolSize: 2 })
    const two = await openTables({ url: postgres.url, schema: 'run_2', poolSize: 2 })
    await one.transaction((tx) => tx.insertMessage(row()))
    expect(await two.messages()).toEqual([])
    await one.close()
    await two.close()
    expect(await dropTables({ url: postgres.url, schema: 'run_1' })).toBe(true)
    expect(await dropTables({ url: postgres.url, schema: 'run_2' })).toBe(true)
    expect(await dropTables({ url: postgres.url, schema: 'run_2' })).toBe(false)
    const left = `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'run_%'`
    expect(await ask(postgres.url, left)).toEqual([])
  })
})
