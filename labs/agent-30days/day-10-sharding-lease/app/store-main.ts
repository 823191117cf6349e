/**
 * The store as a process: see store-routes.ts.
 *
 * With `DATABASE_URL` the tables are in Postgres, else in memory. A database that fails is answered with
 * 503; the store goes on then. Settings: `PORT` (default 7310) and `DATABASE_…`.
 */

import { orUnavailable, tablesOf } from 'agent-30days-shared/database.ts'
import { serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { portOf } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { messageRoutes } from './store-routes.ts'

const port = portOf(process.env, 7310)
const tables = await tablesOf(process.env)
const routes = messageRoutes(tables, async (tx, { runId }) => {
  // Its first message makes the run, and sets it going.
  const { isNew } = await tx.createRun(runId, runId)
  if (isNew) await tx.moveRun({ runId, to: 'running' })
})
const server = serveJson(port, orUnavailable(routes), (error) => {
  say('store.error', { error: textOf(error) })
  if (isSlip(error)) endWith(error)
})
server.on('listening', () => say('store.ready', { port }))

process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  void tables.close()
})
