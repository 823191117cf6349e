/**
 * pg against the scripted server: SCRAM and md5 logins, a wrong password, simple and extended queries,
 * a pool. The server is killed at 10 s, in the middle of a query, and is back, empty, at 12 s.
 */

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const config = { host: 'server', database: 'notes', user: 'scram', password: 'secret' }
const startedAt = Date.now()

await pause(100)
const client = new pg.Client(config)
await client.connect()
const simple = await client.query(
  "INSERT INTO notes (text) VALUES ('first') RETURNING id; BEGIN; COMMIT",
)
assert.deepEqual(
  simple.map(({ command }) => command),
  ['INSERT', 'BEGIN', 'COMMIT'],
)
const inserted = await client.query('INSERT INTO notes (text) VALUES ($1) RETURNING id', [
  'zweite: ü',
])
assert.deepEqual([inserted.rowCount, inserted.rows], [1, [{ id: 2 }]])
const all = { name: 'all', text: 'SELECT id, text FROM notes WHERE id > $1', values: [0] }
const rows = [
  { id: 1, text: 'first' },
  { id: 2, text: 'zweite: ü' },
]
assert.deepEqual((await client.query(all)).rows, rows)
assert.deepEqual((await client.query({ ...all, values: [1] })).rows, rows.slice(1))
await assert.rejects(client.query('SELEKT 1'), { code: '42601' })
await assert.rejects(client.query('SELEKT $1', [1]), { code: '42601' })
assert.equal((await client.query(all)).rowCount, 2)
await client.end()

const older = new pg.Client({ ...config, user: 'md5', password: 'older secret' })
await older.connect()
assert.equal((await older.query('SELECT id, text FROM notes')).rowCount, 2)
await older.end()
for (const user of ['scram', 'md5']) {
  const wrong = new pg.Client({ ...config, user, password: 'wrong' })
  await assert.rejects(wrong.connect(), { code: '28P01' })
}

const pool = new pg.Pool({ ...config, max: 3, idleTimeoutMillis: 2000 })
const lost = []
pool.on('error', (error) => lost.push(error.code ?? error.message))
const sleepingAt = Date.now()
await Promise.all(Array.from({ length: 6 }, () => pool.query('SELECT pg_sleep(1)')))
const sleptMs = Date.now() - sleepingAt
assert.ok(sleptMs >= 2000 && sleptMs < 2500, `three at a time: ${sleptMs} ms`)
assert.equal(pool.totalCount, 3)
await pause(3000)
assert.equal(pool.totalCount, 0)

const cut = await pool.query('SELECT pg_sleep(60)').catch((error) => error)
assert.ok(cut instanceof Error)
console.log('cut at', Date.now() - startedAt, cut.message)
let attempts = 0
for (let done = false; !done; ) {
  attempts += 1
  done = await pool.query(all).then(
    ({ rowCount }) => rowCount === 0,
    (error) => {
      assert.equal(error.code, 'ECONNREFUSED')
      return false
    },
  )
  if (!done) await pause(200)
}
console.log('back after', attempts, 'attempts', lost.join())
assert.ok(attempts > 3)
await pool.query('INSERT INTO notes (text) VALUES ($1)', ['again'])
assert.deepEqual((await pool.query(all)).rows, [{ id: 1, text: 'again' }])
await pool.end()
console.log('ok')
process.exit()
