/**
 * What became of runs, from the servers' side: what the store was asked and answered, which entries
 * Redis handed to whom, and which were acknowledged.
 */

import { type History, type HttpExchange, jsonBody } from '../../../../src/judge/index.ts'
import { GATEWAY, GROUP, STORE, STREAM } from './setting.ts'

/** A request to the store about one run. */
export interface StoreCall {
  readonly exchange: HttpExchange
  readonly by: string
  readonly runId: string
  /** Of the run, as the store answered it; null if it did not. */
  readonly status: string | null
  /** True if this call wrote the run's result. */
  readonly wrote: boolean
}

/** One entry of the stream and its way. */
export interface Handed {
  readonly entryId: string
  readonly runId: string
  /** To whom it was handed, in order. */
  readonly to: readonly { readonly process: string; readonly i: number; readonly t: number }[]
}

/** Requests to `/runs/begin` or `/runs/finish`, in the order of their arrival. */
export function storeCalls(
  history: History,
  path: '/runs/begin' | '/runs/finish',
): readonly StoreCall[] {
  return history.http.exchanges(STORE).flatMap((exchange) => {
    const { request, response } = exchange
    const sent = request.path === path ? jsonBody(request.body) : null
    if (!sent) return []
    const got = response?.status === 200 ? jsonBody(response.body) : null
    return [
      {
        exchange,
        by: request.process,
        runId: String(sent.runId),
        status: typeof got?.status === 'string' ? got.status : null,
        wrote: got?.outcome === 'accepted',
      },
    ]
  })
}

/** Runs that the gateway took in, in order: id and text. */
export function acceptedRuns(
  history: History,
): readonly { readonly runId: string; readonly text: string; readonly t: number }[] {
  return history.http.exchanges(GATEWAY).flatMap(({ request, response }) => {
    if (request.method !== 'POST' || request.path !== '/runs' || response?.status !== 202) return []
    const runId = jsonBody(response.body)?.runId
    const text = jsonBody(request.body)?.text
    return typeof runId === 'string' ? [{ runId, text: String(text), t: response.t }] : []
  })
}

/** Entries of `stream` that Redis handed out: by a read, or by a takeover. */
export function handedOut(history: History, stream = STREAM): readonly Handed[] {
  const found = new Map<
    string,
    { runId: string; to: { process: string; i: number; t: number }[] }
  >()
  for (const { command, answer } of history.redis.exchanges()) {
    const name = command.argv[0]
    if (!answer || !command.argv.includes(stream)) continue
    if (name !== 'XREADGROUP' && name !== 'XAUTOCLAIM' && name !== 'XREAD') continue
    for (const [entryId, runId] of entriesIn(answer.reply)) {
      const handed = found.get(entryId) ?? { runId, to: [] }
      handed.to.push({ process: command.process, i: answer.i, t: answer.t })
      found.set(entryId, handed)
    }
  }
  return [...found].map(([entryId, { runId, to }]) => ({ entryId, runId, to }))
}

/** Acknowledgements of one entry that took it off the pending list. */
export function acknowledgementOf(history: History, entryId: string) {
  for (const { command, answer } of history.redis.exchanges()) {
    const { argv, process } = command
    if (argv[0] !== 'XACK' || argv[2] !== GROUP || !argv.includes(entryId)) continue
    if (answer?.reply === 1) return { process, i: answer.i, t: answer.t }
  }
  return null
}

/** Entry id and run id of whatever entries a reply holds, however deep. */
function entriesIn(reply: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(reply)) return []
  const [id, fields] = reply as readonly unknown[]
  // XAUTOCLAIM begins with a cursor, which looks like an id; what follows it is a list of entries.
  const isEntry = Array.isArray(fields) && fields.every((field) => typeof field === 'string')
  if (typeof id === 'string' && isEntry) {
    const at = fields.indexOf('runId')
    return at < 0 ? [] : [[id, String(fields[at + 1])]]
  }
  return reply.flatMap(entriesIn)
}
