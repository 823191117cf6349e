/**
 * What the store answers: message tables behind HTTP and JSON, and the host of `appendMessage`.
 *
 * `POST /plant    { shard, token }`                                200 planted · 409 stale
 * `POST /messages { shard, token, runId, seq, userId, body }`      200 accepted · 200 duplicate · 409 refused
 * `GET  /rows`                                                     all rows, runs and fences
 *
 * Each answer tells what the tables did (`commit`, `highestToken`), which is read from them and not
 * from the outcome that `appendMessage` claims.
 */

import type { Answer, Route } from 'agent-30days-shared/json-http.ts'
import { say } from 'agent-30days-shared/log.ts'
import { numberIn, textIn } from 'agent-30days-shared/settings.ts'
import type { MessageRow, MessageTables, TablesTx } from 'leaselab/messages'
import { appendMessage } from '#exercises/store.ts'
import { checkAppend, checkInserted } from './contract.ts'

type Body = Readonly<Record<string, unknown>>

/** `written` runs in the transaction of every message that is new. */
export function messageRoutes(
  tables: MessageTables,
  written: (tx: TablesTx, row: MessageRow) => Promise<unknown>,
): Readonly<Record<string, Route>> {
  /** A new holder makes its token known before its first message, so that no older one slips in. */
  async function plant(body: Body): Promise<Answer> {
    const shard = numberIn(body, 'shard')
    const token = numberIn(body, 'token')
    const { value: fence } = await tables.transaction((tx) => tx.passFence(shard, token))
    const planted = fence.kind === 'passed'
    const highestToken = planted ? token : fence.highestToken
    if (!planted) say('store.plant', { outcome: 'stale', shard, token, highestToken })
    return {
      status: planted ? 200 : 409,
      body: { outcome: planted ? 'planted' : 'stale', shard, token, highestToken },
    }
  }

  async function append(body: Body): Promise<Answer> {
    const row: MessageRow = {
      shard: numberIn(body, 'shard'),
      token: numberIn(body, 'token'),
      runId: textIn(body, 'runId'),
      seq: numberIn(body, 'seq'),
      userId: textIn(body, 'userId'),
      body: textIn(body, 'body'),
    }
    const { value, commit } = await tables.transaction(async (tx) => {
      let rowsWritten = 0
      const counted = {
        ...tx,
        insertMessage: async (inserted: MessageRow) => {
          checkInserted(inserted, row)
          const isNew = await tx.insertMessage(row)
          if (isNew) rowsWritten += 1
          return isNew
        },
      }
      const answered = await appendMessage(counted, { ...row })
      const highestToken = await tx.highestToken(row.shard)
      const outcome = checkAppend(answered, rowsWritten, highestToken)
      if (outcome === 'accepted') await written(tx, row)
      return { outcome, highestToken }
    })
    const { outcome, highestToken } = value
    const { shard, token, runId, seq } = row
    const told = { outcome, shard, token, runId, seq, highestToken, commit: commit.commit }
    say('store.append', told)
    const rows = commit.rows.map((written) => [written.runId, written.seq, written.token])
    return { status: outcome === 'refused' ? 409 : 200, body: { ...told, rows } }
  }

  async function dump(): Promise<Answer> {
    const [rows, runs, fences] = await Promise.all([
      tables.messages(),
      tables.runs(),
      tables.fences(),
    ])
    return { status: 200, body: { rows, runs, fences } }
  }

  return { 'POST /plant': plant, 'POST /messages': append, 'GET /rows': dump }
}
