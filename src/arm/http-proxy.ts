/**
 * The way from one process to another that serves HTTP: bytes pass, and the tap tells what they say.
 *
 * It listens on loopback for the asking process alone. It listens only while the other does, so that
 * a connection is refused exactly when nobody is there. A request is told when its last byte goes in
 * to the server, an answer when its last byte has left it. A server that is stopped is given nothing
 * until it goes on. A stream that is no HTTP passes untold.
 */

import net from 'node:net'
import type { Recorder } from '../trace/recorder.ts'
import { type HttpResponseMessage, HttpTap } from '../wire/http-tap.ts'
import type { Lane, ProxyLink } from './proxy-link.ts'

export interface HttpProxyOptions {
  readonly process: string
  readonly incarnation: () => number
  readonly to: string
  /** As the scenario names it. */
  readonly toPort: number
  /** Where it really listens. */
  readonly realPort: number
  readonly record: Recorder['record']
  readonly link: ProxyLink
  readonly nextRequest: () => number
  readonly nextConn: () => number
}

export class HttpProxy {
  readonly #options: HttpProxyOptions
  readonly #port: number
  readonly #pairs = new Set<Pair>()
  #server: net.Server | null = null
  /** Resolves when it listens. */
  #opening: Promise<void> = Promise.resolve()
  #serverStopped = false

  /** `port` is where the process will ask, on 127.0.0.1. */
  constructor(port: number, options: HttpProxyOptions) {
    this.#port = port
    this.#options = options
  }

  /** The server behind it listens now, or no longer. Resolves when that is so here too. */
  async serve(isUp: boolean): Promise<void> {
    if (!isUp) {
      this.#server?.close()
      this.#server = null
      return
    }
    if (this.#server !== null) return await this.#opening
    const server = net.createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket))
    this.#server = server
    this.#opening = new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', () => resolve())
    })
    await this.#opening
  }

  /** The server's process stands still, or goes on. */
  stopped(isStopped: boolean): void {
    this.#serverStopped = isStopped
    for (const pair of this.#pairs) pair.stopped(isStopped)
  }

  close(): void {
    void this.serve(false)
    for (const pair of this.#pairs) pair.destroy()
  }

  #accept(socket: net.Socket): void {
    const { process, incarnation, to, toPort, record, nextConn } = this.#options
    const conn = nextConn()
    record({
      kind: 'net.opened',
      process,
      incarnation: incarnation(),
      conn,
      to: `${to}:${toPort}`,
    })
    const pair = new Pair(socket, this.#options, () => this.#pairs.delete(pair))
    this.#pairs.add(pair)
    pair.stopped(this.#serverStopped)
  }
}

/** A connection of the process and its counterpart to the server. */
class Pair {
  readonly #near: net.Socket
  readonly #far: net.Socket
  readonly #options: HttpProxyOptions
  readonly #tap = new HttpTap()
  readonly #incarnation: number
  readonly #ids = new Map<number, number>()
  readonly #forget: () => void

  constructor(near: net.Socket, options: HttpProxyOptions, forget: () => void) {
    this.#near = near
    this.#options = options
    this.#forget = forget
    this.#incarnation = options.incarnation()
    this.#far = net.connect({ host: '127.0.0.1', port: options.realPort, allowHalfOpen: true })
    const out = options.link.lane('out')
    const back = options.link.lane('in')
    near.setNoDelay(true)
    this.#far.setNoDelay(true)
    this.#join(near, this.#far, out, (bytes) => this.#asked(bytes))
    this.#join(this.#far, near, back, (bytes) => this.#told(this.#tap.response(bytes)))
    this.#far.on('end', () => back.pass(() => this.#told(this.#tap.responsesEnd())))
  }

  stopped(isStopped: boolean): void {
    if (isStopped) this.#near.pause()
    else this.#near.resume()
  }

  destroy(): void {
    this.#near.destroy()
    this.#far.destroy()
    this.#forget()
  }

  #join(from: net.Socket, to: net.Socket, lane: Lane, tell: (bytes: Buffer) => void): void {
    from.on('data', (chunk: Buffer) => {
      const bytes = Buffer.from(chunk)
      lane.pass(() => {
        tell(bytes)
        if (!to.destroyed) to.write(bytes)
      })
    })
    from.on('end', () => lane.pass(() => void (to.destroyed || to.end())))
    from.on('error', () => lane.pass(() => void (to.destroyed || to.resetAndDestroy())))
    from.on('close', () => {
      lane.pass(() => void (to.destroyed || to.end()))
      if (to.destroyed) this.#forget()
    })
  }

  #asked(bytes: Buffer): void {
    const { process, to, record } = this.#options
    for (const { n, method, path, body } of this.#tap.request(bytes)) {
      const id = this.#idOf(n)
      const incarnation = this.#incarnation
      record({ kind: 'http.request', id, process, incarnation, to, method, path, body })
    }
  }

  #told(answers: readonly HttpResponseMessage[]): void {
    const { process, to: from, record } = this.#options
    for (const { n, method, path, status, body } of answers) {
      const id = this.#idOf(n)
      this.#ids.delete(n)
      const incarnation = this.#incarnation
      record({
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

  #idOf(n: number): number {
    const known = this.#ids.get(n) ?? this.#options.nextRequest()
    this.#ids.set(n, known)
    return known
  }
}
