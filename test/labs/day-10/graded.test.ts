/**
 * The lab in the simulated arm: the table of its exercises and checks, over many seeds and exercise by
 * exercise.
 */

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { turnsItsOwnLine } from '../one-exercise.ts'
import { gradedOverSeeds, labDirOf, SEEDS, starterIsEdited } from '../worlds.ts'

const LAB_DIR = labDirOf(lab)
const starterEdited = starterIsEdited(lab)
const statuses = (checks: readonly CheckVerdict[]) => checks.map(({ status }) => status)
const gots = (checks: readonly CheckVerdict[]) => checks.map(({ got }) => got)

describe(`over ${SEEDS.length} seeds`, () => {
  it('the solution holds all five checks, with the same figures', async () => {
    for (const checks of await gradedOverSeeds(lab, join(LAB_DIR, 'solution'), SEEDS)) {
      expect(statuses(checks)).toEqual(Array(5).fill('held'))
      expect(gots(checks)).toEqual([
        '256/256 shards occupied, largest bucket 17',
        'A holds 128, B holds 128, intersection 0, union 256',
        'A’s renewal answered 0, B’s expiry unchanged, A dropped the shard',
        'effects in the order 1 2 3 4 5 6, each once; B handled the last 3',
        'A’s late renewal refused, A’s late write refused, B’s write accepted',
      ])
    }
  }, 600_000)

  it.skipIf(starterEdited)(
    'the starter violates all five, each for its own reason',
    async () => {
      for (const checks of await gradedOverSeeds(lab, join(LAB_DIR, 'starter'), SEEDS)) {
        expect(statuses(checks)).toEqual(Array(5).fill('violated'))
        expect(gots(checks)).toEqual([
          '1/256 shards occupied, largest bucket 2,000',
          'A holds 128, B holds 128, intersection 128, union 128: NX is missing, 128 live leases were written over',
          'A’s PEXPIRE answered 1, B’s expiry moved by 1,000 ms, A kept the shard',
          'effects in the order 1 3 2 5 6 4',
          'A’s late write landed with token 1, although the store knew 2',
        ])
      }
    },
    600_000,
  )
})

turnsItsOwnLine(lab)
