/** The lab's store as a real process over a real Postgres: a run's way, its repeats, and a kill. */

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RunningPostgres, startPostgres } from '../../../scripts/servers.mjs'
import { ROOT } from '../../cli/launch.ts'
import { hasPostgres, tellWithoutPostgres } from '../../infra/messages/real-postgres.ts'
import { endStores, type Store, startStore } from '../real-store.ts'

const LAB_DIR = join(ROOT, 'labs', 'agent-30days', 'day-14-compose-multi-worker')

tellWithoutPostgres()

/** What a run goes through, with every step repeated; what each was answered. */
async function wayOfARun(store: Store) {
  const told: unknown[] = []
  const send = async (path: string, body: object) => {
    const answer = await store.post(path, body)
    const { commit: _, ...rest } = answer.body
    told.push([path, answer.status, rest])
  }
  const result = { runId: 'run-1', workerId: 'a', status: 'done', text: 'hello' }
  for (const runId of ['run-1', 'run-2']) await send('/runs/open', { runId, idempotencyKey: 'key' })
  for (const workerId of ['a', 'b']) await send('/runs/begin', { runId: 'run-1', workerId })
  await send('/runs/finish', result)
  await send('/runs/finish', { ...result, status: 'failed' })
  for (const runId of ['run-1', 'run-9']) await send('/runs/find', { runId })
  await send('/runs/begin', { runId: 'run-9', workerId: 'a' })
  return told
}

describe.runIf(hasPostgres)('the store over Postgres', () => {
  let postgres: RunningPostgres

  beforeAll(async () => {
    postgres = await startPostgres({ max_connections: 40, fsync: 'off' })
  }, 120_000)

  afterEach(endStores)

  afterAll(async () => {
    await postgres?.stop()
  })

  it('answers as it does in memory: a run is opened, begun and finished once', async () => {
    const [inMemory, inPostgres] = await Promise.all([
      startStore(LAB_DIR),
      startStore(LAB_DIR, { DATABASE_URL: postgres.url, DATABASE_SCHEMA: 'way' }),
    ])
    const told = await wayOfARun(inPostgres)
    expect(told).toEqual(await wayOfARun(inMemory))
    expect(told[1]).toEqual(['/runs/open', 200, { runId: 'run-1', status: 'queued' }])
    expect(told[5]).toMatchObject(['/runs/finish', 200, { outcome: 'duplicate', status: 'done' }])
  })

  it('a result without a run that was begun is kept nowhere', async () => {
    const env = { DATABASE_URL: postgres.url, DATABASE_SCHEMA: 'unbegun' }
    const store = await startStore(LAB_DIR, env)
    await store.post('/runs/open', { runId: 'run-1', idempotencyKey: 'key' })
    const result = { runId: 'run-1', workerId: 'a', status: 'done', text: 'hello' }
    const early = await store.post('/runs/finish', result)
    expect(early.status).toBe(500)
    expect(early.body.error).toContain('run run-1 was not done: not-from-there')
    expect(await store.get('/runs')).toEqual({
      runs: [{ runId: 'run-1', idempotencyKey: 'key', status: 'queued' }],
      results: [],
    })
  })

  it('what was accepted is there after kill -9', async () => {
    const env = { DATABASE_URL: postgres.url, DATABASE_SCHEMA: 'kill' }
    const killed = await startStore(LAB_DIR, env)
    await wayOfARun(killed)
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = await startStore(LAB_DIR, env)
    const again = await next.post('/runs/open', { runId: 'run-3', idempotencyKey: 'key' })
    expect(again.body).toEqual({ runId: 'run-1', status: 'done' })
  })
})
