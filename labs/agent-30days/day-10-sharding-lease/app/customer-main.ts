/**
 * A customer: sends messages to the gateway, each as soon as the one before is accepted.
 *
 * Settings: `GATEWAY_URL` (default http://127.0.0.1:3010), `MESSAGES` (JSON: `[["u-1001","text"], …]`).
 */

import { setTimeout as pause } from 'node:timers/promises'
import { JsonClient, NoAnswer } from 'agent-30days-shared/json-http.ts'
import { say } from 'agent-30days-shared/log.ts'
import { required } from 'agent-30days-shared/settings.ts'

const gateway = new JsonClient(process.env.GATEWAY_URL ?? 'http://127.0.0.1:3010')
const messages = JSON.parse(
  required(process.env, 'MESSAGES', 'such as [["u-1001","cancel the order"]]'),
) as readonly (readonly [userId: string, text: string])[]

for (const [userId, text] of messages) await send(userId, text)
say('customer.done', { sent: messages.length })
gateway.close()

/** Waits for a gateway that starts later than we do; any other silence is for a person to judge. */
async function send(userId: string, text: string): Promise<void> {
  for (;;) {
    try {
      const { status, body } = await gateway.post('/messages', { userId, text }, 5000)
      if (status === 202) return
      throw new Error(`the gateway answered ${status}: ${String(body.error)}`)
    } catch (error) {
      // Sending again after a lost answer would publish the message twice.
      if (!(error instanceof NoAnswer) || !error.refused) throw error
      await pause(50)
    }
  }
}
