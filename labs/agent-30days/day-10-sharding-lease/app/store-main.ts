/**
 * The store: message tables behind HTTP and JSON, and the host of `appendMessage`.
 *
 * `POST /plant    { shard, token }`                                200 planted · 409 stale
 * `POST /messages { shard, token, runId, seq, userId, body }`      200 accepted · 200 duplicate · 409 refused
 * `GET  /rows`                                                     all rows, runs and fences
 *
 * With `DATABASE_URL` the tables are in Postgres, else in memory. A database that fails is answered with
 * 503; the store goes on then.
 *
 * Each answer tells what the tables did (`commit`, `highestToken`), which is read from them and not
 * from the outcome that `appendMessage` claims. Settings: `PORT` (default 7310) and `DATABASE_…`.
 */

import { orUnavailable, tablesOf } from 'agent-30days-shared/database.ts'
import { type Answer, serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { portOf } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import type { MessageRow } from 'leaselab/messages'
import { appendMessage } from '#exercises/store.ts'
import { checkAppend, checkInserted } from './contract.ts'

type Body = Readonly<Record<string, unknown>>

const port = portOf(process.env, 7310)
const tables = await tablesOf(process.env)

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
    runId: stringIn(body, 'runId'),
    seq: numberIn(body, 'seq'),
    userId: stringIn(body, 'userId'),
    body: stringIn(body, 'body'),
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
    if (outcome === 'accepted') {
      // Its first message makes the run, and sets it going.
      const { isNew } = await tx.createRun(row.runId, row.runId)
      if (isNew) await tx.moveRun({ runId: row.runId, to: 'running' })
    }
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

function numberIn(body: Body, name: string): number {
  const value = body[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`${name}: expected a whole number, got ${JSON.stringify(value)}`)
}

function stringIn(body: Body, name: string): string {
  const value = body[name]
  if (typeof value === 'string') return value
  throw new Error(`${name}: expected a string, got ${JSON.stringify(value)}`)
}

const server = serveJson(
  port,
  orUnavailable({ 'POST /plant': plant, 'POST /messages': append, 'GET /rows': dump }),
  (error) => {
    say('store.error', { error: textOf(error) })
    if (isSlip(error)) endWith(error)
  },
)
server.on('listening', () => say('store.ready', { port }))

process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  void tables.close()
})
