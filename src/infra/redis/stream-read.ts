/**
 * Reading a stream: ranges, what is new for a group, and a consumer's own history.
 *
 * Replies have the shape of Redis: an entry is `[id, [field, value, …]]`. Reading for a group moves
 * the group's position and writes the pending lists. Times are Unix milliseconds.
 */
import { NULL_ARRAY, type Reply } from '../../wire/resp.ts'
import { assign, type Consumer, type Group, type Stream } from './stream.ts'
import { type EntryId, idBytes } from './stream-id.ts'

/** `count` 0 is without limit. */
export function range(
  stream: Stream,
  from: EntryId,
  to: EntryId,
  count: number,
  reverse: boolean,
): Reply[] {
  const { entries } = stream
  const first = entries.place(from)
  const end = entries.place(to + 1n)
  const replies: Reply[] = []
  const wanted = count === 0 ? Number.POSITIVE_INFINITY : count
  if (reverse) {
    for (let at = end - 1; at >= first && replies.length < wanted; at--) {
      replies.push([idBytes(entries.idAt(at)), entries.valueAt(at)])
    }
  } else {
    for (let at = first; at < end && replies.length < wanted; at++) {
      replies.push([idBytes(entries.idAt(at)), entries.valueAt(at)])
    }
  }
  return replies
}

export function readAfter(stream: Stream, after: EntryId, count: number): Reply[] {
  return range(stream, after + 1n, stream.lastId, count, false)
}

/** What the group has not been handed yet: handed to `consumer`, pending unless `noAck`. */
export function readNew(
  stream: Stream,
  group: Group,
  consumer: Consumer,
  count: number,
  noAck: boolean,
  nowMs: number,
): Reply[] {
  const { entries } = stream
  const replies: Reply[] = []
  const wanted = count === 0 ? Number.POSITIVE_INFINITY : count
  for (let at = entries.place(group.lastId + 1n); at < entries.size; at++) {
    if (replies.length >= wanted) break
    const id = entries.idAt(at)
    stream.advance(group, id)
    replies.push([idBytes(id), entries.valueAt(at)])
    if (noAck) continue
    const pending = assign(group, id, consumer)
    pending.deliveredAtMs = nowMs
    pending.deliveries = 1
  }
  return replies
}

/** The consumer's pending entries after `after`; one that is deleted has no fields. */
export function readHistory(
  stream: Stream,
  consumer: Consumer,
  after: EntryId,
  count: number,
  nowMs: number,
): Reply[] {
  const { pending } = consumer
  const replies: Reply[] = []
  const wanted = count === 0 ? Number.POSITIVE_INFINITY : count
  for (let at = pending.place(after + 1n); at < pending.size; at++) {
    if (replies.length >= wanted) break
    const id = pending.idAt(at)
    const fields = stream.entries.get(id)
    replies.push([idBytes(id), fields ?? NULL_ARRAY])
    if (fields === undefined) continue
    const entry = pending.valueAt(at)
    entry.deliveredAtMs = nowMs
    entry.deliveries++
  }
  return replies
}
