/**
 * Bytes that have arrived and are not consumed yet: what both parsers read from.
 *
 * A chunk that arrives while nothing is left over is used as it is, without a copy.
 */
const EMPTY = Buffer.alloc(0)
const LF = 10

export class Incoming {
  bytes: Buffer = EMPTY
  at = 0

  push(chunk: Uint8Array): void {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const left = this.bytes.length - this.at
    this.bytes = left === 0 ? fresh : Buffer.concat([this.bytes.subarray(this.at), fresh])
    this.at = 0
  }

  /** The line from `at` without its end, and the place after it; null when it is not complete. */
  line(at: number): { readonly text: string; readonly next: number } | null {
    const end = this.bytes.indexOf(LF, at)
    if (end === -1) return null
    const to = end > at && this.bytes[end - 1] === 13 ? end - 1 : end
    return { text: this.bytes.toString('latin1', at, to), next: end + 1 }
  }
}
