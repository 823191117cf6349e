/** Exercise 3: how a worker goes. */

import type { Redis } from 'ioredis'
import type { Heartbeat } from './heartbeat.ts'
import type { Lease } from './lease.ts'

/** What a worker has to bring to an end. */
export interface Duties {
  readonly workerId: string
  readonly redis: Redis
  /** The leases held now. */
  leases(): readonly Lease[]
  readonly heartbeat: Heartbeat
  /** Nothing is read after this, and nothing begun. What was read and not begun stays pending. */
  takeNothingNew(): void
  /** Resolves when no run is in hand: stored, done and acknowledged, or given up. Never rejects. */
  runInHand(): Promise<void>
  /** Gives the run in hand up: it stays running and pending, for a successor to redo. */
  abortRun(): void
  stopRenewing(): void
  /** Closes all connections; the process ends when nothing else is left. */
  close(): void
}

const leaving = new WeakMap<Duties, Promise<void>>()

/** Ends a worker in three steps, once: a second call joins the first. Resolves when all is closed. */
export function shutdown(duties: Duties, ceilingMs: number): Promise<void> {
  const underWay = leaving.get(duties) ?? leave(duties, ceilingMs)
  leaving.set(duties, underWay)
  return underWay
}

async function leave(duties: Duties, _ceilingMs: number): Promise<void> {
  // TODO exercise 3: this drops everything. Take nothing new; let the run in hand end, for ceilingMs at
  // most; then give the leases back (lease.ts), stop the heartbeat, and take the row away (presence.ts).
  duties.close()
}
