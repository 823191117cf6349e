/**
 * Writes traces by hand, for tests of what reads them. Time stands still until `at` moves it.
 */

import type { ReplyValue, TraceEvent, Unplaced } from '../../src/trace/events.ts'

export class TraceScript {
  readonly events: TraceEvent[] = []
  #nowUs = 0
  #ids = 0
  #conn = 1

  /** The next events happen at this time. */
  at(ms: number): this {
    this.#nowUs = Math.round(ms * 1000)
    return this
  }

  get nowMs(): number {
    return this.#nowUs / 1000
  }

  put(event: Unplaced): this {
    this.events.push({ i: this.events.length, t: this.#nowUs, ...event } as TraceEvent)
    return this
  }

  said(process: string, event: string, fields: object = {}, incarnation = 1): this {
    const text = JSON.stringify({ event, ...fields })
    return this.put({ kind: 'process.output', process, incarnation, stream: 'stdout', text })
  }

  started(process: string, incarnation = 1): this {
    return this.put({ kind: 'process.started', process, incarnation, program: `${process}.ts` })
  }

  killed(process: string): this {
    const how = { code: null, signal: 'SIGKILL', cause: 'signal' } as const
    return this.put({ kind: 'process.exited', process, incarnation: 1, ...how })
  }

  signalled(process: string, signal: string): this {
    return this.put({ kind: 'process.signalled', process, incarnation: 1, signal })
  }

  net(kind: 'net.opened' | 'net.refused', process: string, to: string): this {
    return this.put({ kind, process, incarnation: 1, conn: 0, to })
  }

  /** The run was watched until this time. */
  ends(ms: number): this {
    return this.at(ms).put({ kind: 'world.ended', why: 'until', detail: null, never: [] })
  }

  bit(step: string, verb: string, process: string): this {
    return this.put({ kind: 'fault.bit', step, verb, process })
  }

  verb(kind: 'process.frozen' | 'process.thawed', process: string): this {
    return this.put({ kind, process, incarnation: 1 })
  }

  /** The next commands go over this connection. */
  over(conn: number): this {
    this.#conn = conn
    return this
  }

  /** A command, the changes it makes, and its answer, all in one instant. */
  redis(
    process: string,
    argv: readonly string[],
    reply: ReplyValue,
    ...effects: {
      readonly op: 'set' | 'expire' | 'del' | 'write'
      readonly key: string
      readonly value?: string
      readonly expireAtMs?: number | null
    }[]
  ): this {
    this.#ids += 1
    const id = this.#ids
    const from = { process, incarnation: 1, server: 'redis' }
    this.put({ kind: 'redis.command', id, ...from, conn: this.#conn, argv })
    for (const { op, key, value = null, expireAtMs = null } of effects) {
      const expireAt = expireAtMs === null ? null : expireAtMs * 1000
      this.put({ kind: 'redis.effect', server: 'redis', id, op, key, value, expireAt })
    }
    return this.put({ kind: 'redis.reply', id, ...from, command: argv[0] ?? '', reply })
  }

  lapsed(key: string): this {
    const effect = { op: 'expired', key, value: null, expireAt: null } as const
    return this.put({ kind: 'redis.effect', server: 'redis', id: null, ...effect })
  }

  /** A process ends by itself. */
  exited(process: string, code = 0): this {
    return this.put({
      kind: 'process.exited',
      process,
      incarnation: 1,
      code,
      signal: null,
      cause: 'exit',
    })
  }

  /** A POST and its answer; without a status it is never answered. */
  post(
    process: string,
    to: string,
    path: string,
    sent: object,
    status?: number,
    got?: object,
  ): this {
    return this.#ask('POST', process, to, path, JSON.stringify(sent), status, got)
  }

  /** A GET and its answer. */
  get(process: string, to: string, path: string, status: number, got: object): this {
    return this.#ask('GET', process, to, path, '', status, got)
  }

  #ask(
    method: string,
    process: string,
    to: string,
    path: string,
    sent: string,
    status?: number,
    got?: object,
  ): this {
    this.#ids += 1
    const shared = { id: this.#ids, process, incarnation: 1, method, path }
    this.put({ kind: 'http.request', ...shared, to, body: sent })
    if (status === undefined) return this
    const body = JSON.stringify(got ?? {})
    return this.put({ kind: 'http.response', ...shared, from: to, status, body })
  }
}
