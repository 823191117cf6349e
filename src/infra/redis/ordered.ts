/**
 * A map ordered by entry id: entries of a stream, pending lists.
 *
 * Two parallel arrays, searched by halving. Appending and removing from the front, which is what
 * streams do nearly always, cost next to nothing; a change in the middle moves what lies behind it.
 */
import type { EntryId } from './stream-id.ts'

const COMPACT_AFTER = 1024

export class OrderedById<V> {
  #ids: EntryId[] = []
  #values: (V | undefined)[] = []
  /** Places before this one are given up. */
  #head = 0

  get size(): number {
    return this.#ids.length - this.#head
  }

  /** Place of the first entry with an id of at least `id`; `size` when there is none. */
  place(id: EntryId): number {
    let low = this.#head
    let high = this.#ids.length
    if (high > low && (this.#ids[high - 1] as EntryId) < id) return high - low
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#ids[middle] as EntryId) < id) low = middle + 1
      else high = middle
    }
    return low - this.#head
  }

  idAt(place: number): EntryId {
    return this.#ids[this.#head + place] as EntryId
  }

  valueAt(place: number): V {
    return this.#values[this.#head + place] as V
  }

  get(id: EntryId): V | undefined {
    const place = this.place(id)
    return place < this.size && this.idAt(place) === id ? this.valueAt(place) : undefined
  }

  set(id: EntryId, value: V): void {
    const at = this.#head + this.place(id)
    if (at === this.#ids.length) {
      this.#ids.push(id)
      this.#values.push(value)
    } else if (this.#ids[at] === id) {
      this.#values[at] = value
    } else {
      this.#ids.splice(at, 0, id)
      this.#values.splice(at, 0, value)
    }
  }

  delete(id: EntryId): boolean {
    const place = this.place(id)
    if (place >= this.size || this.idAt(place) !== id) return false
    if (place === 0) this.dropFirst(1)
    else {
      this.#ids.splice(this.#head + place, 1)
      this.#values.splice(this.#head + place, 1)
    }
    return true
  }

  dropFirst(count: number): void {
    this.#values.fill(undefined, this.#head, this.#head + count)
    this.#head += count
    if (this.#head >= COMPACT_AFTER && this.#head * 2 > this.#ids.length) {
      this.#ids = this.#ids.slice(this.#head)
      this.#values = this.#values.slice(this.#head)
      this.#head = 0
    }
  }

  *entries(): Generator<readonly [EntryId, V]> {
    for (let at = 0; at < this.size; at++) yield [this.idAt(at), this.valueAt(at)]
  }
}
