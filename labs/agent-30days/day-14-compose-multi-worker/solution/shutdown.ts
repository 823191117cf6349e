/** Exercise 3: how a worker goes. */

import type { Redis } from 'ioredis'
import type { Heartbeat } from './heartbeat.ts'
import { type Lease, releaseIfOwner } from './lease.ts'
import { forget } from './presence.ts'

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

async function leave(duties: Duties, ceilingMs: number): Promise<void> {
  const { redis, workerId, heartbeat } = duties
  duties.takeNothingNew()

  const ceiling = setTimeout(() => duties.abortRun(), ceilingMs)
  await duties.runInHand()
  clearTimeout(ceiling)

  duties.stopRenewing()
  // What cannot be given back lapses, and a row that stays is swept away: no reason to stay ourselves.
  await Promise.allSettled(duties.leases().map((lease) => releaseIfOwner(redis, lease)))
  await heartbeat.stop()
  await forget(redis, workerId).catch(() => {})
  duties.close()
}
