/**
 * A client's bytes as requests, multibulk and inline, in any chunking.
 *
 * Limits and error texts are those of Redis 7.0 (networking.c): 64 KiB for a line, 2^31 - 1
 * arguments, 512 MiB for one of them. After a `ProtocolError` the connection is past use: the server
 * sends `-ERR ` and the text, and closes.
 */
import { Incoming } from './incoming.ts'
import { splitInline } from './inline.ts'

const MAX_LINE_BYTES = 64 * 1024
const MAX_ARGS = 2147483647
const MAX_BULK_BYTES = 512 * 1024 * 1024
const STAR = 42
const DOLLAR = 36

/** `requests` are those that were complete before the fault. */
export class ProtocolError extends Error {
  readonly requests: Buffer[][]

  constructor(text: string, requests: Buffer[][] = []) {
    super(`Protocol error: ${text}`)
    this.name = 'ProtocolError'
    this.requests = requests
  }
}

function wholeNumber(text: string): number | null {
  return /^(0|-?[1-9][0-9]{0,15})$/.test(text) ? Number(text) : null
}

export class RequestParser {
  readonly #incoming = new Incoming()
  /** Arguments still missing of the request that is being read; 0 between requests. */
  #missing = 0
  #args: Buffer[] = []
  /** Length of the argument whose header has been read; -1 when the header is next. */
  #bulkLength = -1

  /** The requests that `chunk` completes, oldest first. Throws `ProtocolError`. */
  push(chunk: Uint8Array): Buffer[][] {
    this.#incoming.push(chunk)
    const requests: Buffer[][] = []
    try {
      for (;;) {
        const request = this.#next()
        if (request === null) return requests
        if (request.length > 0) requests.push(request)
      }
    } catch (fault) {
      if (fault instanceof ProtocolError) throw new ProtocolError(fault.message.slice(16), requests)
      throw fault
    }
  }

  #next(): Buffer[] | null {
    const incoming = this.#incoming
    if (this.#missing === 0) {
      if (incoming.at >= incoming.bytes.length) return null
      if (incoming.bytes[incoming.at] !== STAR) return this.#inline()
      const count = this.#number('too big mbulk count string', 'invalid multibulk length')
      if (count === null) return null
      if (count > MAX_ARGS) throw new ProtocolError('invalid multibulk length')
      if (count <= 0) return []
      this.#missing = count
      this.#args = []
    }
    while (this.#missing > 0) {
      if (!this.#argument()) return null
      this.#missing--
    }
    const args = this.#args
    this.#args = []
    return args
  }

  #argument(): boolean {
    const incoming = this.#incoming
    if (this.#bulkLength === -1) {
      const mark = incoming.bytes[incoming.at]
      if (mark === undefined) return false
      if (mark !== DOLLAR && incoming.line(incoming.at) !== null) {
        throw new ProtocolError(`expected '$', got '${String.fromCharCode(mark)}'`)
      }
      const length = this.#number('too big bulk count string', 'invalid bulk length')
      if (length === null) return false
      if (length < 0 || length > MAX_BULK_BYTES) throw new ProtocolError('invalid bulk length')
      this.#bulkLength = length
    }
    const end = incoming.at + this.#bulkLength
    if (incoming.bytes.length < end + 2) return false
    this.#args.push(incoming.bytes.subarray(incoming.at, end))
    incoming.at = end + 2
    this.#bulkLength = -1
    return true
  }

  /** The number after the mark at hand, or null when its line is not complete. */
  #number(tooLong: string, invalid: string): number | null {
    const line = this.#incoming.line(this.#incoming.at + 1)
    if (line === null) {
      this.#checkLineLimit(tooLong)
      return null
    }
    const value = wholeNumber(line.text)
    if (value === null) throw new ProtocolError(invalid)
    this.#incoming.at = line.next
    return value
  }

  #inline(): Buffer[] | null {
    const line = this.#incoming.line(this.#incoming.at)
    if (line === null) {
      this.#checkLineLimit('too big inline request')
      return null
    }
    const args = splitInline(line.text)
    if (args === null) throw new ProtocolError('unbalanced quotes in request')
    this.#incoming.at = line.next
    return args
  }

  #checkLineLimit(fault: string): void {
    if (this.#incoming.bytes.length - this.#incoming.at > MAX_LINE_BYTES) {
      throw new ProtocolError(fault)
    }
  }
}
