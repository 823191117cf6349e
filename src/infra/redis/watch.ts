/**
 * WATCH: optimistic locking. A session that watches a key learns at EXEC whether it has changed.
 *
 * A key whose time is over counts as changed, unless it was over already when it was watched.
 * Source: multi.c of Redis 7.0.
 */
import type { Keyspace } from './keyspace.ts'
import type { Session } from './session.ts'

export function watch(session: Session, db: Keyspace, key: string): void {
  if (session.watched.some((watched) => watched.db === db.index && watched.key === key)) return
  session.watched.push({ db: db.index, key, wasStale: db.isStale(key) })
}

export function unwatchAll(session: Session): void {
  session.watched = []
  session.watchBroken = false
}

/** Ends MULTI without running anything, and WATCH. */
export function discardTransaction(session: Session): void {
  session.queue = null
  session.queueFailed = false
  unwatchAll(session)
}

/** A key of `db` has changed or gone. */
export function breakWatches(sessions: Iterable<Session>, db: Keyspace, key: string): void {
  for (const session of sessions) {
    if (session.watched.length === 0) continue
    const at = session.watched.findIndex((w) => w.db === db.index && w.key === key)
    const watched = session.watched[at]
    if (watched === undefined) continue
    if (watched.wasStale && !db.holds(key)) session.watched[at] = { ...watched, wasStale: false }
    else session.watchBroken = true
  }
}

/** Whether a watched key's time has run out since it was watched. */
export function watchedKeyLapsed(session: Session, databases: readonly Keyspace[]): boolean {
  return session.watched.some(
    ({ db, key, wasStale }) => !wasStale && (databases[db] as Keyspace).isStale(key),
  )
}
