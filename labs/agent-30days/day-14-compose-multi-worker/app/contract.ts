/**
 * What the programs require of the exercises' answers. Each check passes a right answer on and throws a
 * `ContractError` for any other.
 */

import { broken } from 'agent-30days-shared/slip.ts'
import type { Panel, WorkerLine } from '#exercises/panel.ts'

/** `isAlive` must give true or false. */
export function checkAlive(alive: unknown): boolean {
  if (typeof alive === 'boolean') return alive
  throw broken('heartbeat.ts: isAlive', 'true or false', alive, 'Return the comparison itself.')
}

/** `summarize` must give a panel with its five members; whether they are right is not looked at. */
export function checkPanel(panel: unknown): Panel {
  const { status, total, alive, stale, workers } = (panel ?? {}) as Partial<Panel>
  const counts = [total, alive, stale].every((count) => Number.isInteger(count))
  if ((status === 'ok' || status === 'degraded') && counts && Array.isArray(workers)) {
    return panel as Panel
  }
  throw broken(
    'panel.ts: summarize',
    "{ status: 'ok' or 'degraded', total, alive, stale, workers }",
    panel,
    'Return all five: three whole numbers, and the lines as they came.',
  )
}

/** `readiness` must give true or false. */
export function checkReady(ready: unknown): boolean {
  if (typeof ready === 'boolean') return ready
  throw broken('panel.ts: readiness', 'true or false', ready, 'It was right as given.')
}

/** `runsStream`, `leaseKey` and their like must give a name. */
export function checkKey(key: unknown, where: string): string {
  if (typeof key === 'string' && key !== '') return key
  throw broken(`env.ts: ${where}`, 'the name of a key', key, 'Let namespaced return a string.')
}

export type { WorkerLine }
