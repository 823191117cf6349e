/**
 * The queue of what is still to happen: a binary heap in the world's total order.
 *
 * Order: `(time, origin, the origin's own counter)`. Origins of one instant are ordered by name, so
 * one event more or less in one place moves nothing elsewhere. Cancelled events stay until they
 * surface, unless they are more than half of the heap: then it is built anew without them.
 */

/** Where events come from. Each counts its own, so that ties are broken without a global counter. */
export class Origin {
  readonly name: string
  count = 0

  constructor(name: string) {
    this.name = name
  }
}

/** `timer` a deadline of a process · `io` bytes or a connection for it · `job` anything else. */
export type EventClass = 'timer' | 'io' | 'job'

/** Who an event belongs to. The world itself is `null`. */
export interface Owner {
  readonly name: string
  /** `frozen`: events are parked until the thaw. `dead`: they are dropped. */
  gate: 'open' | 'frozen' | 'dead'
  /** An error or rejection that nothing caught, while an event of this owner was running. */
  uncaught(error: unknown, kind: 'error' | 'rejection', promise?: unknown): void
}

export interface WorldEvent {
  time: number
  origin: Origin
  n: number
  readonly owner: Owner | null
  readonly eventClass: EventClass
  readonly run: () => void
  state: 'queued' | 'parked' | 'done' | 'cancelled'
}

function before(a: WorldEvent, b: WorldEvent): boolean {
  if (a.time !== b.time) return a.time < b.time
  if (a.origin === b.origin) return a.n < b.n
  return a.origin.name < b.origin.name
}

export class EventQueue {
  #heap: WorldEvent[] = []
  #cancelled = 0

  /** Events queued and not cancelled. */
  get size(): number {
    return this.#heap.length - this.#cancelled
  }

  push(event: WorldEvent): void {
    const heap = this.#heap
    heap.push(event)
    this.#up(heap.length - 1)
  }

  /** The earliest event, taken out; undefined when there is none. */
  pop(): WorldEvent | undefined {
    this.#dropCancelled()
    return this.#take()
  }

  /** The earliest event, left in place. */
  peek(): WorldEvent | undefined {
    this.#dropCancelled()
    return this.#heap[0]
  }

  cancel(event: WorldEvent): void {
    if (event.state === 'queued') {
      this.#cancelled += 1
      event.state = 'cancelled'
      if (this.#cancelled > 1024 && this.#cancelled * 2 > this.#heap.length) this.#rebuild()
    } else if (event.state === 'parked') event.state = 'cancelled'
  }

  #dropCancelled(): void {
    while (this.#cancelled > 0 && this.#heap[0]?.state === 'cancelled') {
      this.#take()
      this.#cancelled -= 1
    }
  }

  #rebuild(): void {
    const kept = this.#heap.filter((event) => event.state !== 'cancelled')
    this.#heap = []
    this.#cancelled = 0
    for (const event of kept) this.push(event)
  }

  #take(): WorldEvent | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    heap[0] = last
    this.#down()
    return top
  }

  #up(start: number): void {
    const heap = this.#heap
    let at = start
    const event = heap[at]!
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]!
      if (!before(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  #down(): void {
    const heap = this.#heap
    const event = heap[0]!
    const half = heap.length >> 1
    let at = 0
    while (at < half) {
      let child = 2 * at + 1
      const right = child + 1
      if (right < heap.length && before(heap[right]!, heap[child]!)) child = right
      const below = heap[child]!
      if (!before(below, event)) break
      heap[at] = below
      at = child
    }
    heap[at] = event
  }
}
