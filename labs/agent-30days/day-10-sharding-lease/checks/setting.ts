/**
 * What the checks' scenarios have in common: names, times, and the processes of the cluster.
 *
 * All times hang on one record, so that the same scenarios can be run faster against real servers.
 */

import type { EventPattern, ProcessSpec } from '../../../../src/judge/index.ts'

export interface Times {
  readonly leaseTtlMs: number
  readonly renewMs: number
  readonly sweepMs: number
  readonly readBlockMs: number
  /** One unit of handling time. */
  readonly handlingMs: number
  /** The same for a probe that counts in units and works for 250 of them. */
  readonly probeUnitMs: number
  /** How long the frozen worker stands still: longer than a TTL and a standby's sweep. */
  readonly freezeMs: number
  /** A while that is long beside latencies and short beside intervals. */
  readonly whileMs: number
  /** After a program has said something, until it is at what it says it will do next. */
  readonly settleMs: number
  /** No run lasts longer than this. */
  readonly limitMs: number
  /** Nor does check 2, which needs no lease to lapse. */
  readonly claimLimitMs: number
}

/** The true values, in virtual time. */
export const VIRTUAL: Times = {
  leaseTtlMs: 30_000,
  renewMs: 10_000,
  sweepMs: 5000,
  readBlockMs: 1000,
  handlingMs: 100,
  probeUnitMs: 100,
  freezeMs: 35_000,
  whileMs: 1000,
  // In a world nothing else happens before a program has done what it can.
  settleMs: 0,
  limitMs: 90_000,
  claimLimitMs: 10_000,
}

/** How much faster real processes go. */
export const REAL_SPEED = 10

/**
 * For real processes. What a machine needs to carry out a verb or to answer does not get quicker with
 * the leases, so the while is longer than a tenth.
 */
export const REAL: Times = {
  leaseTtlMs: 3000,
  renewMs: 1000,
  sweepMs: 500,
  readBlockMs: 100,
  handlingMs: 20,
  probeUnitMs: 10,
  freezeMs: 3500,
  whileMs: 250,
  settleMs: 75,
  limitMs: 12_000,
  claimLimitMs: 6000,
}

/** Users whose messages the checks send; both belong to this shard. */
export const USER = 'u-1001'
export const NEIGHBOUR = 'u-1059'
export const SHARD = 131
export const SHARD_COUNT = 256

export const LEASES = 'lease:shard:'
export const leaseKey = (shard: number) => `${LEASES}${shard}`
export const LEASE = leaseKey(SHARD)
export const STREAM = `koda:runs:s${SHARD}`
export const GROUP = 'workers'

export const STORE = 'store'
export const A = 'worker-a'
export const B = 'worker-b'

export const redisUrl = 'redis://redis:6379'
const STORE_PORT = '7310'
const GATEWAY_PORT = '3010'

export const storeProcess: ProcessSpec = {
  program: 'app/store-main.ts',
  env: { PORT: STORE_PORT },
}

export const gatewayProcess: ProcessSpec = {
  program: 'app/gateway-main.ts',
  env: { PORT: GATEWAY_PORT, REDIS_URL: redisUrl },
}

/** Sends messages as soon as the gateway takes them, and ends. */
export function customerProcess(
  messages: readonly (readonly [string, string])[],
  begins: 'start' | 'timeline' = 'start',
): ProcessSpec {
  return {
    program: 'app/customer-main.ts',
    begins,
    env: { GATEWAY_URL: `http://gateway:${GATEWAY_PORT}`, MESSAGES: JSON.stringify(messages) },
  }
}

/** A worker named like its process. `env` adds to and replaces what is set here. */
export function workerProcess(
  name: string,
  times: Times,
  begins: 'start' | 'timeline',
  env: Readonly<Record<string, string>> = {},
): ProcessSpec {
  return {
    program: 'app/worker-main.ts',
    begins,
    env: {
      WORKER_ID: name,
      WORKERS: '1',
      REDIS_URL: redisUrl,
      STORE_URL: `http://${STORE}:${STORE_PORT}`,
      LEASE_TTL_MS: String(times.leaseTtlMs),
      RENEW_MS: String(times.renewMs),
      SWEEP_MS: String(times.sweepMs),
      READ_BLOCK_MS: String(times.readBlockMs),
      HANDLE_MS: String(times.handlingMs),
      ...env,
    },
  }
}

/** A fenced acknowledgement of the shard reaches Redis. */
export function acknowledgement(process: string): EventPattern {
  return {
    kind: 'redis.command',
    where: { process },
    command: ['EVAL'],
    argv: [LEASE, STREAM, GROUP],
  }
}
