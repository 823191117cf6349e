/** Check 2: a replica that stops beating, and lives, is stale after a while; the others are not. */

import {
  type Check,
  complaint,
  type Evidence,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  inMs,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import {
  EARLY,
  LATE,
  lastBeatBefore,
  linesOf,
  livesAfter,
  REPLICAS,
  SILENT,
  silenceScenario,
  visited,
} from './beats.ts'
import { GATEWAY, type Times } from './setting.ts'

const FILE = 'heartbeat.ts'
const PROBE = 'probe'
/** An instant as the server has it, and one long ago: which year it is must not matter. */
const NOW_MS = 1_800_000_000_000
const LONG_AGO_MS = 1_000_000

/** What the probe asks, and how it is answered: `[beatAtMs, nowMs, staleMs]`. */
export const AGES: readonly (readonly [ages: readonly [number, number, number], alive: boolean])[] =
  [NOW_MS, LONG_AGO_MS].flatMap((now) => [
    [[now, now, 15_000], true],
    [[now - 14_999, now, 15_000], true],
    [[now - 15_000, now, 15_000], true],
    [[now - 15_001, now, 15_000], false],
    [[now - 60_000, now, 15_000], false],
    [[now - 750, now, 750], true],
    [[now - 751, now, 750], false],
    [[now - 20_000, now, 60_000], true],
    [[now + 40, now, 15_000], true],
  ])

export function aliveCheck(times: Times): Check {
  const asked = JSON.stringify(AGES.map(([ages]) => ages))
  return {
    id: 2,
    exercise: 1,
    title: 'a replica that stops beating is stale, though it lives',
    scenario: silenceScenario(times, {
      [PROBE]: { program: 'app/probe-alive.ts', ends: true, env: { AGES: asked } },
    }),
    judge: (history) => judgeAlive(history, times.staleMs),
  }
}

export function judgeAlive(history: History, staleMs: number): Finding {
  const expected = `after ${inMs(staleMs * 1000)} of silence its row is stale, 1 stale in all`
  const early = endedByItself(history, [GATEWAY], expected, FILE)
  if (early) return early
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })

  let staleAtTheEnd = 0
  for (const visitor of [EARLY, LATE]) {
    const page = visited(history, visitor, '/admin/workers')
    if (page?.status !== 200) {
      const got = `the panel was not seen (${visitor}).${complaint(history, GATEWAY)}`
      return inconclusive({ expected, got, evidence })
    }
    const lines = linesOf(page.body)
    const truth = REPLICAS.map((name) => {
      const beatAt = lastBeatBefore(history, name, page.request.t)
      return { name, beatAt, line: lines.get(name) }
    })
    const unseen = truth.find(({ beatAt, line }) => beatAt === null || !line)
    if (unseen) {
      return inconclusive({ expected, got: `${unseen.name} has no row in the panel`, evidence })
    }
    staleAtTheEnd = truth.filter(({ line }) => line?.alive === false).length
    for (const { name, beatAt, line } of truth) {
      const silentUs = page.t - beatAt!
      const shown = line?.alive === true ? 'alive' : 'stale'
      evidence.push(seen(page, name, `is ${shown} in the panel, last beat ${inMs(silentUs)} ago`))
      const isOld = silentUs > staleMs * 1000
      if (name === SILENT && isOld !== (visitor === LATE)) {
        return inconclusive({ expected, got: `${visitor} came at the wrong time`, evidence })
      }
      if ((line?.alive === true) === !isOld) continue
      const count = `${staleAtTheEnd} stale, `
      return isOld
        ? fail(
            `${count}although ${name} was silent for ${inMs(silentUs)}`,
            'A row says when its worker last beat. Hold its age against the limit: both instants are the server’s, handed in.',
          )
        : fail(
            `${count}although ${name} had beaten ${inMs(silentUs)} before`,
            'A beat is good for as long as the limit says, and beats come every third of it: one that is missing says nothing.',
          )
    }
    if (visitor === LATE && !livesAfter(history, SILENT, page.t)) {
      return inconclusive({ expected, got: `${SILENT} did not live on`, evidence })
    }
  }
  const asked = history.output.said(PROBE, 'alive.answer')
  const at = AGES.findIndex(([, alive], k) => asked[k] && asked[k].fields.alive !== alive)
  if (at >= 0) {
    const [[beatAt, now, limit], alive] = AGES[at]!
    const what = `isAlive(${beatAt}, ${now}, ${limit}) is ${!alive}`
    evidence.push(seen(asked[at]!, PROBE, what))
    return fail(
      `${staleAtTheEnd} stale, but asked directly: ${what}`,
      'Exactly the limit is still alive, a millisecond more is not; and nothing but the three numbers decides.',
    )
  }
  if (asked.length < AGES.length) {
    return inconclusive({ expected, got: 'isAlive was not asked to the end', evidence })
  }
  return held({
    expected,
    got: `its row is stale after ${inMs(staleMs * 1000)}, ${staleAtTheEnd} stale in all`,
    evidence,
  })
}
