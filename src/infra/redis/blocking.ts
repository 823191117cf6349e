/**
 * Readers that wait for a stream: who waits for what, in the order in which they came.
 *
 * A key that changed is noted while the command runs; afterwards its waiting readers are served one
 * after the other, as Redis does (blocked.c 7.0). A deadline is answered by `expire`.
 */
import { error, NULL_ARRAY, type Reply } from '../../wire/resp.ts'
import type { Keyspace } from './keyspace.ts'
import type { Session } from './session.ts'
import { consumerOf, type Stream } from './stream.ts'
import { readAfter, readNew } from './stream-read.ts'

export interface Woken {
  readonly session: Session
  readonly reply: Reply
}

const NO_GROUP_LEFT = 'the consumer group this client was blocked on no longer exists'

export class BlockedReaders {
  /** In order of arrival, which is the order of service. */
  readonly #sessions = new Set<Session>()
  readonly #changed = new Map<string, { readonly db: Keyspace; readonly key: string }>()
  #woken: Woken[] = []

  get count(): number {
    return this.#sessions.size
  }

  add(session: Session): void {
    this.#sessions.add(session)
  }

  drop(session: Session): void {
    this.#sessions.delete(session)
    session.blocked = null
  }

  noteChange(db: Keyspace, key: string): void {
    if (this.#sessions.size > 0) this.#changed.set(`${db.index} ${key}`, { db, key })
  }

  /** Answers whom the noted changes allow to go on. */
  serve(nowMs: number): void {
    while (this.#changed.size > 0) {
      const changed = [...this.#changed.values()]
      this.#changed.clear()
      for (const { db, key } of changed) this.#serveKey(db, key, nowMs)
    }
  }

  #serveKey(db: Keyspace, key: string, nowMs: number): void {
    for (const session of [...this.#sessions]) {
      const read = session.blocked
      if (read === null || read.db !== db.index || !read.after.has(key)) continue
      const reply = this.#tryRead(db, key, session, nowMs)
      if (reply !== null) this.wake(session, reply)
    }
  }

  /** An entry that came and went within one transaction still wakes, with nothing to read. */
  #tryRead(db: Keyspace, key: string, session: Session, nowMs: number): Reply | null {
    const read = session.blocked
    if (read === null) return null
    const value = db.find(key)?.value
    const stream: Stream | undefined = value?.kind === 'stream' ? value.stream : undefined
    if (read.group === null) {
      const after = read.after.get(key) ?? 0n
      if (stream === undefined || stream.lastId <= after) return null
      return [[Buffer.from(key, 'latin1'), readAfter(stream, after, read.count)]]
    }
    if (stream === undefined) return error('UNBLOCKED the stream key no longer exists')
    const group = stream.groups.get(read.group.name)
    if (group === undefined) return error(`NOGROUP ${NO_GROUP_LEFT}`)
    if (stream.lastId <= group.lastId) return null
    const consumer = consumerOf(group, read.group.consumer, nowMs)
    const entries = readNew(stream, group, consumer, read.count, read.group.noAck, nowMs)
    db.wrote(key)
    return [[Buffer.from(key, 'latin1'), entries]]
  }

  wake(session: Session, reply: Reply): void {
    this.drop(session)
    this.#woken.push({ session, reply })
  }

  takeWoken(): Woken[] {
    if (this.#woken.length === 0) return []
    const woken = this.#woken
    this.#woken = []
    return woken
  }

  nextDeadlineUs(): number | null {
    let next: number | null = null
    for (const session of this.#sessions) {
      const deadlineUs = session.blocked?.deadlineUs ?? null
      if (deadlineUs !== null && (next === null || deadlineUs < next)) next = deadlineUs
    }
    return next
  }

  expire(nowUs: number): void {
    const due = [...this.#sessions].filter((session) => {
      const deadlineUs = session.blocked?.deadlineUs ?? null
      return deadlineUs !== null && deadlineUs <= nowUs
    })
    const at = (session: Session): number => session.blocked?.deadlineUs ?? 0
    due.sort((a, b) => at(a) - at(b))
    for (const session of due) this.wake(session, NULL_ARRAY)
  }
}
