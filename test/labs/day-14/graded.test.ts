/**
 * The lab in the simulated arm: the table of its exercises and checks, over many seeds and exercise by
 * exercise.
 */

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { turnsItsOwnLine } from '../one-exercise.ts'
import { gradedOverSeeds, labDirOf, SEEDS, starterIsEdited } from '../worlds.ts'

const LAB_DIR = labDirOf(lab)
const starterEdited = starterIsEdited(lab)
const statuses = (checks: readonly CheckVerdict[]) => checks.map(({ status }) => status)
const gots = (checks: readonly CheckVerdict[]) => checks.map(({ got }) => got)
/** Milliseconds differ by a latency from seed to seed. */
const withoutMs = (got: string) => got.replace(/[\d,]+ ms/g, '… ms')

describe(`over ${SEEDS.length} seeds`, () => {
  it('the solution holds all five checks, with the same figures', async () => {
    for (const checks of await gradedOverSeeds(lab, join(LAB_DIR, 'solution'), SEEDS)) {
      expect(statuses(checks)).toEqual(Array(5).fill('held'))
      expect(gots(checks)).toEqual([
        'each replica handled at least one, 9 in all, 9 distinct',
        'its row is stale after 15,000 ms, 1 stale in all',
        'degraded, 3 in all, 2 alive, 1 stale; /readyz 200',
        'the run ended done and acknowledged, later ones untouched; lease handed back, taken by B',
        'dev:koda:runs and prod:koda:runs; a message for prod was read 0 times by dev',
      ])
    }
  }, 600_000)

  it.skipIf(starterEdited)(
    'the starter holds the first one only, and violates each other for its own reason',
    async () => {
      for (const checks of await gradedOverSeeds(lab, join(LAB_DIR, 'starter'), SEEDS)) {
        expect(statuses(checks)).toEqual(['held', ...Array(4).fill('violated')])
        expect(gots(checks).slice(1).map(withoutMs)).toEqual([
          '0 stale, although worker-b was silent for … ms',
          'ok, 3 in all, 3 alive, 0 stale, where degraded, 3 in all, 2 alive, 1 stale was true; /readyz 200',
          'A left the run running; worker-b had to do it again',
          'dev and prod both have koda:runs; a message for prod was read 1 time by dev',
        ])
      }
    },
    600_000,
  )
})

turnsItsOwnLine(lab)
