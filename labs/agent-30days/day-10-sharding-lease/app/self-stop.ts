/**
 * When a holder must stop by itself: the rules, without clocks or connections.
 *
 * Two failed renewals in a row, at least one renewal interval apart (two refused connections within a
 * millisecond say nothing about the lease), or more than two thirds of the TTL since the *sending* of
 * the last good renewal. Counted from the sending, since the server's clock for the lease starts
 * before the answer is here. Times are milliseconds of a monotonic clock.
 */

/** Node may run a timer this much before its time, so two attempts can look closer than they are. */
const TIMER_SLACK_MS = 2

export interface RenewalState {
  /** When the last renewal (or claim) that succeeded was sent. */
  readonly lastGoodSentAtMs: number
  /** When the first of the failed attempts since then was due, or null. */
  readonly firstFailedAtMs: number | null
  /** True once a further attempt failed, one interval or more after that one. */
  readonly failedTwice: boolean
}

/** State right after a lease was won by a claim sent at `sentAtMs`. */
export function claimedAt(sentAtMs: number): RenewalState {
  return { lastGoodSentAtMs: sentAtMs, firstFailedAtMs: null, failedTwice: false }
}

/** State after a renewal sent at `sentAtMs` succeeded, however late its answer came. */
export function renewed(state: RenewalState, sentAtMs: number): RenewalState {
  return claimedAt(Math.max(state.lastGoodSentAtMs, sentAtMs))
}

/** State after the attempt due at `attemptAtMs` failed: an error, or no answer in time. */
export function failed(state: RenewalState, attemptAtMs: number, renewMs: number): RenewalState {
  const first = state.firstFailedAtMs
  if (first === null) return { ...state, firstFailedAtMs: attemptAtMs }
  const apart = attemptAtMs - first >= renewMs - TIMER_SLACK_MS
  return apart ? { ...state, failedTwice: true } : state
}

/** When the two-thirds rule strikes. */
export function deadlineMs(state: RenewalState, leaseTtlMs: number): number {
  return state.lastGoodSentAtMs + (leaseTtlMs * 2) / 3
}

/** Why to stop now, or null. */
export function stopReason(
  state: RenewalState,
  nowMs: number,
  leaseTtlMs: number,
): 'two failed renewals' | 'two thirds of the ttl' | null {
  if (state.failedTwice) return 'two failed renewals'
  return nowMs > deadlineMs(state, leaseTtlMs) ? 'two thirds of the ttl' : null
}
