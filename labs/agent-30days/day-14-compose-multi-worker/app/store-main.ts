/**
 * The store: the runs' tables behind HTTP and JSON, in Postgres where `DATABASE_URL` is set, else in memory.
 *
 * `POST /runs/open   { runId, idempotencyKey }`            `{ runId, status }`
 * `POST /runs/find   { runId }`                            `{ runId, status }`, null if there is none
 * `POST /runs/begin  { runId, workerId }`                  `{ runId, status }`
 * `POST /runs/finish { runId, workerId, status, text }`    `{ runId, status, outcome, commit }`
 * `GET  /runs`, `GET /healthz`
 *
 * What is answered is read from the tables. Settings: `PORT` (default 7314) and `DATABASE_…`.
 */

import { orUnavailable, tablesOf } from 'agent-30days-shared/database.ts'
import { type Answer, serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { portOf, textIn } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'

type Body = Readonly<Record<string, unknown>>

const port = portOf(process.env, 7314)
const tables = await tablesOf(process.env)

async function open(body: Body): Promise<Answer> {
  const [runId, key] = [textIn(body, 'runId'), textIn(body, 'idempotencyKey')]
  const { value } = await tables.transaction((tx) => tx.createRun(runId, key))
  return { status: 200, body: { runId: value.run.runId, status: value.run.status } }
}

async function find(body: Body): Promise<Answer> {
  const runId = textIn(body, 'runId')
  const { value } = await tables.transaction((tx) => tx.findRun(runId))
  return { status: 200, body: { runId, status: value?.status ?? null } }
}

async function begin(body: Body): Promise<Answer> {
  const runId = textIn(body, 'runId')
  const { value: status } = await tables.transaction(async (tx) => {
    await tx.moveRun({ runId, to: 'running' })
    return (await tx.findRun(runId))?.status ?? null
  })
  if (status === null) return { status: 404, body: { error: `there is no run ${runId}` } }
  return { status: 200, body: { runId, status } }
}

/** Unique by run: whoever comes second with a result, after a freeze for example, writes nothing. */
async function finish(body: Body): Promise<Answer> {
  const [runId, text, ending] = [textIn(body, 'runId'), textIn(body, 'text'), endingIn(body)]
  const { value, commit } = await tables.transaction(async (tx) => {
    // Nothing is fenced in this lab, so there is no shard and no token to tell.
    const row = { shard: 0, token: 0, runId, seq: 1, userId: '', body: text }
    const isNew = await tx.insertMessage(row)
    if (isNew) {
      const move = await tx.moveRun({ runId, to: ending })
      // Thrown, so that the result goes with it: whoever has a result has begun.
      if (move.kind !== 'moved') throw new Error(`run ${runId} was not ${ending}: ${move.kind}`)
    }
    const run = await tx.findRun(runId)
    return { outcome: isNew ? 'accepted' : 'duplicate', status: run?.status ?? null }
  })
  return { status: 200, body: { runId, ...value, commit: commit.commit } }
}

async function list(): Promise<Answer> {
  const [runs, results] = await Promise.all([tables.runs(), tables.messages()])
  return { status: 200, body: { runs, results } }
}

async function health(): Promise<Answer> {
  return { status: 200, body: { status: 'ok' } }
}

function endingIn(body: Body): 'done' | 'failed' {
  const { status } = body
  if (status === 'done' || status === 'failed') return status
  throw new Error(`status: expected done or failed, got ${JSON.stringify(status)}`)
}

const server = serveJson(
  port,
  orUnavailable({
    'POST /runs/open': open,
    'POST /runs/find': find,
    'POST /runs/begin': begin,
    'POST /runs/finish': finish,
    'GET /runs': list,
    'GET /healthz': health,
  }),
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
