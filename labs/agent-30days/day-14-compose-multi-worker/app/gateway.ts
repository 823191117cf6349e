/**
 * What the gateway answers. It keeps no state of its own and hands out no work: workers pull.
 *
 * `POST /runs { text, workMs? }`   202 with `{ runId, status }`; the same `Idempotency-Key`, the same run
 * `GET  /runs/<id>`                200 with `{ runId, status }`, 404
 * `GET  /healthz`                  restart me? No dependency is asked
 * `GET  /readyz`                   can I take requests? By Redis and store alone
 * `GET  /admin/workers`            who is alive, for people and alarms
 * `GET  /metrics`                  the same for Prometheus
 */

import { randomUUID } from 'node:crypto'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { type Context, Hono } from 'hono'
import type { Redis } from 'ioredis'
import { publishedKey, runsStream } from '#exercises/env.ts'
import { isAlive } from '#exercises/heartbeat.ts'
import { type Panel, readiness, summarize } from '#exercises/panel.ts'
import { readRows } from '#exercises/presence.ts'
import type { GatewayConfig } from './config.ts'
import { checkAlive, checkKey, checkPanel, checkReady } from './contract.ts'
import { Metrics } from './metrics.ts'
import type { RunStore } from './run-store.ts'

/**
 * Adds a run to the stream, once: whoever asks again after a lost answer adds nothing.
 * KEYS[1] stream · KEYS[2] mark of the run · ARGV[1] life of the mark in ms · ARGV[2 …] fields
 * Answers the entry's id, or false where the run had been added.
 */
const PUBLISH = `
if not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[1]) then return false end
return redis.call('XADD', KEYS[1], '*', unpack(ARGV, 2))`

const MARK_LIFE_MS = 86_400_000
const LONGEST_KEY = 200

export class Gateway {
  readonly app = new Hono()
  /** On its way out: not ready, and still answering. */
  draining = false
  readonly #config: GatewayConfig
  readonly #redis: Redis
  readonly #store: RunStore
  readonly #metrics: Metrics

  constructor(config: GatewayConfig, redis: Redis, store: RunStore) {
    this.#config = config
    this.#redis = redis
    this.#store = store
    this.#metrics = new Metrics(config.workers, () => this.#panel())
    this.app.post('/runs', (context) => this.#accept(context))
    this.app.get('/runs/:id', (context) => this.#show(context, context.req.param('id')))
    this.app.get('/healthz', (context) => context.json({ status: 'ok' }))
    this.app.get('/readyz', (context) => this.#ready(context))
    this.app.get('/admin/workers', async (context) => context.json(await this.#panel()))
    this.app.get('/metrics', async (context) => {
      const { contentType, text } = await this.#metrics.scrape()
      return context.body(text, 200, { 'content-type': contentType })
    })
    this.app.notFound((context) =>
      context.json({ error: `no such route: ${context.req.path}` }, 404),
    )
    this.app.onError((error, context) => {
      say('gateway.error', { path: context.req.path, error: textOf(error) })
      if (isSlip(error)) endWith(error)
      return context.json({ error: textOf(error) }, 503)
    })
  }

  /** The row in the store first: a worker that reads the entry must find its run. */
  async #accept(context: Context): Promise<Response> {
    const body: unknown = await context.req.json().catch(() => null)
    const { text, workMs } = (body ?? {}) as { readonly text?: unknown; readonly workMs?: unknown }
    if (typeof text !== 'string' || text === '' || !isWorkMs(workMs)) {
      const error = 'expected { text, workMs? }: a text, and whole milliseconds from 0'
      return context.json({ error }, 400)
    }
    const newId = `run-${randomUUID()}`
    const key = context.req.header('idempotency-key') ?? newId
    if (key === '' || key.length > LONGEST_KEY) {
      const error = `Idempotency-Key: expected 1 to ${LONGEST_KEY} characters, got ${key.length}`
      return context.json({ error }, 400)
    }
    const { runId, status } = await this.#store.open(newId, key)
    const keys = [checkKey(runsStream(), 'runsStream'), checkKey(publishedKey(runId), 'namespaced')]
    const fields = [
      'runId',
      runId,
      'text',
      text,
      ...(workMs === undefined ? [] : ['workMs', workMs]),
    ]
    const added = await this.#redis.eval(PUBLISH, 2, ...keys, MARK_LIFE_MS, ...fields)
    this.#metrics.accepted(added === null ? 'again' : 'new')
    say('accepted', { runId, again: added === null })
    return context.json({ runId, status }, 202)
  }

  async #show(context: Context, runId: string): Promise<Response> {
    const run = await this.#store.find(runId)
    return run ? context.json({ ...run }) : context.json({ error: `there is no run ${runId}` }, 404)
  }

  async #ready(context: Context): Promise<Response> {
    const [redis, store] = await Promise.all([
      this.#works(this.#redis.ping()),
      this.#works(this.#store.ping()),
    ])
    const ready = checkReady(readiness({ redis, store })) && !this.draining
    return context.json({ ready, redis, store, draining: this.draining }, ready ? 200 : 503)
  }

  async #panel(): Promise<Panel> {
    const { nowMs, rows } = await readRows(this.#redis)
    const lines = rows.map(({ workerId, beatAtMs, inFlight, version }) => {
      const alive = checkAlive(isAlive(beatAtMs, nowMs, this.#config.times.staleMs))
      return { workerId, alive, lastBeatMs: nowMs - beatAtMs, inFlight, version }
    })
    return checkPanel(summarize(lines))
  }

  /** Whether a dependency answers in time. */
  #works(answer: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#config.times.callTimeoutMs)
      answer
        .then(
          () => resolve(true),
          () => resolve(false),
        )
        .finally(() => clearTimeout(timer))
    })
  }
}

function isWorkMs(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
}
