/**
 * Looks at what passes an accepted connection and tells the trace of HTTP requests and answers.
 *
 * A request is recorded when its last byte has arrived at the server, an answer when its last byte has
 * left it. A connection that does not speak HTTP is noticed at its first bytes and left alone.
 */

import type { Kernel } from '../../../sim/kernel.ts'
import type { ConnectionEnd } from '../../../sim/network.ts'
import type { Recorder } from '../../../trace/recorder.ts'
import { type HttpResponseMessage, HttpTap } from '../../../wire/http-tap.ts'
import type { StreamWatch } from './socket-options.ts'

/** Requests are numbered through a world, from 1. */
const counters = new WeakMap<Kernel, { next: number }>()

const watches = new WeakMap<object, HttpWatch>()

/** What is known of a socket that a server has accepted. */
export function watchOf(socket: object): HttpWatch | undefined {
  return watches.get(socket)
}

export class HttpWatch implements StreamWatch {
  readonly tap = new HttpTap()
  /** When the request that is arriving began; for the first one, when the connection was made. */
  openSinceUs: number
  /** Called when bytes have come and left a request incomplete. */
  onIncomplete: (() => void) | null = null
  readonly #kernel: Kernel
  readonly #end: ConnectionEnd
  readonly #record: Recorder['record']
  readonly #counter: { next: number }
  /** Numbers of the requests of this connection, by their place in it. */
  readonly #ids = new Map<number, number>()

  constructor(end: ConnectionEnd, kernel: Kernel, record: Recorder['record']) {
    this.#end = end
    this.#kernel = kernel
    this.openSinceUs = kernel.now
    this.#record = record
    let counter = counters.get(kernel)
    if (counter === undefined) {
      counter = { next: 1 }
      counters.set(kernel, counter)
    }
    this.#counter = counter
  }

  attach(socket: object): void {
    watches.set(socket, this)
  }

  /** Between two requests: at least one has come, none is arriving. */
  get idle(): boolean {
    return this.tap.requestsBegun > 0 && !this.tap.requestOpen
  }

  #idOf(n: number): number {
    let id = this.#ids.get(n)
    if (id === undefined) {
      id = this.#counter.next++
      this.#ids.set(n, id)
    }
    return id
  }

  arrived(bytes: Uint8Array): void {
    if (this.tap.blind) return
    const { name: process, incarnation } = this.#end.peer.party
    if (this.idle) this.openSinceUs = this.#kernel.now
    for (const { n, method, path, body } of this.tap.request(bytes)) {
      const id = this.#idOf(n)
      const to = this.#end.party.name
      this.#record({ kind: 'http.request', id, process, incarnation, to, method, path, body })
    }
    if (this.tap.requestOpen) this.onIncomplete?.()
  }

  left(bytes: Uint8Array): void {
    if (!this.tap.blind) this.#tell(this.tap.response(bytes))
  }

  finished(): void {
    if (!this.tap.blind) this.#tell(this.tap.responsesEnd())
  }

  #tell(answers: readonly HttpResponseMessage[]): void {
    const { name: process, incarnation } = this.#end.peer.party
    const from = this.#end.party.name
    for (const { n, method, path, status, body } of answers) {
      const id = this.#idOf(n)
      this.#ids.delete(n)
      this.#record({
        kind: 'http.response',
        id,
        process,
        incarnation,
        from,
        method,
        path,
        status,
        body,
      })
    }
  }
}
