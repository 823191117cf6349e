/**
 * The gateway's life: it listens, sweeps old rows of the panel away, and goes.
 *
 * On SIGTERM readiness goes red first, so that whoever spreads the requests looks elsewhere; only then
 * it stops to listen, answers what it has, and ends. A second signal changes nothing.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import { say } from 'agent-30days-shared/log.ts'
import type { Redis } from 'ioredis'
import { sweepRows } from '#exercises/presence.ts'
import type { GatewayConfig } from './config.ts'
import { type Accept, Gateway } from './gateway.ts'
import type { RunStore } from './run-store.ts'

/** Serves until SIGTERM; then lets go of `redis` and `store`. */
export function serveGateway(
  config: GatewayConfig,
  redis: Redis,
  store: RunStore,
  accept?: Accept,
): void {
  const { times, port } = config
  const gateway = new Gateway(config, redis, store, accept)
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
}
