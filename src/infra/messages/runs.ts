/**
 * Runs: what a client asked for, once per idempotency key, and how far it has come.
 *
 * `queued → running → done | failed`, no step left out and none back. A step may carry the fence token
 * of the lease under which it is taken; then a holder that has been replaced moves nothing.
 */

export type RunStatus = 'queued' | 'running' | 'done' | 'failed'

export interface RunRow {
  readonly runId: string
  readonly idempotencyKey: string
  readonly status: RunStatus
}

export interface RunMove {
  readonly runId: string
  readonly to: RunStatus
  /** The lease under which the step is taken. Left out where nobody holds one. */
  readonly fence?: { readonly shard: number; readonly token: number }
}

export type MoveOutcome =
  | { readonly kind: 'moved'; readonly from: RunStatus }
  /** The run was there already: this step has been taken before. */
  | { readonly kind: 'repeated' }
  /** No step leads from `from` to where it was to go. */
  | { readonly kind: 'not-from-there'; readonly from: RunStatus }
  | { readonly kind: 'no-such-run' }
  | { readonly kind: 'refused'; readonly highestToken: number }

/** What a transaction may do with runs. */
export interface RunTx {
  /**
   * A new run, `queued`; or the one that already has this idempotency key, as it is now. Rejects when
   * this run id is there with another key.
   */
  createRun(
    runId: string,
    idempotencyKey: string,
  ): Promise<{ readonly run: RunRow; readonly isNew: boolean }>
  /** Takes one step. Whatever else than `moved` comes back, the run is as it was. */
  moveRun(move: RunMove): Promise<MoveOutcome>
  /** Null if there is none. */
  findRun(runId: string): Promise<RunRow | null>
}

const BEFORE: Readonly<Record<RunStatus, RunStatus | null>> = {
  queued: null,
  running: 'queued',
  done: 'running',
  failed: 'running',
}

/** The one status from which a step leads to `status`; null if none does. */
export function statusBefore(status: RunStatus): RunStatus | null {
  return BEFORE[status]
}

/** Why a run that stands at `from` was not moved to `to`. */
export function whyNotMoved(from: RunStatus, to: RunStatus): MoveOutcome {
  return from === to ? { kind: 'repeated' } : { kind: 'not-from-there', from }
}
