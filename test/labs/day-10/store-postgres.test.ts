/**
 * The lab's store as a real process over a real Postgres, asked by HTTP as the checks' probe asks it:
 * two processes on the same tables, a kill, an outage, a wrong address.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PROBE_WRITES } from '../../../labs/agent-30days/day-10-sharding-lease/checks/fence.ts'
import { type RunningPostgres, startPostgres } from '../../../scripts/servers.mjs'
import { dropTables } from '../../../src/infra/messages/index.ts'
import { LAB_DIR, launch } from '../../cli/launch.ts'
import { ask, hasPostgres, tellWithoutPostgres } from '../../infra/messages/real-postgres.ts'
import { endStores, type Store, startStore as startIn } from '../real-store.ts'

const startStore = (env?: Readonly<Record<string, string>>) => startIn(LAB_DIR, env)

const message = (shard: number, token: number, seq: number, runId = 'run-probe') => {
  return { shard, token, runId, seq, userId: 'u-0', body: `message ${seq}` }
}

/** Sends what the check's probe sends and answers what became of it. */
async function probe(store: Store) {
  const told = []
  for (const [shard, token, seq] of PROBE_WRITES) {
    const { body } = await store.post('/messages', message(shard, token, seq))
    told.push(body.outcome)
  }
  return told
}

tellWithoutPostgres()

describe.runIf(hasPostgres)('the store over Postgres', () => {
  let postgres: RunningPostgres
  let schemas = 0

  beforeAll(async () => {
    postgres = await startPostgres({ max_connections: 40, fsync: 'off' })
  }, 120_000)

  afterEach(endStores)

  afterAll(async () => {
    await postgres?.stop()
  })

  const settings = (schema = `store_${++schemas}`) => {
    return { DATABASE_URL: postgres.url, DATABASE_SCHEMA: schema, DATABASE_POOL_SIZE: '4' }
  }

  it('answers the probe of the fence as it does in memory, and keeps the same rows', async () => {
    const env = settings()
    const [inMemory, inPostgres] = await Promise.all([startStore(), startStore(env)])
    const wanted = PROBE_WRITES.map(([, , , outcome]) => outcome)
    expect(await probe(inMemory)).toEqual(wanted)
    expect(await probe(inPostgres)).toEqual(wanted)
    const [kept, wantedRows] = [await inPostgres.get('/rows'), await inMemory.get('/rows')]
    const numberless = (rows: unknown) =>
      (rows as readonly object[]).map((r) => ({ ...r, commit: 0 }))
    expect(numberless(kept.rows)).toEqual(numberless(wantedRows.rows))
    expect(kept.fences).toEqual(wantedRows.fences)
    expect(kept.runs).toEqual(wantedRows.runs)
    const held = `SELECT shard, highest_token FROM ${env.DATABASE_SCHEMA}.shard_fences ORDER BY 1`
    expect(await ask(postgres.url, held)).toEqual([
      { shard: '7', highest_token: '2147483650' },
      { shard: '8', highest_token: '3' },
    ])
  })

  it('two that start at once on an empty database share one fence', async () => {
    const env = settings()
    const [one, two] = await Promise.all([startStore(env), startStore(env)])
    expect((await one.post('/plant', { shard: 131, token: 42 })).body.outcome).toBe('planted')
    const stale = await two.post('/messages', message(131, 41, 1))
    expect(stale).toMatchObject({ status: 409, body: { outcome: 'refused', highestToken: 42 } })
    const plant = await two.post('/plant', { shard: 131, token: 7 })
    expect(plant).toMatchObject({ status: 409, body: { outcome: 'stale', highestToken: 42 } })
    const both = await Promise.all([one, two].map((s) => s.post('/messages', message(131, 42, 1))))
    expect(both.map(({ body }) => body.outcome).sort()).toEqual(['accepted', 'duplicate'])
    expect(await one.get('/rows')).toEqual(await two.get('/rows'))
  })

  it('remembers across kill -9, and ends by itself on SIGTERM', async () => {
    const env = settings()
    const killed = await startStore(env)
    await killed.post('/messages', message(131, 42, 1))
    killed.child.kill('SIGKILL')
    expect(await killed.ended).toEqual([null, 'SIGKILL'])
    const next = await startStore(env)
    expect((await next.post('/messages', message(131, 41, 2))).body.outcome).toBe('refused')
    expect((await next.post('/messages', message(131, 42, 1))).body.outcome).toBe('duplicate')
    next.child.kill('SIGTERM')
    expect(await next.ended).toEqual([0, null])
    expect(await dropTables({ url: postgres.url, schema: env.DATABASE_SCHEMA })).toBe(true)
  })

  it('an outage of the database is answered with 503, and passes by itself', async () => {
    const store = await startStore(settings())
    expect((await store.post('/messages', message(131, 1, 1))).status).toBe(200)
    await postgres.restart(async () => {
      const away = await store.post('/messages', message(131, 1, 2))
      expect(away).toMatchObject({ status: 503, body: { outcome: 'failed' } })
      expect((await store.post('/plant', { shard: 131, token: 2 })).status).toBe(503)
    })
    expect((await store.post('/messages', message(131, 1, 2))).body.outcome).toBe('accepted')
    expect(store.lines.join('\n')).toMatch(/"store.unavailable","outcome":"failed"/)
    expect(store.lines.join('\n')).not.toContain('secret')
  })

  it('does not start on an address that is wrong: one sentence, no stack, no password', async () => {
    const url = postgres.url.replace(/:\/\/leaselab:[^@]*@/, '://leaselab:hunter2@')
    const { code, stdout, stderr } = await launch(['process', 'store'], {
      cwd: LAB_DIR,
      env: { DATABASE_URL: url },
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trim()).toBe(
      `DATABASE_URL=postgres://leaselab:***@127.0.0.1:${postgres.port}/postgres: expected a password that is right for leaselab, got a refusal of the password. Next: mend user or password; special characters are written as %40 and so on.`,
    )
  })
})
