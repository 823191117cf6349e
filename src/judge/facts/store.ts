/**
 * What a store did with what it was sent, from its HTTP traffic: writes of messages and plants of tokens.
 *
 * Whether a write took effect is told by the rows of its answer, which the store reads from its tables,
 * and not by the outcome that is claimed. A request without an answer is `unknown`.
 */

import type { History } from '../../trace/history.ts'
import { jsonBody } from '../../trace/history.ts'
import type { StoreSetting } from '../setting.ts'

export interface StoreCall {
  readonly kind: 'write' | 'plant'
  readonly by: string
  readonly incarnation: number
  readonly resource: string
  readonly token: number
  /** Null for a plant. */
  readonly run: string | null
  readonly seq: number | null
  /** `accepted`: a row was written, or the token planted. `failed`: any other answer than the known. */
  readonly outcome: 'accepted' | 'duplicate' | 'refused' | 'failed' | 'unknown'
  readonly asked: { readonly i: number; readonly t: number }
  /** When the answer left; when it was asked, if there is none. */
  readonly i: number
  readonly t: number
}

/** All calls, in the order of their answers. */
export function storeCalls(history: History, store: StoreSetting): readonly StoreCall[] {
  const { write, plant, refusedStatus } = store
  return history.http
    .exchanges(store.server)
    .flatMap(({ request, response }): StoreCall[] => {
      const sent = request.method === 'POST' ? jsonBody(request.body) : null
      const kind =
        request.path === write.path ? 'write' : request.path === plant?.path ? 'plant' : null
      if (!sent || !kind) return []
      const names = kind === 'write' ? write : plant!
      const token = sent[names.token]
      if (typeof token !== 'number') return []
      const { i, t } = response ?? request
      return [
        {
          kind,
          by: request.process,
          incarnation: request.incarnation,
          resource: String(sent[names.resource]),
          token,
          run: kind === 'write' ? String(sent[write.run]) : null,
          seq: kind === 'write' ? Number(sent[write.seq]) : null,
          outcome: response
            ? outcomeOf(kind, response.status, response.body, write.rows, refusedStatus)
            : 'unknown',
          asked: { i: request.i, t: request.t },
          i,
          t,
        },
      ]
    })
    .sort((a, b) => a.i - b.i)
}

/** Writes that took effect, in the order of their answers. */
export function storeEffects(history: History, store: StoreSetting): readonly StoreCall[] {
  return storeCalls(history, store).filter(
    ({ kind, outcome }) => kind === 'write' && outcome === 'accepted',
  )
}

function outcomeOf(
  kind: StoreCall['kind'],
  status: number,
  body: string,
  rows: string,
  refusedStatus: number,
): StoreCall['outcome'] {
  if (status === refusedStatus) return 'refused'
  if (status !== 200) return 'failed'
  if (kind === 'plant') return 'accepted'
  const written = jsonBody(body)?.[rows]
  if (!Array.isArray(written)) return 'failed'
  return written.length > 0 ? 'accepted' : 'duplicate'
}
