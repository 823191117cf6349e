/** Check 1: three replicas pull from one stream. The code is given; it shows that the stack stands. */

import {
  type Check,
  complaint,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import { acceptedRuns, acknowledgementOf, handedOut, storeCalls } from './runs.ts'
import {
  A,
  B,
  C,
  customerProcess,
  GATEWAY,
  gatewayProcess,
  STORE,
  storeProcess,
  type Times,
  workerProcess,
  workerReady,
} from './setting.ts'

const REPLICAS = [A, B, C]
const RUNS = 9
/** The code is given: there is no file of an exercise to point at. */
const FILE = ''

export function shareCheck(times: Times): Check {
  const orders = Array.from({ length: RUNS }, (_, n) => ({
    text: `task ${n + 1}`,
    key: `k${n + 1}`,
  }))
  return {
    id: 1,
    exercise: null,
    title: 'three replicas share the runs of one stream',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        [GATEWAY]: gatewayProcess(times),
        // The last order is sent once more, as after an answer that was lost.
        customer: customerProcess([...orders, orders[RUNS - 1]!], 'timeline'),
        ...Object.fromEntries(REPLICAS.map((name) => [name, workerProcess(name, times)])),
      },
      timeline: [
        {
          id: 'customer',
          when: { on: workerReady, nth: REPLICAS.length },
          do: { verb: 'start', process: 'customer' },
        },
      ],
      until: {
        on: { kind: 'process.output', json: { event: 'acknowledged' } },
        nth: RUNS,
        plusMs: times.whileMs,
      },
      limitMs: times.limitMs,
    },
    judge: judgeShare,
  }
}

export function judgeShare(history: History): Finding {
  const expected = `3 replicas share ${RUNS} runs: ${RUNS} in all, ${RUNS} distinct, each replica at least one`
  const early = endedByItself(history, [STORE, GATEWAY, ...REPLICAS], expected, FILE)
  if (early) return early
  const accepted = acceptedRuns(history)
  const runs = new Set(accepted.map(({ runId }) => runId))
  if (accepted.length <= RUNS) {
    const got = `the gateway took in ${accepted.length} orders.${complaint(history, GATEWAY)}`
    return inconclusive({ expected, got })
  }
  const results = storeCalls(history, '/runs/finish').filter(({ wrote }) => wrote)
  const byReplica = REPLICAS.map((name) => results.filter(({ by }) => by === name).length)
  const distinct = new Set(results.map(({ runId }) => runId)).size
  const got = `${byReplica.join(' + ')} runs, ${results.length} in all, ${distinct} distinct`
  const evidence = results.map(({ exchange, by, runId, status }) =>
    seen(exchange.response!, by, `${textOf(accepted, runId)}: ${status}`),
  )
  const fail = (what: string, hint: string) =>
    violated({ expected, got: what, evidence, hint, file: FILE })

  if (runs.size !== RUNS) {
    return fail(
      `${RUNS + 1} orders with ${RUNS} idempotency keys made ${runs.size} runs`,
      'The same Idempotency-Key means the same run, however often it is sent.',
    )
  }
  const entries = handedOut(history)
  const twice = entries.find(({ to }) => to.length > 1)
  if (twice) {
    return fail(
      `${textOf(accepted, twice.runId)} was handed out ${twice.to.length} times`,
      'One group, one entry at a time: Redis hands each entry to one consumer.',
    )
  }
  const open = entries.find(({ entryId }) => acknowledgementOf(history, entryId) === null)
  if (results.length !== RUNS || distinct !== RUNS || entries.length !== RUNS || open) {
    const lacking = open ? `${got}, not all acknowledged` : `${got}, ${entries.length} entries`
    return fail(`${lacking}.${complaint(history, A)}`, 'Each run is added once and done once.')
  }
  if (byReplica.includes(0)) {
    return fail(got, 'A busy replica must leave the rest to the others: one entry a read.')
  }
  return held({
    expected,
    got: `each replica handled at least one, ${RUNS} in all, ${RUNS} distinct`,
    evidence,
  })
}

function textOf(
  accepted: readonly { readonly runId: string; readonly text: string }[],
  id: string,
): string {
  return accepted.find(({ runId }) => runId === id)?.text ?? id
}
