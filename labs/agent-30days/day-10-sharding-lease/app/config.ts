/**
 * The programs' settings, read from the environment once and checked.
 *
 * Times are whole milliseconds. A value that cannot be used ends the start with a message that names
 * the variable, what is expected and what came.
 */

import {
  type Env,
  onOrOff,
  required,
  wholeNumber,
  wholeNumbers,
} from 'agent-30days-shared/settings.ts'

export interface WorkerConfig {
  readonly workerId: string
  readonly redisUrl: string
  readonly storeUrl: string
  /** How many workers share the shards (`WORKERS`). */
  readonly workers: number
  /** This worker's place among them from 0 (`WORKER_INDEX`), or null if it was not told. */
  readonly workerIndex: number | null
  /** The shards that this worker may hold (`SHARDS`, e.g. `131` or `0,1,2`), or null for all. */
  readonly shards: readonly number[] | null
  readonly leaseTtlMs: number
  readonly renewMs: number
  readonly sweepMs: number
  /** How long an answer may take before it counts as unknown. */
  readonly callTimeoutMs: number
  readonly readBlockMs: number
  /** How long handling takes: message seq 1 the first, and so on; the last holds for all after it. */
  readonly handleMs: readonly number[]
  readonly selfStop: boolean
}

/** Settings of a worker. */
export function workerConfig(env: Env): WorkerConfig {
  const renewMs = wholeNumber(env, 'RENEW_MS', 10_000)
  const leaseTtlMs = wholeNumber(env, 'LEASE_TTL_MS', 30_000)
  if (renewMs * 2 > leaseTtlMs) {
    throw new Error(
      `RENEW_MS: expected at most half of LEASE_TTL_MS (${leaseTtlMs}), got ${renewMs}. ` +
        'One lost renewal must not cost the lease.',
    )
  }
  return {
    workerId: required(env, 'WORKER_ID', 'a name of its own, such as a'),
    redisUrl: required(env, 'REDIS_URL', 'such as redis://127.0.0.1:6379'),
    storeUrl: env.STORE_URL ?? 'http://127.0.0.1:7310',
    workers: wholeNumber(env, 'WORKERS', 1),
    workerIndex: env.WORKER_INDEX === undefined ? null : wholeNumber(env, 'WORKER_INDEX', 0, 0),
    shards: env.SHARDS === undefined ? null : wholeNumbers(env, 'SHARDS', []),
    leaseTtlMs,
    renewMs,
    sweepMs: wholeNumber(env, 'SWEEP_MS', 5000),
    callTimeoutMs: wholeNumber(env, 'CALL_TIMEOUT_MS', Math.ceil(renewMs / 3)),
    readBlockMs: wholeNumber(env, 'READ_BLOCK_MS', 1000),
    handleMs: wholeNumbers(env, 'HANDLE_MS', [100]),
    selfStop: onOrOff(env, 'SELF_STOP', true),
  }
}

/** How long the message with this seq takes to handle. */
export function handleTimeMs(handleMs: readonly number[], seq: number): number {
  return handleMs[Math.min(seq, handleMs.length) - 1] ?? 0
}

/**
 * How many of `shardCount` shards a worker takes: its part, the remainder spread over the first ones
 * (256 over three: 86, 85, 85). Without a place among them each may take the larger part, so that no
 * shard is left over.
 */
export function shareOf(shardCount: number, workers: number, index: number | null): number {
  const part = Math.floor(shardCount / workers)
  const remainder = shardCount % workers
  if (index === null) return remainder === 0 ? part : part + 1
  return index < remainder ? part + 1 : part
}
