/**
 * A visitor: asks the gateway for some pages, one after the other, and says what it got.
 *
 * Settings: `GATEWAY_URL` (default http://127.0.0.1:3014), `PAGES` (default `/healthz,/readyz`).
 */

import { setTimeout as pause } from 'node:timers/promises'
import { JsonClient, NoAnswer } from 'agent-30days-shared/json-http.ts'
import { say } from 'agent-30days-shared/log.ts'

const gateway = new JsonClient(process.env.GATEWAY_URL ?? 'http://127.0.0.1:3014')

for (const path of (process.env.PAGES ?? '/healthz,/readyz').split(',')) await visit(path)
gateway.close()

async function visit(path: string): Promise<void> {
  for (;;) {
    try {
      const { status, body } = await gateway.get(path, 5000)
      return say('visited', { path, status, body: JSON.stringify(body) })
    } catch (error) {
      if (!(error instanceof NoAnswer) || !error.refused) throw error
      await pause(50)
    }
  }
}
