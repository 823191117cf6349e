/**
 * A trace to be asked: the events of one run, and views of them.
 *
 * Views are folds; each is made when it is first asked for, by one pass over the events. A history
 * that grows (`add`) shows every new event to the views it has. Pure: no clock, no I/O, and no view
 * throws on any sequence of events.
 */

import type { TraceEvent } from './events.ts'
import { HttpView } from './views/http-view.ts'
import { LeaseView } from './views/lease-view.ts'
import { LifeView } from './views/life-view.ts'
import { OutputView } from './views/output-view.ts'
import { RedisView } from './views/redis-view.ts'
import type { View } from './views/view.ts'

export class History {
  readonly #events: TraceEvent[]
  readonly #views = new Map<new () => View, View>()

  constructor(events: Iterable<TraceEvent> = []) {
    this.#events = [...events]
  }

  get events(): readonly TraceEvent[] {
    return this.#events
  }

  /** Time of the last event, µs; 0 for an empty trace. */
  get endUs(): number {
    return this.#events.at(-1)?.t ?? 0
  }

  /** Appends the next event. */
  add(event: TraceEvent): void {
    this.#events.push(event)
    for (const view of this.#views.values()) view.see(event)
  }

  /** Any other fold over this trace, kept like the built-in ones. */
  view<V extends View>(kind: new () => V): V {
    const known = this.#views.get(kind)
    if (known) return known as V
    const view = new kind()
    for (const event of this.#events) view.see(event)
    this.#views.set(kind, view)
    return view
  }

  /** What the processes printed. */
  get output(): OutputView {
    return this.view(OutputView)
  }

  /** Commands with their answers, and changes of the key space. */
  get redis(): RedisView {
    return this.view(RedisView)
  }

  /** Who held which key, until when. */
  get leases(): LeaseView {
    return this.view(LeaseView)
  }

  /** Requests with their answers. */
  get http(): HttpView {
    return this.view(HttpView)
  }

  /** Starts, ends, verbs and faults. */
  get lives(): LifeView {
    return this.view(LifeView)
  }
}

export type { HttpExchange } from './views/http-view.ts'
export { jsonBody } from './views/http-view.ts'
export type { Term } from './views/lease-view.ts'
export { expiryAt, parseLease } from './views/lease-view.ts'
export type { Said } from './views/output-view.ts'
export type { AttributedEffect, DeliveredEntry, RedisExchange } from './views/redis-view.ts'
export { deliveredFrom } from './views/redis-view.ts'
export type { View } from './views/view.ts'
