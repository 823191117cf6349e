/**
 * The store as a process: day 10's routes, and those of the runs. With `DATABASE_URL` in Postgres.
 *
 * `POST /runs/open  { runId, idempotencyKey }`   `{ runId, status }`
 * `POST /runs/begin { runId, shard, token }`     200 `{ runId, status }` · 409 fenced off
 * `POST /runs/fail  { runId, shard, token }`     the same
 * `GET  /runs`, `GET /healthz`
 *
 * A run goes `queued → running → done | failed`; what it has come to stays. It becomes `done` in the
 * transaction that writes its message. A status is a write too, so it is fenced like one. Settings:
 * `PORT` (default 7316) and `DATABASE_…`.
 */

import { orUnavailable, tablesOf } from 'agent-30days-shared/database.ts'
import { type Answer, serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { numberIn, portOf, textIn } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { messageRoutes } from 'day-10-sharding-lease/app/store-routes.ts'
import type { RunStatus } from 'leaselab/messages'
import { runIdOf } from './run-id.ts'

type Body = Readonly<Record<string, unknown>>

const port = portOf(process.env, 7316)
const tables = await tablesOf(process.env)

async function open(body: Body): Promise<Answer> {
  const [runId, key] = [textIn(body, 'runId'), textIn(body, 'idempotencyKey')]
  const { value } = await tables.transaction(async (tx) => {
    // Its worker may be quicker than the gateway that opens it.
    return (await tx.findRun(runId)) ?? (await tx.createRun(runId, key)).run
  })
  return { status: 200, body: { runId: value.runId, status: value.status } }
}

function moves(to: RunStatus): (body: Body) => Promise<Answer> {
  return async (body) => {
    const runId = textIn(body, 'runId')
    const [shard, token] = [numberIn(body, 'shard'), numberIn(body, 'token')]
    const { value: status } = await tables.transaction(async (tx) => {
      if ((await tx.findRun(runId)) === null) await tx.createRun(runId, runId)
      const outcome = await tx.moveRun({ runId, to, fence: { shard, token } })
      if (outcome.kind === 'refused') return 'refused' as const
      return outcome.kind === 'not-from-there' ? outcome.from : to
    })
    return { status: status === 'refused' ? 409 : 200, body: { runId, shard, token, status } }
  }
}

async function list(): Promise<Answer> {
  return { status: 200, body: { runs: await tables.runs() } }
}

async function health(): Promise<Answer> {
  return { status: 200, body: { status: 'ok' } }
}

const routes = messageRoutes(tables, async (tx, { runId, seq }) => {
  const id = runIdOf(runId, seq)
  if ((await tx.findRun(id)) === null) await tx.createRun(id, id)
  await tx.moveRun({ runId: id, to: 'running' })
  await tx.moveRun({ runId: id, to: 'done' })
})
const server = serveJson(
  port,
  orUnavailable({
    ...routes,
    'POST /runs/open': open,
    'POST /runs/begin': moves('running'),
    'POST /runs/fail': moves('failed'),
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
