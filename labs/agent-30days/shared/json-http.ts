/**
 * JSON over HTTP, both ends: a small server and a client, for POST and GET.
 *
 * Client errors are of one kind, `NoAnswer`: whether the request was carried out is then unknown.
 */

import http from 'node:http'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** A route's work: the parsed body in (an empty object for GET), status and body out. */
export type Route = (body: Readonly<Record<string, unknown>>) => Promise<Answer>

type Headers = Readonly<Record<string, string>>

interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Of the body; empty for GET. */
  readonly text: string
  readonly headers: Headers
}

/** No answer came: refused, reset or too slow. The request may have been carried out all the same. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  /** True if nobody listened, so that nothing can have been carried out. */
  readonly refused: boolean

  constructor(message: string, refused = false) {
    super(message)
    this.refused = refused
  }
}

/**
 * Serves `routes` (keys such as `POST /messages`) on `port`. A route that rejects is answered with
 * 500 and its text, after `onError` has seen it.
 */
export function serveJson(
  port: number,
  routes: Readonly<Record<string, Route>>,
  onError: (error: unknown) => void,
): http.Server {
  const server = http.createServer((request, response) => {
    const answer = (status: number, body: Answer['body']) => {
      const text = JSON.stringify(body)
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    }
    const route = routes[`${request.method} ${request.url}`]
    if (!route) return answer(404, { error: `no such route: ${request.method} ${request.url}` })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = parseObject(Buffer.concat(chunks).toString('utf8'))
      if (!body) return answer(400, { error: 'the body must be one JSON object' })
      route(body).then(
        ({ status, body: reply }) => answer(status, reply),
        (error: unknown) => {
          answer(500, { error: error instanceof Error ? error.message : String(error) })
          onError(error)
        },
      )
    })
  })
  // A client that stood still for a while must find its connection open, or else its late write
  // would stumble over a closed socket instead of reaching us and being judged.
  server.keepAliveTimeout = 120_000
  server.listen(port)
  return server
}

/** Asks one server over kept connections. */
export class JsonClient {
  readonly #base: URL
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 8 })

  constructor(url: string) {
    this.#base = new URL(url)
  }

  /** The answer, whatever its status. Rejects with `NoAnswer`. */
  async post(
    path: string,
    body: unknown,
    timeoutMs: number,
    headers: Headers = {},
  ): Promise<Answer> {
    return await this.#send(
      { method: 'POST', path, text: JSON.stringify(body), headers },
      timeoutMs,
    )
  }

  /** The same for GET. */
  async get(path: string, timeoutMs: number): Promise<Answer> {
    return await this.#send({ method: 'GET', path, text: '', headers: {} }, timeoutMs)
  }

  /** Lets go of all connections. */
  close(): void {
    this.#agent.destroy()
  }

  #send(question: Question, timeoutMs: number, mayResend = true): Promise<Answer> {
    const { method, path, text, headers } = question
    const asked = `${method} ${path}`
    const described =
      method === 'GET'
        ? headers
        : {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
            ...headers,
          }
    return new Promise((resolve, reject) => {
      const request = http.request({
        agent: this.#agent,
        hostname: this.#base.hostname,
        port: this.#base.port || 80,
        path,
        method,
        headers: described,
      })
      const timer = setTimeout(() => {
        request.destroy(new NoAnswer(`${asked}: no answer within ${timeoutMs} ms`))
      }, timeoutMs)
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          clearTimeout(timer)
          const body = parseObject(Buffer.concat(chunks).toString('utf8'))
          if (body) resolve({ status: response.statusCode ?? 0, body })
          else reject(new NoAnswer(`${asked}: the answer is not a JSON object`))
        })
      })
      function fail(error: NodeJS.ErrnoException): void {
        clearTimeout(timer)
        const refused = error.code === 'ECONNREFUSED'
        reject(
          error instanceof NoAnswer
            ? error
            : new NoAnswer(`${asked}: ${error.message || error.code}`, refused),
        )
      }
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just as we took it up again: nothing was carried out.
        const broken = error.code === 'ECONNRESET' || error.code === 'EPIPE'
        if (broken && request.reusedSocket && mayResend) {
          clearTimeout(timer)
          this.#send(question, timeoutMs, false).then(resolve, reject)
        } else fail(error)
      })
      request.end(text)
    })
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
