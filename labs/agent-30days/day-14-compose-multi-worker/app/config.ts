/**
 * The programs' settings besides the times, read from the environment once and checked.
 */

import os from 'node:os'
import { type Env, portOf, required, wholeNumber } from 'agent-30days-shared/settings.ts'
import { readTimes, type Times } from './times.ts'

export interface SharedConfig {
  readonly redisUrl: string
  readonly storeUrl: string
  /** How many workers are declared to run (`WORKERS`): the panel’s alarm goes by it. */
  readonly workers: number
  readonly times: Times
}

export interface GatewayConfig extends SharedConfig {
  readonly port: number
}

export interface WorkerConfig extends SharedConfig {
  /** Consumer in the group, row in the panel, owner in the lease. */
  readonly workerId: string
  /** How many shards there are to be held, one by each worker. */
  readonly shards: number
  /** What a run takes that does not say it itself. */
  readonly workMs: number
  readonly version: string
  /** For looking at a silent worker: it beats this often and lives on (`BEATS`). */
  readonly beats: number
}

export function gatewayConfig(env: Env): GatewayConfig {
  return { ...sharedConfig(env), port: portOf(env, 3014) }
}

export function workerConfig(env: Env): WorkerConfig {
  const shared = sharedConfig(env)
  return {
    ...shared,
    // A container has a host name of its own; processes on one machine must be told apart.
    workerId: env.WORKER_ID || os.hostname(),
    shards: wholeNumber(env, 'SHARDS', shared.workers),
    workMs: wholeNumber(env, 'WORK_MS', 100),
    version: env.VERSION || 'unknown',
    beats: wholeNumber(env, 'BEATS', Number.MAX_SAFE_INTEGER),
  }
}

function sharedConfig(env: Env): SharedConfig {
  const workers = wholeNumber(env, 'WORKERS', 3)
  const poolSize = wholeNumber(env, 'POOL_SIZE', 10)
  checkPools(workers + 1, poolSize, wholeNumber(env, 'MAX_CONNECTIONS', 100))
  return {
    redisUrl: required(env, 'REDIS_URL', 'such as redis://127.0.0.1:6379'),
    storeUrl: env.STORE_URL ?? 'http://127.0.0.1:7314',
    workers,
    times: readTimes(env),
  }
}

/**
 * Postgres turns away whoever comes after `maxConnections`: ten processes with ten connections each
 * fill the usual hundred. Refuses to start into that, instead of failing on the busiest day.
 */
export function checkPools(processes: number, poolSize: number, maxConnections: number): void {
  if (processes * poolSize <= maxConnections) return
  throw new Error(
    `POOL_SIZE: expected at most ${Math.floor(maxConnections / processes)}, as ${processes} processes ` +
      `(WORKERS and the gateway) share MAX_CONNECTIONS (${maxConnections}), got ${poolSize}.`,
  )
}
