/**
 * What a lab's store did, from its HTTP answers: plants of tokens, and messages appended or refused.
 *
 * The store reads `rows`, `commit` and `highestToken` of an answer from its tables, so they tell what
 * was written, whatever outcome the exercise inside it claims. It shares a process with that exercise:
 * code that replaces `JSON.stringify` there could still lie.
 */

import type { History, HttpExchange } from '../trace/history.ts'
import { jsonBody } from '../trace/history.ts'

export interface Plant {
  readonly exchange: HttpExchange
  readonly by: string
  readonly shard: number
  readonly token: number
  readonly planted: boolean
}

export interface Append {
  readonly exchange: HttpExchange
  readonly by: string
  readonly shard: number
  readonly token: number
  readonly runId: string
  readonly seq: number
  /** `silent`: no answer left the store. `failed`: an answer that is neither 200 nor 409. */
  readonly outcome: 'accepted' | 'duplicate' | 'refused' | 'failed' | 'silent'
  /** True if a row was written. */
  readonly wrote: boolean
  /** Number of the commit that wrote it; 0 if nothing was written. */
  readonly commit: number
  /** Text of a failed answer. */
  readonly error: string | null
}

/** Requests to `/plant` in the order of their arrival. */
export function plants(history: History, store: string): readonly Plant[] {
  return posts(history, store, '/plant').map(({ exchange, sent }) => ({
    exchange,
    by: exchange.request.process,
    shard: numberOf(sent.shard),
    token: numberOf(sent.token),
    planted: exchange.response?.status === 200,
  }))
}

/** Requests to `/messages` in the order of their arrival. */
export function appends(history: History, store: string): readonly Append[] {
  return posts(history, store, '/messages').map(({ exchange, sent }) => {
    const { request, response } = exchange
    const body = (response && jsonBody(response.body)) ?? {}
    const wrote = Array.isArray(body.rows) && body.rows.length > 0
    return {
      exchange,
      by: request.process,
      shard: numberOf(sent.shard),
      token: numberOf(sent.token),
      runId: String(sent.runId),
      seq: numberOf(sent.seq),
      outcome: outcomeOf(response?.status ?? null, body.outcome, wrote),
      wrote,
      commit: wrote ? numberOf(body.commit) : 0,
      error: typeof body.error === 'string' ? body.error : null,
    }
  })
}

/** Messages that were written, in the order of their commits. */
export function effects(history: History, store: string): readonly Append[] {
  return appends(history, store)
    .filter((append) => append.wrote)
    .sort((a, b) => a.commit - b.commit)
}

/** What a write did that should not have been there. */
export interface OutOfPlace {
  /** `token`: smaller than one that had written to the shard. `order`: not the next of its run. */
  readonly kind: 'token' | 'order'
  readonly got: string
}

/** The first of these writes, in the order of their commits, that is out of place. */
export function firstOutOfPlace(written: readonly Append[]): OutOfPlace | null {
  const highest = new Map<number, number>()
  const next = new Map<string, number>()
  for (const { shard, token, runId, seq } of written) {
    if (token < (highest.get(shard) ?? 0)) {
      return { kind: 'token', got: `token ${token} wrote after ${highest.get(shard)}` }
    }
    highest.set(shard, token)
    const due = next.get(runId) ?? 1
    if (seq !== due) {
      return { kind: 'order', got: `${runId}: message ${seq} came when ${due} was due` }
    }
    next.set(runId, due + 1)
  }
  return null
}

function posts(history: History, store: string, path: string) {
  return history.http.exchanges(store).flatMap((exchange) => {
    const { method, path: asked, body } = exchange.request
    const sent = method === 'POST' && asked === path ? jsonBody(body) : null
    return sent ? [{ exchange, sent }] : []
  })
}

function outcomeOf(status: number | null, outcome: unknown, wrote: boolean): Append['outcome'] {
  if (status === null) return 'silent'
  if (status === 409) return 'refused'
  if (status !== 200) return 'failed'
  return wrote ? 'accepted' : outcome === 'duplicate' ? 'duplicate' : 'failed'
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN
}
