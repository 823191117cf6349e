/**
 * Where runs are kept: the interface that gateway and workers go by, and its way over HTTP.
 *
 * A run goes `queued → running → done | failed`. Every call may be made twice: opening goes by the
 * idempotency key, a result is written once. Calls reject with `NoAnswer` or a `StoreError`; whether
 * they were carried out is then unknown, and the answer is to make them again.
 */

import { type Answer, JsonClient } from 'agent-30days-shared/json-http.ts'

export type RunStatus = 'queued' | 'running' | 'done' | 'failed'

export interface Run {
  readonly runId: string
  readonly status: RunStatus
}

export interface Result {
  readonly runId: string
  readonly workerId: string
  readonly status: 'done' | 'failed'
  /** What came out, or the text of what went wrong. */
  readonly text: string
}

export interface RunStore {
  /** The run with this idempotency key: the one that is there, or else a new one, `queued`. */
  open(runId: string, idempotencyKey: string): Promise<Run>
  /** Null if there is no such run. */
  find(runId: string): Promise<Run | null>
  /** A queued run is running from now on; the others stay what they are. Answers what it is. */
  begin(runId: string, workerId: string): Promise<RunStatus>
  /** Writes result and status in one step, unless the run has a result: then nothing is written. */
  finish(result: Result): Promise<'accepted' | 'duplicate'>
  /** Rejects if the store cannot be used. */
  ping(): Promise<void>
  close(): void
}

/** The store gave an answer that is none. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** The store of `store-main.ts`. Each call takes `timeoutMs` at most. */
export class HttpRunStore implements RunStore {
  readonly #http: JsonClient
  readonly #timeoutMs: number

  constructor(url: string, timeoutMs: number) {
    this.#http = new JsonClient(url)
    this.#timeoutMs = timeoutMs
  }

  async open(runId: string, idempotencyKey: string): Promise<Run> {
    const { body } = await this.#post('/runs/open', { runId, idempotencyKey })
    return { runId: String(body.runId), status: body.status as RunStatus }
  }

  async find(runId: string): Promise<Run | null> {
    const { body } = await this.#post('/runs/find', { runId })
    return body.status === null ? null : { runId, status: body.status as RunStatus }
  }

  async begin(runId: string, workerId: string): Promise<RunStatus> {
    const { body } = await this.#post('/runs/begin', { runId, workerId })
    return body.status as RunStatus
  }

  async finish(result: Result): Promise<'accepted' | 'duplicate'> {
    const { body } = await this.#post('/runs/finish', result)
    return body.outcome === 'accepted' ? 'accepted' : 'duplicate'
  }

  async ping(): Promise<void> {
    this.#check('/healthz', await this.#http.get('/healthz', this.#timeoutMs))
  }

  close(): void {
    this.#http.close()
  }

  async #post(path: string, body: object): Promise<Answer> {
    return this.#check(path, await this.#http.post(path, body, this.#timeoutMs))
  }

  #check(path: string, answer: Answer): Answer {
    if (answer.status === 200) return answer
    throw new StoreError(`${path}: the store answered ${answer.status}: ${answer.body.error ?? ''}`)
  }
}
