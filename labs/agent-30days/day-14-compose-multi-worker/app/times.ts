/**
 * All times of the programs, in one place: whole milliseconds, each from the environment.
 *
 * They hang together, so they are checked together: a beat may be missed twice before a worker counts
 * as stale, a renewal once before its lease is gone, and the drain ends before the platform kills.
 */

import { type Env, wholeNumber } from 'agent-30days-shared/settings.ts'

export interface Times {
  readonly beatMs: number
  /** A worker whose last beat is older than this is stale. */
  readonly staleMs: number
  /** Rows of workers that have been silent for this long are removed. */
  readonly rowLifeMs: number
  readonly leaseTtlMs: number
  readonly renewMs: number
  readonly sweepMs: number
  /** How long a read waits at the server for something to come. */
  readonly readBlockMs: number
  /** Later than this, an answer is unknown. */
  readonly callTimeoutMs: number
  /** How long a shutdown waits for the run in hand. */
  readonly drainCeilingMs: number
  /** How long the platform waits between SIGTERM and SIGKILL. */
  readonly platformGraceMs: number
  /** How long a gateway says that it is not ready before it stops to listen. */
  readonly unreadyMs: number
}

/** Throws an error that names the variable, what is expected and what came. */
export function readTimes(env: Env): Times {
  const renewMs = wholeNumber(env, 'RENEW_MS', 10_000)
  const times: Times = {
    beatMs: wholeNumber(env, 'BEAT_MS', 5000),
    staleMs: wholeNumber(env, 'STALE_MS', 15_000),
    rowLifeMs: wholeNumber(env, 'ROW_LIFE_MS', 3_600_000),
    leaseTtlMs: wholeNumber(env, 'LEASE_TTL_MS', 30_000),
    renewMs,
    sweepMs: wholeNumber(env, 'SWEEP_MS', 5000),
    readBlockMs: wholeNumber(env, 'READ_BLOCK_MS', 1000),
    callTimeoutMs: wholeNumber(env, 'CALL_TIMEOUT_MS', Math.ceil(renewMs / 3)),
    drainCeilingMs: wholeNumber(env, 'DRAIN_CEILING_MS', 20_000),
    platformGraceMs: wholeNumber(env, 'PLATFORM_GRACE_MS', 25_000),
    unreadyMs: wholeNumber(env, 'UNREADY_MS', 5000),
  }
  const { beatMs, staleMs, leaseTtlMs, drainCeilingMs, platformGraceMs, unreadyMs } = times
  atMost('BEAT_MS', beatMs, 'half of STALE_MS', staleMs / 2, 'One lost beat must worry nobody.')
  atMost('RENEW_MS', renewMs, 'half of LEASE_TTL_MS', leaseTtlMs / 2, KEEP)
  below('DRAIN_CEILING_MS', drainCeilingMs, platformGraceMs)
  below('UNREADY_MS', unreadyMs, platformGraceMs)
  return times
}

const KEEP = 'One lost renewal must not cost the lease.'

function atMost(name: string, ms: number, what: string, mostMs: number, why: string): void {
  if (ms <= mostMs) return
  throw new Error(`${name}: expected at most ${what} (${mostMs}), got ${ms}. ${why}`)
}

function below(name: string, ms: number, graceMs: number): void {
  if (ms < graceMs) return
  throw new Error(
    `${name}: expected less than PLATFORM_GRACE_MS (${graceMs}), got ${ms}. ` +
      'The platform kills before the shutdown has come to its end.',
  )
}
