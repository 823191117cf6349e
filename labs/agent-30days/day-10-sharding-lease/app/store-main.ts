/** The store as a process, in memory: see store-routes.ts. Settings: `PORT` (default 7310). */

import { serveJson } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'
import { portOf } from 'agent-30days-shared/settings.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { memoryTables } from 'leaselab/messages'
import { messageRoutes } from './store-routes.ts'

const port = portOf(process.env, 7310)
const routes = messageRoutes(memoryTables(), (tx, row) =>
  tx.openRun(row.runId, row.runId, 'running'),
)
const server = serveJson(port, routes, (error) => {
  say('store.error', { error: textOf(error) })
  if (isSlip(error)) endWith(error)
})
server.on('listening', () => say('store.ready', { port }))

process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
