/** All exercises at once: a rolling exit of one of two replicas, with runs waiting. */

import {
  type Check,
  complaint,
  ended,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  said,
  seen,
  start,
  violated,
} from '../../../../src/judge/index.ts'
import { linesOf, visited } from './beats.ts'
import { acceptedRuns, storeCalls } from './runs.ts'
import {
  A,
  B,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  STORE,
  storeProcess,
  type Times,
  visitorProcess,
  workerProcess,
} from './setting.ts'

const TERM = 'term-a'
const VISITOR = 'visitor'
const RUNS = 4

export function togetherCheck(times: Times): Omit<Check, 'id' | 'exercise'> {
  const orders = Array.from({ length: RUNS }, (_, n) => {
    return { text: `task ${n + 1}`, workMs: times.beatMs }
  })
  return {
    title: 'all files together: one of two replicas goes, with runs in hand and waiting',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        [A]: workerProcess(A, times),
        [B]: workerProcess(B, times),
        customer: customerProcess(orders, 'timeline'),
        [VISITOR]: visitorProcess(['/admin/workers', '/readyz']),
      },
      timeline: [
        { id: 'customer', when: { on: said(A, 'lease.held') }, do: start('customer') },
        { id: TERM, when: { on: ended('customer') }, do: { verb: 'term', process: A } },
        { id: VISITOR, when: { step: TERM, plusMs: 2 * times.leaseTtlMs }, do: start(VISITOR) },
      ],
      until: { on: ended(VISITOR), plusMs: times.whileMs },
      limitMs: times.limitMs,
    },
    judge: judgeTogether,
  }
}

/** Every run is done once, A has done no more than what it had in hand, and left no trace. */
export function judgeTogether(history: History): Finding {
  const expected = `${RUNS} runs done, each once; A ends what it has in hand and is forgotten`
  const early = endedByItself(history, [STORE, GATEWAY, B], expected, 'shutdown.ts')
  if (early) return early
  const term = history.lives.biteOf(TERM)
  const accepted = acceptedRuns(history)
  const begun = storeCalls(history, '/runs/begin').filter(({ by }) => by === A)
  if (!term || accepted.length < RUNS || begun.length === 0) {
    return inconclusive({ expected, got: `A never began a run.${complaint(history, A)}` })
  }
  const results = storeCalls(history, '/runs/finish').filter(({ wrote }) => wrote)
  const evidence = [
    seen(term, A, 'SIGTERM'),
    ...results.map(({ exchange, by, runId }) => {
      const run = accepted.find((each) => each.runId === runId)
      return seen(exchange.response!, by, `${run?.text ?? runId} done`)
    }),
  ]
  const fail = (got: string, file: string, hint: string) =>
    violated({ expected, got, evidence, file, hint })
  const byA = results.filter(({ by }) => by === A).length
  if (byA !== begun.length) {
    const got = `A ended ${byA} of the ${begun.length} runs that it had begun`
    return fail(got, 'shutdown.ts', 'Exercise 3 (check 4) looks at this alone.')
  }
  if (results.length !== RUNS) {
    const got = `${results.length} of ${RUNS} runs done.${complaint(history, B)}`
    return fail(got, 'shutdown.ts', 'Look at the single checks first; they look at one thing each.')
  }
  const panel = visited(history, VISITOR, '/admin/workers')
  const ready = visited(history, VISITOR, '/readyz')
  if (!panel || !ready) return inconclusive({ expected, got: 'the panel was not seen', evidence })
  const { status, total } = panel.body
  evidence.push(seen(panel, GATEWAY, `/admin/workers: ${status}, ${total} in all`))
  if (linesOf(panel.body).has(A) || status !== 'ok' || total !== 1 || ready.status !== 200) {
    const got = `the panel says ${status}, ${total} in all; /readyz ${ready.status}`
    return fail(got, 'panel.ts', 'Look at the single checks first; they look at one thing each.')
  }
  return held({ expected, got: expected, evidence })
}
