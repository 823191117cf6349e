/**
 * The line between a world child and the judge: one letter, then text, a line each, on descriptor 3.
 *
 * `J` a job begins (its id) · `P` what its preflight saw (JSON) · `E` a trace event (JSON) · `Z` the
 * job is done · `R` this child goes no further (a loop in it never ends) · `.` sign of life · `X` a bug of ours (text as JSON string). Written synchronously, so
 * that what happened before a hang or a crash has arrived.
 */

import { writeSync } from 'node:fs'

export const CHANNEL_FD = 3

const FLUSH_CHARS = 32_768

/** Sleeps for real, outside any world: the judge is slow to read. */
function waitForReader(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
}

/** The child's end. Kept in a buffer until `flush` or until it is large. */
export class ChannelWriter {
  #buffer = ''

  line(letter: 'J' | 'P' | 'E' | 'Z' | 'R' | 'X' | '.', text = ''): void {
    this.#buffer += `${letter}${text}\n`
    if (this.#buffer.length > FLUSH_CHARS) this.flush()
  }

  /** Writes all there is. Ends the process when the judge is gone. */
  flush(): void {
    let bytes: Uint8Array = Buffer.from(this.#buffer)
    this.#buffer = ''
    while (bytes.length > 0) {
      try {
        bytes = bytes.subarray(writeSync(CHANNEL_FD, bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1)
        waitForReader()
      }
    }
  }
}

/** The judge's end: cuts what arrives into lines. */
export class ChannelReader {
  readonly #take: (letter: string, text: string) => void
  readonly #decoder = new TextDecoder()
  #rest = ''

  constructor(take: (letter: string, text: string) => void) {
    this.#take = take
  }

  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line.slice(0, 1), line.slice(1))
  }
}
