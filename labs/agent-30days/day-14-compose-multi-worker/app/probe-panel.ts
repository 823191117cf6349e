/**
 * Asks `summarize` about fixed lines, and `readiness` after each of them. `LINES` is a JSON list of lists
 * of lines. Prints each answer.
 */

import { say } from 'agent-30days-shared/log.ts'
import { readiness, summarize, type WorkerLine } from '#exercises/panel.ts'
import { checkPanel, checkReady } from './contract.ts'

const cases = JSON.parse(process.env.LINES ?? '[]') as readonly (readonly WorkerLine[])[]

for (const lines of cases) {
  const panel = checkPanel(summarize(lines))
  say('panel.answer', { panel: JSON.stringify(panel) })
  const answers = [true, false].flatMap((redis) =>
    [true, false].map((store) => checkReady(readiness({ redis, store }))),
  )
  say('readiness.answer', { answers: answers.map(Number) })
}
