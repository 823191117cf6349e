/** Check 3: the panel counts right and says `degraded`, and readiness does not care. */

import {
  type Check,
  complaint,
  type Evidence,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  jsonBody,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import { EARLY, LATE, linesOf, REPLICAS, silenceScenario, visited } from './beats.ts'
import { GATEWAY, type Times } from './setting.ts'

const FILE = 'panel.ts'
const PROBE = 'probe'

const line = (workerId: string, alive: boolean, lastBeatMs: number, inFlight = 0) => {
  return { workerId, alive, lastBeatMs, inFlight, version: '1.4.2' }
}

/** Fixed lines for the probe. Their ages fit other limits than ours, so that only `alive` can decide. */
export const CASES = [
  [],
  [line('w1', true, 100, 1), line('w2', true, 40_000), line('w3', true, 4000)],
  [line('w1', true, 100, 1), line('w2', false, 900, 1), line('w3', true, 4000)],
  [line('w2', false, 31_000), line('w1', false, 2000, 3)],
  [line('w9', false, 16_000), line('w1', true, 3), line('w4', true, 2), line('w3', false, 1)],
] as const

/** Ready when both Redis and the store answer, in the order in which the probe asks. */
const READINESS = [1, 0, 0, 0]

export function panelCheck(times: Times): Check {
  return {
    id: 3,
    exercise: 2,
    title: 'the panel says degraded, and the gateway stays ready',
    scenario: silenceScenario(times, {
      [PROBE]: { program: 'app/probe-panel.ts', ends: true, env: { LINES: JSON.stringify(CASES) } },
    }),
    judge: judgePanel,
  }
}

export function judgePanel(history: History): Finding {
  const total = REPLICAS.length
  const expected = `degraded, ${total} in all, ${total - 1} alive, 1 stale; /readyz 200`
  const early = endedByItself(history, [GATEWAY], expected, FILE)
  if (early) return early
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  const got: string[] = []
  for (const [visitor, stale] of [
    [EARLY, 0],
    [LATE, 1],
  ] as const) {
    const panel = visited(history, visitor, '/admin/workers')
    const ready = visited(history, visitor, '/readyz')
    const health = visited(history, visitor, '/healthz')
    if (panel?.status !== 200 || !ready || !health) {
      const what = `the pages were not seen (${visitor}).${complaint(history, GATEWAY)}`
      return inconclusive({ expected, got: what, evidence })
    }
    const status = stale === 0 ? 'ok' : 'degraded'
    const wanted = figures({ status, total, alive: total - stale, stale })
    const shown = figures(panel.body)
    got.push(`${shown}; /readyz ${ready.status}`)
    evidence.push(
      seen(panel, GATEWAY, `/admin/workers: ${shown}`),
      seen(ready, GATEWAY, `/readyz: ${ready.status}`),
      seen(health, GATEWAY, `/healthz: ${health.status}`),
    )
    if (shown !== wanted) {
      return fail(
        `${shown}, where ${wanted} was true; /readyz ${ready.status}`,
        'Count the lines by their flag alive. One that is stale makes the whole degraded; none, and it is ok.',
      )
    }
    if (linesOf(panel.body).size !== total) {
      return fail(`${shown}, but not all lines are shown`, 'Pass the lines on as they came.')
    }
    if (ready.status !== 200 || health.status !== 200) {
      const page = ready.status === 200 ? '/healthz' : '/readyz'
      return fail(
        `${shown}; ${page} ${ready.status === 200 ? health.status : ready.status}`,
        'A gateway without workers still takes runs in: they wait in the stream. Were it to say that it is not ready, nobody could send any.',
      )
    }
  }
  const wrong = probeFault(history)
  if (wrong === 'unfinished') {
    return inconclusive({ expected, got: 'summarize was not asked to the end', evidence })
  }
  if (wrong) {
    evidence.push(...wrong.evidence)
    return fail(`${got[1]}, but asked directly: ${wrong.what}`, wrong.hint)
  }
  return held({ expected, got: got[1]!, evidence })
}

/** What is wrong with the answers for fixed lines; null when nothing is. */
function probeFault(history: History) {
  const panels = history.output.said(PROBE, 'panel.answer')
  const readiness = history.output.said(PROBE, 'readiness.answer')
  for (const [k, lines] of CASES.entries()) {
    const [told, ready] = [panels[k], readiness[k]]
    if (!told || !ready) return 'unfinished'
    const stale = lines.filter(({ alive }) => !alive).length
    const status = stale === 0 ? 'ok' : 'degraded'
    const wanted = { status, total: lines.length, alive: lines.length - stale, stale }
    const panel = jsonBody(String(told.fields.panel)) ?? {}
    const flags = lines.map(({ workerId, alive }) => `${workerId} ${alive ? 'alive' : 'stale'}`)
    const about = flags.join(', ') || 'no lines'
    const evidence = [seen(told, PROBE, `${about}: ${figures(panel)}`)]
    if (figures(panel) !== figures(wanted)) {
      const hint = 'Whether a worker is alive stands in its line; the age beside it is for people.'
      return { what: `${about}: ${figures(panel)}, not ${figures(wanted)}`, hint, evidence }
    }
    if (!sameLines(panel.workers, lines)) {
      const hint = 'workers holds the lines as they came: all of them, unchanged, in their order.'
      return { what: `${about}: the lines are not the ones handed in`, hint, evidence }
    }
    if (JSON.stringify(ready.fields.answers) !== JSON.stringify(READINESS)) {
      const hint = 'readiness is Redis and store, and never a worker: it was right as given.'
      return { what: `readiness went by something else (${about})`, hint, evidence }
    }
  }
  return null
}

function figures(panel: Readonly<Record<string, unknown>>): string {
  const { status, total, alive, stale } = panel
  return `${status}, ${total} in all, ${alive} alive, ${stale} stale`
}

/** The same lines in the same order, whatever the order of their members. */
function sameLines(got: unknown, wanted: readonly object[]): boolean {
  if (!Array.isArray(got) || got.length !== wanted.length) return false
  return wanted.every((line, k) => {
    const members = Object.entries(line)
    const told = (got[k] ?? {}) as Readonly<Record<string, unknown>>
    return (
      Object.keys(told).length === members.length &&
      members.every(([name, value]) => told[name] === value)
    )
  })
}
