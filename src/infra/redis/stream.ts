/**
 * A stream with its consumer groups: the data, and the rules that keep its counters right.
 *
 * Which entry has been handed to whom and is not confirmed stands twice, in the group's pending list
 * and in its consumer's; every change here keeps the two alike. Times are Unix milliseconds, passed
 * in. Source: t_stream.c of Redis 7.0. Not here: parsing, replies, blocking.
 */
import { OrderedById } from './ordered.ts'
import { type EntryId, MAX_ID, MIN_ID } from './stream-id.ts'

/** Field, value, field, value … */
export type Fields = readonly Buffer[]

export interface Pending {
  consumer: Consumer
  deliveredAtMs: number
  deliveries: number
}

export interface Consumer {
  readonly name: string
  seenAtMs: number
  readonly pending: OrderedById<Pending>
}

/** Number of entries ever read by the group is not known. */
export const UNKNOWN = -1

export interface Group {
  readonly name: string
  lastId: EntryId
  /** `UNKNOWN`, or how many entries the group has read. */
  entriesRead: number
  readonly pending: OrderedById<Pending>
  readonly consumers: Map<string, Consumer>
}

export class Stream {
  readonly entries = new OrderedById<Fields>()
  readonly groups = new Map<string, Group>()
  lastId: EntryId = MIN_ID
  /** Largest id removed by `remove`; trimming does not count. */
  maxDeletedId: EntryId = MIN_ID
  entriesAdded = 0
  /** Entries ever appended to the block that is being filled: see `Blocks`. */
  readonly blocks = new Blocks()

  get firstId(): EntryId {
    return this.entries.size === 0 ? MIN_ID : this.entries.idAt(0)
  }

  append(id: EntryId, fields: Fields): void {
    this.entries.set(id, fields)
    this.blocks.add(id)
    this.entriesAdded++
    this.lastId = id
  }

  remove(id: EntryId): boolean {
    if (!this.entries.delete(id)) return false
    this.blocks.remove(id)
    if (id > this.maxDeletedId) this.maxDeletedId = id
    return true
  }

  /** Removes from the front. An approximate trim takes whole blocks only, at most `limit` entries. */
  trim(how: Trim): number {
    const { entries } = this
    const surplus =
      how.kind === 'maxlen' ? Math.max(0, entries.size - how.maxLength) : entries.place(how.minId)
    let count = surplus
    if (how.approximate) count = this.blocks.wholeWithin(surplus, how.limit)
    if (count === 0) return 0
    entries.dropFirst(count)
    this.blocks.dropFirst(count)
    return count
  }

  addGroup(name: string, lastId: EntryId, entriesRead: number): Group | null {
    if (this.groups.has(name)) return null
    const group: Group = {
      name,
      lastId,
      entriesRead,
      pending: new OrderedById<Pending>(),
      consumers: new Map(),
    }
    this.groups.set(name, group)
    return group
  }

  /** Whether an entry between `from` and `to` has been deleted. */
  hasHoles(from: EntryId, to: EntryId = MAX_ID): boolean {
    if (this.entries.size === 0 || this.maxDeletedId < this.firstId) return false
    return from <= this.maxDeletedId && this.maxDeletedId <= to
  }

  /** How many entries were ever added up to and with `id`, or `UNKNOWN`. */
  distanceTo(id: EntryId): number {
    if (this.entriesAdded === 0) return 0
    const size = this.entries.size
    if (size === 0 && id < this.lastId) return this.entriesAdded
    if (id === this.lastId) return this.entriesAdded
    if (id > this.lastId) return UNKNOWN
    if (this.maxDeletedId === MIN_ID || this.maxDeletedId < this.firstId) {
      if (id < this.firstId) return this.entriesAdded - size
      if (id === this.firstId) return this.entriesAdded - size + 1
    }
    return UNKNOWN
  }

  /** Entries the group has still to read; null when that cannot be known. */
  lagOf(group: Group): number | null {
    if (this.entriesAdded === 0) return 0
    if (group.entriesRead !== UNKNOWN && !this.hasHoles(group.lastId)) {
      return this.entriesAdded - group.entriesRead
    }
    const read = this.distanceTo(group.lastId)
    return read === UNKNOWN ? null : this.entriesAdded - read
  }

  /** Moves the group on after it was handed `id`. */
  advance(group: Group, id: EntryId): void {
    if (id <= group.lastId) return
    if (group.entriesRead !== UNKNOWN && !this.hasHoles(id)) group.entriesRead++
    else if (this.entriesAdded > 0) group.entriesRead = this.distanceTo(id)
    group.lastId = id
  }
}

export type Trim = (
  | { readonly kind: 'maxlen'; readonly maxLength: number }
  | { readonly kind: 'minid'; readonly minId: EntryId }
) & { readonly approximate: boolean; readonly limit: number }

/** The consumer, made on first sight; `seenAtMs` moves. */
export function consumerOf(group: Group, name: string, nowMs: number): Consumer {
  let consumer = group.consumers.get(name)
  if (consumer === undefined) {
    consumer = { name, seenAtMs: nowMs, pending: new OrderedById<Pending>() }
    group.consumers.set(name, consumer)
  }
  consumer.seenAtMs = nowMs
  return consumer
}

/** Confirms one entry. False when it was not pending. */
export function acknowledge(group: Group, id: EntryId): boolean {
  const pending = group.pending.get(id)
  if (pending === undefined) return false
  group.pending.delete(id)
  pending.consumer.pending.delete(id)
  return true
}

/** Makes `consumer` the owner of `id`, pending or not. */
export function assign(group: Group, id: EntryId, consumer: Consumer): Pending {
  let pending = group.pending.get(id)
  if (pending === undefined) {
    pending = { consumer, deliveredAtMs: 0, deliveries: 0 }
    group.pending.set(id, pending)
  } else if (pending.consumer !== consumer) {
    pending.consumer.pending.delete(id)
    pending.consumer = consumer
  }
  consumer.pending.set(id, pending)
  return pending
}

export function sortedByName<T extends { readonly name: string }>(all: Iterable<T>): T[] {
  return [...all].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

const BLOCK_ENTRIES = 100

/**
 * Where Redis would have cut the stream into blocks: an approximate trim removes whole ones only.
 * A block takes 100 entries, counted as they are added. (Redis also ends one at 4,096 bytes; that
 * limit is not followed here.)
 */
class Blocks {
  readonly #blocks: { first: EntryId; added: number; live: number }[] = []

  get count(): number {
    return this.#blocks.length
  }

  add(id: EntryId): void {
    const last = this.#blocks.at(-1)
    if (last === undefined || last.added >= BLOCK_ENTRIES) {
      this.#blocks.push({ first: id, added: 1, live: 1 })
    } else {
      last.added++
      last.live++
    }
  }

  remove(id: EntryId): void {
    const at = this.#blocks.findLastIndex((block) => block.first <= id)
    const block = this.#blocks[at]
    if (block === undefined) return
    block.live--
    if (block.live === 0) this.#blocks.splice(at, 1)
  }

  dropFirst(count: number): void {
    let left = count
    while (left > 0) {
      const first = this.#blocks[0]
      if (first === undefined) return
      if (first.live > left) {
        first.live -= left
        return
      }
      left -= first.live
      this.#blocks.shift()
    }
  }

  /** How many of the first `surplus` entries fill whole blocks, staying within `limit` (0: none). */
  wholeWithin(surplus: number, limit: number): number {
    let count = 0
    for (const block of this.#blocks) {
      const next = count + block.live
      if (next > surplus || (limit > 0 && next > limit)) break
      count = next
    }
    return count
  }
}
