/**
 * The worker's way to the store. Silence and errors of the server are tried again for as long as the
 * holding may act: a message is unique by run and seq, so a second try cannot write it twice.
 */

import { type Answer, JsonClient, NoAnswer } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import type { Entry } from '#exercises/worker.ts'
import { type Holding, LeaseLost } from './holding.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

export class StoreClient {
  readonly #http: JsonClient
  readonly #timeoutMs: number

  constructor(url: string, timeoutMs: number) {
    this.#http = new JsonClient(url)
    this.#timeoutMs = timeoutMs
  }

  /** Makes the holding's token known. Rejects with `LeaseLost` when the store knows a larger one. */
  async plant(holding: Holding): Promise<void> {
    const { shard, token } = holding
    const answer = await this.#insist('/plant', { shard, token }, holding)
    if (answer.status === 409) throw new LeaseLost(`the store knows a larger token than ${token}`)
  }

  /** The one effect of handling a message. */
  async append(holding: Holding, entry: Entry): Promise<'accepted' | 'duplicate' | 'refused'> {
    const { shard, token } = holding
    const { runId, seq, userId, text } = entry
    const row = { shard, token, runId, seq, userId, body: `answer to: ${text}` }
    const answer = await this.#insist('/messages', row, holding)
    if (answer.status === 409) return 'refused'
    return answer.body.outcome === 'duplicate' ? 'duplicate' : 'accepted'
  }

  close(): void {
    this.#http.close()
  }

  async #insist(path: string, body: unknown, holding: Holding): Promise<Answer> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (!holding.mayAct()) throw new LeaseLost(`shard ${holding.shard} is lost`)
      try {
        const answer = await this.#http.post(path, body, this.#timeoutMs)
        if (answer.status === 200 || answer.status === 409) return answer
        say('store.failed', { path, status: answer.status, error: String(answer.body.error ?? '') })
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        say('store.failed', { path, error: textOf(error) })
      }
      await holding.sleep(pauseMs)
    }
  }
}
