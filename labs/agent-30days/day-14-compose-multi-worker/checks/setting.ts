/**
 * What the checks' scenarios have in common: names, times, and the processes of the stack.
 *
 * All times hang on one record, so that the same scenarios can be run faster against real servers.
 */

import type { EventPattern, ProcessSpec } from '../../../../src/judge/index.ts'

/** Times that the programs read. */
export interface ProgramTimes {
  readonly beatMs: number
  readonly staleMs: number
  readonly leaseTtlMs: number
  readonly renewMs: number
  readonly sweepMs: number
  readonly readBlockMs: number
  readonly drainCeilingMs: number
  readonly platformGraceMs: number
  /** A while that is long beside latencies and short beside intervals. */
  readonly whileMs: number
}

export interface Times extends ProgramTimes {
  /** What a run takes that does not say it itself. */
  readonly workMs: number
  /** A run that is in hand for longer than a renewal interval, and shorter than the drain's ceiling. */
  readonly longRunMs: number
  /** No run of the scenario lasts longer than this. */
  readonly limitMs: number
}

/** The true values, in virtual time. */
export const VIRTUAL: Times = {
  beatMs: 5000,
  staleMs: 15_000,
  leaseTtlMs: 30_000,
  renewMs: 10_000,
  sweepMs: 5000,
  readBlockMs: 1000,
  drainCeilingMs: 20_000,
  platformGraceMs: 25_000,
  workMs: 1000,
  longRunMs: 12_000,
  whileMs: 1000,
  limitMs: 180_000,
}

export const STREAM = 'dev:koda:runs'
export const WORKERS = 'dev:koda:workers'
export const GROUP = 'workers'
export const leaseKey = (shard: number) => `dev:lease:shard:${shard}`

export const STORE = 'store'
export const GATEWAY = 'gateway'
export const A = 'worker-a'
export const B = 'worker-b'
export const C = 'worker-c'

export const redisUrl = 'redis://redis:6379'
const STORE_PORT = '7314'
const GATEWAY_PORT = '3014'
const GATEWAY_URL = `http://${GATEWAY}:${GATEWAY_PORT}`
const STORE_URL = `http://${STORE}:${STORE_PORT}`

export interface Order {
  readonly text: string
  readonly workMs?: number
  readonly key?: string
}

type Begins = 'start' | 'timeline'

export const storeProcess: ProcessSpec = {
  program: 'app/store-main.ts',
  env: { PORT: STORE_PORT },
}

/** The times as the programs read them. */
export function timesEnv(times: ProgramTimes): Readonly<Record<string, string>> {
  const named = {
    BEAT_MS: times.beatMs,
    STALE_MS: times.staleMs,
    LEASE_TTL_MS: times.leaseTtlMs,
    RENEW_MS: times.renewMs,
    SWEEP_MS: times.sweepMs,
    READ_BLOCK_MS: times.readBlockMs,
    DRAIN_CEILING_MS: times.drainCeilingMs,
    PLATFORM_GRACE_MS: times.platformGraceMs,
    UNREADY_MS: times.whileMs,
  }
  return Object.fromEntries(Object.entries(named).map(([name, ms]) => [name, String(ms)]))
}

/** The image's entry in one of its roles. */
function imageProcess(
  role: 'gateway' | 'worker',
  times: Times,
  env: Readonly<Record<string, string>>,
  begins: Begins,
): ProcessSpec {
  const shared = { ROLE: role, REDIS_URL: redisUrl, STORE_URL, ...timesEnv(times) }
  return { program: 'app/main.ts', begins, env: { ...shared, ...env } }
}

export function gatewayProcess(times: Times): ProcessSpec {
  return imageProcess('gateway', times, { PORT: GATEWAY_PORT }, 'start')
}

/** A worker named like its process. `env` adds to and replaces what is set here. */
export function workerProcess(
  name: string,
  times: Times,
  env: Readonly<Record<string, string>> = {},
  begins: Begins = 'start',
): ProcessSpec {
  const own = { WORKER_ID: name, WORK_MS: String(times.workMs), VERSION: '1.0.0' }
  return imageProcess('worker', times, { ...own, ...env }, begins)
}

/** Sends runs and ends. */
export function customerProcess(orders: readonly Order[], begins: Begins = 'start'): ProcessSpec {
  const env = { GATEWAY_URL, RUNS: JSON.stringify(orders) }
  return { program: 'app/customer-main.ts', begins, ends: true, env }
}

/** Asks for pages of the gateway and ends. */
export function visitorProcess(pages: readonly string[]): ProcessSpec {
  const env = { GATEWAY_URL, PAGES: pages.join(',') }
  return { program: 'app/visitor-main.ts', begins: 'timeline', ends: true, env }
}

/** A worker, whichever it is, begins to read. */
export const workerReady: EventPattern = { kind: 'process.output', json: { event: 'worker.ready' } }
