/**
 * The HTTP tap: what the bytes of one HTTP/1.1 connection say, message by message.
 *
 * Feed it what the client sends (`request`) and what the server sends (`response`), cut anywhere; it
 * answers with the messages that are complete by then. It pairs answers with requests in order, knows
 * pipelining, `Content-Length`, chunked bodies, answers that end with the connection, and those
 * without a body (HEAD, 1xx, 204, 304). Bodies are read as UTF-8 and kept up to 64 KiB. Pure: no
 * clock, no I/O. A stream that is not HTTP, or has become another protocol (CONNECT, 101), is
 * `blind`: nothing more is said about it. Source: RFC 9112. Not here: judging what it reads; decoding
 * of compressed bodies.
 */

const BODY_LIMIT_BYTES = 65_536
/** More than this before the blank line is not a head. */
const HEAD_LIMIT_BYTES = 262_144

export interface HttpRequestMessage {
  readonly kind: 'request'
  /** Place in the connection, from 0. Its answer carries the same. */
  readonly n: number
  readonly method: string
  readonly path: string
  readonly body: string
}

export interface HttpResponseMessage {
  readonly kind: 'response'
  readonly n: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: string
}

type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; left: number }
  | { readonly kind: 'chunked'; stage: 'size' | 'data' | 'data-end' | 'trailer'; left: number }
  | { readonly kind: 'until-end' }

interface Head {
  readonly first: string
  readonly headers: ReadonlyMap<string, string>
}

/** One message: its first line and its body. */
interface Message {
  readonly head: Head
  readonly body: string
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const known = headers.get(name)
    headers.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return { first, headers }
}

function bodyBySize({ headers }: Head): Body | null {
  const coding = headers.get('transfer-encoding')
  if (coding !== undefined && /(?:^|,\s*)chunked$/i.test(coding)) {
    return { kind: 'chunked', stage: 'size', left: 0 }
  }
  const length = headers.get('content-length')
  if (length === undefined || !/^\d+$/.test(length)) return null
  return { kind: 'length', left: Number(length) }
}

/** What kind of body a head announces; null when the stream cannot be followed any further. */
type BodyOf = (head: Head) => Body | null

/** One direction: cuts bytes into messages. */
class MessageReader {
  readonly #bodyOf: BodyOf
  /** Bytes that are not understood yet; only a head, a chunk's size line or a trailer waits here. */
  #waiting: Buffer = Buffer.alloc(0)
  #head: Head | null = null
  #body: Body = { kind: 'none' }
  #kept: Buffer[] = []
  #keptBytes = 0
  #blind = false

  constructor(bodyOf: BodyOf) {
    this.#bodyOf = bodyOf
  }

  get blind(): boolean {
    return this.#blind
  }

  /** A message has begun and is not complete. */
  get open(): boolean {
    return this.#head !== null || this.#waiting.length > 0
  }

  /** Bytes of a head have come, and not all of them. */
  get headOpen(): boolean {
    return this.#head === null && this.#waiting.length > 0
  }

  stop(): void {
    this.#blind = true
    this.#waiting = Buffer.alloc(0)
    this.#kept = []
    this.#head = null
  }

  push(bytes: Uint8Array): Message[] {
    const messages: Message[] = []
    if (this.#blind) return messages
    const fresh = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
    this.#waiting = this.#waiting.length === 0 ? fresh : Buffer.concat([this.#waiting, fresh])
    while (!this.#blind && this.#step(messages));
    // What stays is copied: the sender may use its buffer again.
    if (this.#waiting.length > 0) this.#waiting = Buffer.from(this.#waiting)
    return messages
  }

  /** The stream ended: completes a message that lasts until then. */
  end(): Message[] {
    const messages: Message[] = []
    if (this.#head !== null && this.#body.kind === 'until-end') this.#complete(messages)
    return messages
  }

  /** True when it has moved on and may move further. */
  #step(messages: Message[]): boolean {
    if (this.#head === null) return this.#readHead(messages)
    switch (this.#body.kind) {
      case 'none':
        return this.#complete(messages)
      case 'until-end':
        this.#keep(this.#waiting.length)
        return false
      case 'length': {
        const taken = this.#keep(this.#body.left)
        this.#body.left -= taken
        return this.#body.left === 0 ? this.#complete(messages) : false
      }
      case 'chunked':
        return this.#readChunk(this.#body, messages)
    }
  }

  #readHead(messages: Message[]): boolean {
    // Empty lines before a message are to be ignored.
    while (this.#waiting[0] === 13 && this.#waiting[1] === 10) this.#drop(2)
    if (this.#waiting.length === 0) return false
    const end = this.#waiting.indexOf('\r\n\r\n')
    if (end === -1) {
      if (this.#waiting.length > HEAD_LIMIT_BYTES) this.stop()
      return false
    }
    const head = parseHead(this.#waiting.toString('latin1', 0, end))
    this.#drop(end + 4)
    const body = this.#bodyOf(head)
    if (body === null) {
      this.stop()
      return false
    }
    this.#head = head
    this.#body = body
    return body.kind === 'none' || (body.kind === 'length' && body.left === 0)
      ? this.#complete(messages)
      : this.#waiting.length > 0
  }

  #readChunk(body: Extract<Body, { kind: 'chunked' }>, messages: Message[]): boolean {
    if (body.stage === 'data') {
      body.left -= this.#keep(body.left)
      if (body.left > 0) return false
      body.stage = 'data-end'
    }
    const line = this.#line()
    if (line === null) return false
    switch (body.stage) {
      case 'data-end':
        body.stage = 'size'
        return true
      case 'size': {
        const size = /^([0-9a-f]+)[ \t]*(?:;|$)/i.exec(line)?.[1]
        if (size === undefined) {
          this.stop()
          return false
        }
        body.left = Number.parseInt(size, 16)
        body.stage = body.left === 0 ? 'trailer' : 'data'
        return true
      }
      case 'trailer':
        return line === '' ? this.#complete(messages) : true
    }
  }

  #line(): string | null {
    const end = this.#waiting.indexOf('\r\n')
    if (end === -1) return null
    const line = this.#waiting.toString('latin1', 0, end)
    this.#drop(end + 2)
    return line
  }

  /** Takes up to `count` bytes as body and says how many there were. */
  #keep(count: number): number {
    const taken = Math.min(count, this.#waiting.length)
    const room = BODY_LIMIT_BYTES - this.#keptBytes
    if (taken > 0 && room > 0) {
      const kept = Buffer.from(this.#waiting.subarray(0, Math.min(taken, room)))
      this.#kept.push(kept)
      this.#keptBytes += kept.length
    }
    this.#drop(taken)
    return taken
  }

  #complete(messages: Message[]): boolean {
    const head = this.#head
    if (head === null) return false
    messages.push({ head, body: Buffer.concat(this.#kept).toString('utf8') })
    this.#head = null
    this.#kept = []
    this.#keptBytes = 0
    return this.#waiting.length > 0
  }

  #drop(count: number): void {
    this.#waiting = this.#waiting.subarray(count)
  }
}

interface Asked {
  readonly n: number
  readonly method: string
  readonly path: string
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.[01]$/
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |$)/
/** The start of a request line: enough to see at the first byte that a stream is not HTTP. */
const BEGINS_LIKE_HTTP = /^[A-Z]{1,20}(?: |$)/

export class HttpTap {
  /** Requests whose head is known and whose final answer has not begun. */
  readonly #asked: Asked[] = []
  /** Requests whose final answer has begun and is not told yet. */
  readonly #answering: (Asked | undefined)[] = []
  readonly #requests: MessageReader
  readonly #responses: MessageReader
  #begun = 0
  #requestsComplete = 0
  #sniffed = false

  constructor() {
    this.#requests = new MessageReader((head) => {
      const [, method, path] = REQUEST_LINE.exec(head.first) ?? []
      if (method === undefined || path === undefined) return null
      this.#asked.push({ n: this.#begun++, method, path })
      return bodyBySize(head) ?? { kind: 'none' }
    })
    this.#responses = new MessageReader((head) => this.#responseBody(head))
  }

  /** Nothing more will be said about this connection. */
  get blind(): boolean {
    return this.#requests.blind
  }

  /** A request has begun to arrive and is not complete. */
  get requestOpen(): boolean {
    return this.#requests.open
  }

  /** A request has begun to arrive and its head is not complete. */
  get headOpen(): boolean {
    return this.#requests.headOpen
  }

  /** Heads of requests seen so far. */
  get requestsBegun(): number {
    return this.#begun
  }

  /** Bytes from the client; the requests that they complete. */
  request(bytes: Uint8Array): readonly HttpRequestMessage[] {
    if (!this.#sniffed && bytes.length > 0) {
      this.#sniffed = true
      const start = Buffer.from(bytes.subarray(0, 20)).toString('latin1')
      if (!BEGINS_LIKE_HTTP.test(start)) this.#stop()
    }
    const first = this.#requestsComplete
    const messages = this.#requests.push(bytes)
    this.#requestsComplete += messages.length
    return messages.map(({ head, body }, k) => {
      const [, method = '', path = ''] = REQUEST_LINE.exec(head.first) ?? []
      return { kind: 'request', n: first + k, method, path, body }
    })
  }

  /** Bytes from the server; the final answers that they complete (1xx is not final). */
  response(bytes: Uint8Array): readonly HttpResponseMessage[] {
    return this.#answers(this.#responses.push(bytes))
  }

  /** The server will send no more; the answer that lasted until here, if there is one. */
  responsesEnd(): readonly HttpResponseMessage[] {
    return this.#answers(this.#responses.end())
  }

  #answers(messages: readonly Message[]): readonly HttpResponseMessage[] {
    const answers: HttpResponseMessage[] = []
    for (const { head, body } of messages) {
      const status = Number(STATUS_LINE.exec(head.first)?.[1])
      if (status < 200 && status !== 101) continue
      const asked = this.#answering.shift()
      if (asked === undefined) continue
      answers.push({ kind: 'response', ...asked, status, body })
      if (status === 101 || (asked.method === 'CONNECT' && status < 300)) this.#stop()
    }
    return answers
  }

  #responseBody(head: Head): Body | null {
    const code = STATUS_LINE.exec(head.first)?.[1]
    if (code === undefined) return null
    const status = Number(code)
    const asked = status < 200 && status !== 101 ? undefined : this.#asked.shift()
    if (status >= 200 || status === 101) this.#answering.push(asked)
    const bodiless =
      status < 200 ||
      status === 204 ||
      status === 304 ||
      asked?.method === 'HEAD' ||
      (asked?.method === 'CONNECT' && status < 300)
    if (bodiless) return { kind: 'none' }
    return bodyBySize(head) ?? { kind: 'until-end' }
  }

  #stop(): void {
    this.#requests.stop()
    this.#responses.stop()
  }
}
