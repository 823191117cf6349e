/**
 * The gateway as a process. Settings: see config.ts and times.ts.
 *
 * On SIGTERM readiness goes red first, so that whoever spreads the requests looks elsewhere; only then
 * it stops to listen, answers what it has, and ends. A second signal changes nothing.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { say } from 'agent-30days-shared/log.ts'
import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { sweepRows } from '#exercises/presence.ts'
import { gatewayConfig } from './config.ts'
import { Gateway } from './gateway.ts'
import { HttpRunStore } from './run-store.ts'

const config = gatewayConfig(process.env)
const { times, port } = config
const redis = connectForCommands(config.redisUrl)
const store = new HttpRunStore(config.storeUrl, times.callTimeoutMs)
const gateway = new Gateway(config, redis, store)
const sweeping = setInterval(() => {
  sweepRows(redis, times.rowLifeMs).catch(() => {})
}, times.rowLifeMs / 10)
const server = serve({ fetch: gateway.app.fetch, port }, () => {
  say('gateway.ready', { port })
})

let leaving = false

async function leave(): Promise<void> {
  if (leaving) return
  leaving = true
  gateway.draining = true
  say('gateway.draining')
  await pause(times.unreadyMs)
  clearInterval(sweeping)
  server.close(() => {
    store.close()
    redis.disconnect()
  })
  if ('closeIdleConnections' in server) server.closeIdleConnections()
}

process.on('SIGTERM', () => void leave())
