/**
 * A server's bytes as replies, in any chunking: for tests, for the tap and the real arm's proxy.
 *
 * RESP2. A reply is read once all of it is there; bytes of an unfinished one are kept and read again
 * from its beginning, which is cheap for the replies of this project (small, mostly in one chunk).
 */
import { Incoming } from './incoming.ts'
import { error, NULL_ARRAY, type Reply, status } from './reply.ts'

export class ReplyParser {
  readonly #incoming = new Incoming()

  /** The replies that `chunk` completes, oldest first. Throws on bytes that are no RESP2. */
  push(chunk: Uint8Array): Reply[] {
    const incoming = this.#incoming
    incoming.push(chunk)
    const replies: Reply[] = []
    for (;;) {
      const read = this.#read(incoming.at)
      if (read === null) return replies
      incoming.at = read.next
      replies.push(read.reply)
    }
  }

  #read(at: number): { readonly reply: Reply; readonly next: number } | null {
    const { bytes } = this.#incoming
    if (at >= bytes.length) return null
    const line = this.#incoming.line(at + 1)
    if (line === null) return null
    switch (String.fromCharCode(bytes[at] as number)) {
      case '+':
        return { reply: status(line.text), next: line.next }
      case '-':
        return { reply: error(line.text), next: line.next }
      case ':': {
        const value = Number(line.text)
        const reply = Number.isSafeInteger(value) ? value : BigInt(line.text)
        return { reply, next: line.next }
      }
      case '$': {
        const length = Number(line.text)
        if (length < 0) return { reply: null, next: line.next }
        const end = line.next + length
        if (bytes.length < end + 2) return null
        return { reply: bytes.subarray(line.next, end), next: end + 2 }
      }
      case '*':
        return this.#array(Number(line.text), line.next)
      default:
        throw new Error(
          `not a RESP2 reply: it begins with ${JSON.stringify(bytes.toString('latin1', at, at + 20))}`,
        )
    }
  }

  #array(length: number, start: number) {
    if (length < 0) return { reply: NULL_ARRAY, next: start }
    const items: Reply[] = []
    let at = start
    for (let n = 0; n < length; n++) {
      const read = this.#read(at)
      if (read === null) return null
      items.push(read.reply)
      at = read.next
    }
    return { reply: items, next: at }
  }
}
