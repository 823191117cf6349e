/** The pure parts of the given programs, and the gateway's answers: settings, contracts, requests. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Redis } from 'ioredis'
import { describe, expect, it, vi } from 'vitest'
import {
  gatewayConfig,
  workerConfig,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/app/config.ts'
import {
  checkAlive,
  checkKey,
  checkPanel,
  checkReady,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/app/contract.ts'
import { Gateway } from '../../../labs/agent-30days/day-14-compose-multi-worker/app/gateway.ts'
import type { RunStore } from '../../../labs/agent-30days/day-14-compose-multi-worker/app/run-store.ts'
import { readTimes } from '../../../labs/agent-30days/day-14-compose-multi-worker/app/times.ts'
import {
  timesEnv,
  VIRTUAL,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/setting.ts'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import { labDirOf } from '../worlds.ts'

const env = { REDIS_URL: 'redis://x', WORKER_ID: 'a' }

describe('times', () => {
  it('have the stated defaults, which are those of the checks', () => {
    const times = readTimes({})
    expect(times).toMatchObject({
      beatMs: 5000,
      staleMs: 15_000,
      leaseTtlMs: 30_000,
      renewMs: 10_000,
      sweepMs: 5000,
      drainCeilingMs: 20_000,
      platformGraceMs: 25_000,
    })
    expect(readTimes({ ...timesEnv(VIRTUAL), UNREADY_MS: '5000' })).toEqual(times)
  })

  it('may all be twenty times shorter', () => {
    const faster = Object.entries(timesEnv(VIRTUAL)).map(([name, ms]) => [name, String(+ms / 20)])
    expect(readTimes(Object.fromEntries(faster))).toMatchObject({
      beatMs: 250,
      staleMs: 750,
      leaseTtlMs: 1500,
      renewMs: 500,
      drainCeilingMs: 1000,
      platformGraceMs: 1250,
    })
  })

  it.each([
    [{ DRAIN_CEILING_MS: '25000' }, /DRAIN_CEILING_MS: expected less than PLATFORM_GRACE_MS/],
    [{ UNREADY_MS: '30000' }, /UNREADY_MS: expected less than PLATFORM_GRACE_MS/],
    [{ BEAT_MS: '8000' }, /BEAT_MS: expected at most half of STALE_MS \(7500\), got 8000/],
    [{ RENEW_MS: '20000' }, /RENEW_MS: expected at most half of LEASE_TTL_MS/],
    [{ STALE_MS: 'soon' }, /STALE_MS: expected a whole number from 1, got 'soon'/],
  ])('%o is refused at the start', (bad, message) => {
    expect(() => readTimes(bad)).toThrow(message)
  })
})

describe('settings', () => {
  it('a worker without WORKER_ID goes by its host name', () => {
    expect(workerConfig({ REDIS_URL: 'redis://x' }).workerId).not.toBe('')
    expect(workerConfig(env)).toMatchObject({ workerId: 'a', workers: 3, shards: 3 })
  })

  it('Redis must be named', () => {
    expect(() => gatewayConfig({})).toThrow(/REDIS_URL: expected a value/)
  })
})

describe('README', () => {
  const read = (...path: string[]) => readFileSync(join(labDirOf(lab), ...path), 'utf8')

  it('names every variable that the programs read, and compose sets no other', () => {
    const sources = ['times.ts', 'config.ts', 'main.ts', 'customer-main.ts', 'visitor-main.ts']
    const code = [...sources.map((name) => read('app', name)), read('solution', 'env.ts')].join(
      '\n',
    )
    const names = [...code.matchAll(/(?:\benv, '|\benv\.|variables\.)([A-Z][A-Z_]+)/g)].map(
      ([, name]) => name!,
    )
    expect(names.length).toBeGreaterThan(20)
    // Of the programs that the checks and the walk-through start, not of the stack.
    const told = [...new Set(names)].filter((name) => name !== 'RUNS' && name !== 'PAGES')
    const readme = read('README.md')
    expect(told.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
    const set = [...read('compose.yaml').matchAll(/^ +([A-Z][A-Z_]+):/gm)].map(([, name]) => name!)
    const foreign = set.filter((name) => !/^POSTGRES_/.test(name) && !names.includes(name))
    expect([...new Set(foreign)].sort()).toEqual(['DATABASE_URL', 'PORT'])
  })
})

describe('contracts', () => {
  const panel = { status: 'ok', total: 0, alive: 0, stale: 0, workers: [] } as const

  it('let right answers through', () => {
    expect(checkAlive(false)).toBe(false)
    expect(checkPanel(panel)).toBe(panel)
    expect(checkReady(true)).toBe(true)
    expect(checkKey('dev:x', 'namespaced')).toBe('dev:x')
  })

  it.each([
    ['heartbeat.ts', () => checkAlive(1)],
    ['heartbeat.ts', () => checkAlive(Promise.resolve(true))],
    ['panel.ts', () => checkPanel(undefined)],
    ['panel.ts', () => checkPanel({ ...panel, status: 'fine' })],
    ['panel.ts', () => checkPanel({ ...panel, alive: '0' })],
    ['panel.ts', () => checkPanel({ ...panel, workers: null })],
    ['panel.ts', () => checkReady(200)],
    ['env.ts', () => checkKey(undefined, 'runsStream')],
    ['env.ts', () => checkKey('', 'runsStream')],
  ])('%s: a wrong answer names the file, what was expected and what came', (file, check) => {
    expect(check).toThrow(new RegExp(`^${file}: .* expected .*, got .*\\. `))
  })
})

describe('the gateway', () => {
  const NOW_MS = 1_800_000_000_000
  const setUp = (faults: { readonly redis?: boolean; readonly store?: boolean } = {}) => {
    const published: unknown[][] = []
    const marks = new Set<string>()
    const runs = new Map<string, string>()
    const rows = [
      'w2',
      '{"beatAt":1799999990000,"inFlight":1,"version":"2"}',
      'w1',
      '{"beatAt":1799999980000,"inFlight":0,"version":"1"}',
    ]
    const redis = {
      ping: async () => {
        if (faults.redis) throw new Error('away')
      },
      eval: async (script: string, _keys: number, ...args: unknown[]) => {
        if (faults.redis) throw new Error('away')
        if (script.includes('HGETALL')) return [NOW_MS, rows]
        const mark = String(args[1])
        if (marks.has(mark)) return null
        marks.add(mark)
        published.push(args)
        return '1-0'
      },
    } as unknown as Redis
    const store: RunStore = {
      open: async (runId, key) => {
        if (!runs.has(key)) runs.set(key, runId)
        return { runId: runs.get(key)!, status: 'queued' }
      },
      find: async (runId) =>
        [...runs.values()].includes(runId) ? { runId, status: 'queued' } : null,
      begin: async () => 'running',
      finish: async () => 'accepted',
      ping: async () => {
        if (faults.store) throw new Error('away')
      },
      close: () => {},
    }
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const gateway = new Gateway(gatewayConfig(env), redis, store)
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      gateway.app.request('/runs', { method: 'POST', body: JSON.stringify(body), headers })
    return { gateway, published, post, get: (path: string) => gateway.app.request(path) }
  }

  it('POST /runs: 202, in the stream once, with id, text and time', async () => {
    const { post, published, get } = setUp()
    const answer = await post({ text: 'hello', workMs: 50 })
    expect(answer.status).toBe(202)
    const { runId, status } = (await answer.json()) as { runId: string; status: string }
    expect(status).toBe('queued')
    expect(published).toEqual([
      [
        'dev:koda:runs',
        `dev:koda:published:${runId}`,
        86_400_000,
        'runId',
        runId,
        'text',
        'hello',
        'workMs',
        50,
      ],
    ])
    expect(await (await get(`/runs/${runId}`)).json()).toEqual({ runId, status: 'queued' })
    expect((await get('/runs/run-x')).status).toBe(404)
  })

  it('the same Idempotency-Key is the same run; another one, or none, is another', async () => {
    const { post, published } = setUp()
    const idOf = async (headers?: Record<string, string>) => {
      const answer = await post({ text: 'hello' }, headers)
      expect(answer.status).toBe(202)
      return ((await answer.json()) as { runId: string }).runId
    }
    const first = await idOf({ 'idempotency-key': 'k1' })
    expect(await idOf({ 'idempotency-key': 'k1' })).toBe(first)
    expect(await idOf({ 'idempotency-key': 'k2' })).not.toBe(first)
    expect(await idOf()).not.toBe(await idOf())
    expect(published).toHaveLength(4)
  })

  it.each([
    [{}],
    [{ text: '' }],
    [{ text: 7 }],
    [{ text: 'x', workMs: -1 }],
    [{ text: 'x', workMs: 1.5 }],
    [{ text: 'x', workMs: '5' }],
    [null],
    ['text'],
  ])('POST /runs %j: 400, and nothing is added', async (body) => {
    const { post, published } = setUp()
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { error: string }).error).toContain(
      'expected { text, workMs? }',
    )
    expect(published).toEqual([])
  })

  it('a key that is too long or empty: 400', async () => {
    const { post } = setUp()
    expect((await post({ text: 'x' }, { 'idempotency-key': 'k'.repeat(201) })).status).toBe(400)
    expect((await post({ text: 'x' }, { 'idempotency-key': '' })).status).toBe(400)
  })

  it.each([
    [{}, 200],
    [{ redis: true }, 503],
    [{ store: true }, 503],
  ])('/readyz with %o away: %i, and /healthz 200 all the same', async (faults, status) => {
    const { get } = setUp(faults)
    expect((await get('/readyz')).status).toBe(status)
    expect((await get('/healthz')).status).toBe(200)
  })

  it('/readyz is 503 as soon as the gateway drains, though nothing is away', async () => {
    const { get, gateway } = setUp()
    gateway.draining = true
    const answer = await get('/readyz')
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ ready: false, redis: true, store: true, draining: true })
  })

  it('/admin/workers shows a row each, by id, with the age of its beat on the server’s clock', async () => {
    const { get } = setUp()
    expect(await (await get('/admin/workers')).json()).toEqual({
      status: 'degraded',
      total: 2,
      alive: 1,
      stale: 1,
      workers: [
        { workerId: 'w1', alive: false, lastBeatMs: 20_000, inFlight: 0, version: '1' },
        { workerId: 'w2', alive: true, lastBeatMs: 10_000, inFlight: 1, version: '2' },
      ],
    })
  })

  it('/metrics has what the alarm needs, and loses only that when Redis is away', async () => {
    const { get, post } = setUp()
    await post({ text: 'x' }, { 'idempotency-key': 'k' })
    await post({ text: 'x' }, { 'idempotency-key': 'k' })
    const answer = await get('/metrics')
    expect(answer.headers.get('content-type')).toContain('text/plain')
    const text = await answer.text()
    for (const line of [
      'koda_workers_declared 3',
      'koda_workers{state="alive"} 1',
      'koda_workers{state="stale"} 1',
      'koda_runs_accepted_total{kind="new"} 1',
      'koda_runs_accepted_total{kind="again"} 1',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    const away = await (await setUp({ redis: true }).get('/metrics')).text()
    expect(away).toContain('koda_workers_declared 3')
    expect(away).not.toContain('koda_workers{')
  })

  it('Redis away: 503 with a text, and the run can be sent again with its key', async () => {
    const { post } = setUp({ redis: true })
    const answer = await post({ text: 'x' })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ error: 'away' })
  })

  it('an unknown route: 404 that names it', async () => {
    const answer = await setUp().get('/workers')
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ error: 'no such route: /workers' })
  })
})
