/**
 * The recorder: gives every event its place and time, keeps the running digest, and hands it on.
 *
 * The digest (SHA-256, hex) covers what happened: kinds, actors, bytes, virtual times. It leaves out
 * what depends on where the files lie: error texts and stacks, the text of stderr, details of an end.
 * Each event is turned into JSON once, for the digest and for whoever takes the line.
 */

import { createHash } from 'node:crypto'
import type { TraceEvent, Unplaced } from './events.ts'

/** Takes an event and its JSON (one line, without the newline). */
export type TraceSink = (event: TraceEvent, json: string) => void

/** What the digest takes of an event; null when its JSON is taken whole. */
function digestForm(event: TraceEvent): string | null {
  switch (event.kind) {
    case 'process.error':
      return `${event.i} ${event.t} error ${event.process}\n`
    case 'process.output':
      if (event.stream === 'stdout') return null
      return `${event.i} ${event.t} stderr ${event.process}\n`
    case 'world.ended':
      return `${event.i} ${event.t} ended ${event.why} ${event.never.join(' ')}\n`
    default:
      return null
  }
}

/** A digest over events, one after another. */
export class Digest {
  readonly #hash = createHash('sha256')
  #pending = ''

  add(event: TraceEvent, json: string): void {
    this.#pending += digestForm(event) ?? `${json}\n`
    if (this.#pending.length > 16_384) this.#flush()
  }

  /** The digest so far; more can be added afterwards. */
  hex(): string {
    this.#flush()
    return this.#hash.copy().digest('hex')
  }

  #flush(): void {
    this.#hash.update(this.#pending)
    this.#pending = ''
  }
}

export class Recorder {
  readonly #now: () => number
  readonly #sinks: TraceSink[] = []
  readonly #digest = new Digest()
  #next = 0

  /** `now` reads the world's clock (µs). */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Sinks are called in the order in which they were added. */
  addSink(sink: TraceSink): void {
    this.#sinks.push(sink)
  }

  readonly record = (event: Unplaced): void => {
    const placed = { i: this.#next++, t: this.#now(), ...event } as TraceEvent
    const json = JSON.stringify(placed)
    this.#digest.add(placed, json)
    for (const sink of this.#sinks) sink(placed, json)
  }

  digest(): string {
    return this.#digest.hex()
  }
}
