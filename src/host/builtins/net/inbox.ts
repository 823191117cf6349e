/**
 * What has arrived for a socket and is not read yet, in the place of the system's receive buffer.
 *
 * Bytes go on to the stream while it reads; once it has had enough they wait here, and so does the end
 * of the stream behind them. `took` hears what went on, so that the other side has room. What waited
 * comes in an event of its own, as the event loop's next poll would bring it.
 */

import type { HostContext } from '../../context.ts'

export interface InboxReader {
  /** Answers whether the stream wants more. */
  push(bytes: Buffer): boolean
  /** Nothing more will come. */
  tellEnd(): void
  took(bytes: number): void
}

export class Inbox {
  readonly #context: HostContext
  readonly #reader: InboxReader
  readonly #waiting: Buffer[] = []
  #end: 'no' | 'waiting' | 'told' = 'no'
  #reading = false
  #flushing = false

  constructor(context: HostContext, reader: InboxReader) {
    this.#context = context
    this.#reader = reader
  }

  arrived(bytes: Buffer): void {
    if (this.#reading && this.#waiting.length === 0) this.#pass(bytes)
    else this.#waiting.push(bytes)
  }

  endArrived(): void {
    if (this.#end !== 'no') return
    this.#end = 'waiting'
    if (this.#reading && this.#waiting.length === 0) this.#tellEnd()
  }

  /** The stream wants to read, until it has had enough. */
  read(): void {
    if (this.#reading) return
    this.#reading = true
    if (this.#flushing || (this.#waiting.length === 0 && this.#end !== 'waiting')) return
    this.#flushing = true
    this.#context.schedule('io', 0, this.#flush)
  }

  readonly #flush = (): void => {
    this.#flushing = false
    while (this.#reading) {
      const bytes = this.#waiting.shift()
      if (bytes === undefined) break
      this.#pass(bytes)
    }
    if (this.#reading && this.#end === 'waiting') this.#tellEnd()
  }

  #pass(bytes: Buffer): void {
    this.#reading = this.#reader.push(bytes)
    this.#reader.took(bytes.length)
  }

  #tellEnd(): void {
    this.#end = 'told'
    this.#reader.tellEnd()
  }

  /** For the next connection of the same socket, or none. */
  clear(): void {
    this.#waiting.length = 0
    this.#end = 'no'
    this.#reading = false
  }
}
