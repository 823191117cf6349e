/**
 * A customer: sends runs to the gateway, each as soon as the one before is accepted.
 *
 * Settings: `GATEWAY_URL` (default http://127.0.0.1:3014), `RUNS` (JSON: a list of
 * `{ "text": …, "workMs"?: …, "key"?: … }`, the key being the `Idempotency-Key`).
 */

import { setTimeout as pause } from 'node:timers/promises'
import { JsonClient, NoAnswer } from 'agent-30days-shared/json-http.ts'
import { say } from 'agent-30days-shared/log.ts'
import { required } from 'agent-30days-shared/settings.ts'

interface Order {
  readonly text: string
  readonly workMs?: number
  readonly key?: string
}

const gateway = new JsonClient(process.env.GATEWAY_URL ?? 'http://127.0.0.1:3014')
const orders = JSON.parse(required(process.env, 'RUNS', 'such as [{"text":"hello"}]')) as Order[]

for (const order of orders) await send(order)
say('customer.done', { sent: orders.length })
gateway.close()

/** Waits for a gateway that starts later than we do; any other silence is for a person to judge. */
async function send({ key, ...order }: Order): Promise<void> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  for (;;) {
    try {
      const { status, body } = await gateway.post('/runs', order, 5000, headers)
      if (status === 202) return say('customer.sent', { runId: String(body.runId) })
      throw new Error(`the gateway answered ${status}: ${String(body.error)}`)
    } catch (error) {
      if (!(error instanceof NoAnswer) || !error.refused) throw error
      await pause(50)
    }
  }
}
