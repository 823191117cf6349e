/**
 * What the checks' scenarios have in common: names, times, and the processes of the cluster.
 *
 * All times hang on one record, so that the same scenarios can be run faster against real servers.
 */

import type { ProcessSpec } from '../../../../src/judge/index.ts'
import { type ProgramTimes, timesEnv } from '../../day-14-compose-multi-worker/checks/setting.ts'

export interface Times extends ProgramTimes {
  /** One unit of handling time. */
  readonly handlingMs: number
  /** A run that is in hand for longer than a renewal interval, and shorter than the drain's ceiling. */
  readonly longRunMs: number
  /** How long the frozen worker stands still: longer than a TTL and a standby's sweep. */
  readonly freezeMs: number
  /** No run lasts longer than this. */
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
  handlingMs: 100,
  longRunMs: 12_000,
  freezeMs: 35_000,
  whileMs: 1000,
  limitMs: 120_000,
}

/** A user whose messages the checks send, and the shard that it belongs to. */
export const USER = 'u-1001'
export const SHARD = 131
export const SHARD_COUNT = 256

/** Where names are made. Checks that find keys by their names take it from the solution … */
export const NAMES: readonly string[] = ['day-14/env.ts']
/** … and those that look at one shard by its number, also where shards are given. */
export const ONE_SHARD: readonly string[] = [...NAMES, 'day-10/shard.ts']

export const LEASES = 'dev:koda:{s'
export const leaseKey = (shard: number) => `dev:koda:{s${shard}}:lease`
export const LEASE = leaseKey(SHARD)
export const WORKERS = 'dev:koda:workers'

export const STORE = 'store'
export const GATEWAY = 'gateway'
export const A = 'worker-a'
export const B = 'worker-b'
export const C = 'worker-c'

export const redisUrl = 'redis://redis:6379'
const STORE_PORT = '7316'
const GATEWAY_PORT = '3016'
const STORE_URL = `http://${STORE}:${STORE_PORT}`

type Begins = 'start' | 'timeline'

export interface Order {
  readonly userId: string
  readonly text: string
}

/** `count` messages of each of these users, one user after the other, round by round. */
export function rounds(users: readonly string[], count: number): readonly Order[] {
  return Array.from({ length: count }, (_, k) =>
    users.map((userId) => ({ userId, text: `message ${k + 1}` })),
  ).flat()
}

export const storeProcess: ProcessSpec = {
  program: 'app/store-main.ts',
  env: { PORT: STORE_PORT },
}

export function gatewayProcess(times: Times): ProcessSpec {
  return {
    program: 'app/gateway-main.ts',
    env: { PORT: GATEWAY_PORT, REDIS_URL: redisUrl, STORE_URL, ...timesEnv(times) },
  }
}

/** A worker named like its process. `env` adds to and replaces what is set here. */
export function workerProcess(
  name: string,
  times: Times,
  begins: Begins,
  env: Readonly<Record<string, string>> = {},
): ProcessSpec {
  return {
    program: 'app/worker-main.ts',
    begins,
    env: {
      WORKER_ID: name,
      REDIS_URL: redisUrl,
      STORE_URL,
      HANDLE_MS: String(times.handlingMs),
      VERSION: '1.0.0',
      ...timesEnv(times),
      ...env,
    },
  }
}

/** Sends runs and ends. */
export function customerProcess(orders: readonly Order[], begins: Begins): ProcessSpec {
  const env = { GATEWAY_URL: `http://${GATEWAY}:${GATEWAY_PORT}`, RUNS: JSON.stringify(orders) }
  return { program: 'app/customer-main.ts', begins, ends: true, env }
}
