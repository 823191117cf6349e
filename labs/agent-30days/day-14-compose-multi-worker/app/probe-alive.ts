/**
 * Asks `isAlive` directly. `AGES` lists what is asked: `[[beatAtMs, nowMs, staleMs], …]`. Prints each
 * answer.
 */

import { say } from 'agent-30days-shared/log.ts'
import { isAlive } from '#exercises/heartbeat.ts'
import { checkAlive } from './contract.ts'

const ages = JSON.parse(process.env.AGES ?? '[]') as readonly (readonly [number, number, number])[]

for (const [beatAtMs, nowMs, staleMs] of ages) {
  say('alive.answer', { alive: checkAlive(isAlive(beatAtMs, nowMs, staleMs)) })
}
