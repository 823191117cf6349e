/**
 * The assembled system in the simulated arm: what solution and starter give, and which check sees
 * which exercise when that one alone is unsolved.
 */

import { describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/mini-koda/lab.ts'
import {
  modulePath,
  solutionDirs,
  starterDirs,
  type TargetDirs,
} from '../../../src/judge/places.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { gradedParts, labDirOf, SEEDS } from '../worlds.ts'

const LAB_DIR = labDirOf(lab)
const SOLUTION = solutionDirs(lab, LAB_DIR)
const STARTER = starterDirs(lab, LAB_DIR)
const statuses = (checks: readonly CheckVerdict[]) => checks.map(({ status }) => status)
/** Each world is a cluster of up to seven processes: a tenth of the seeds of a lab. */
const seeds = SEEDS.slice(0, Math.ceil(SEEDS.length / 10))

describe(`over ${seeds.length} seeds`, () => {
  it('the solution holds all five checks', async () => {
    const graded = await gradedParts(
      lab,
      seeds.map((seed) => ({ seed, parts: SOLUTION })),
    )
    for (const checks of graded) {
      expect(checks.map(({ status, got }) => `${status}: ${got}`)).toEqual([
        'held: A 86, B 85, C 85 of 256 shards; 20 users with one worker each',
        'held: A’s late renewal and late write refused; B did all 3 messages, in order',
        expect.stringMatching(
          /^held: takeover after 3[0-5],\d{3} ms; effects 1 2 3 4 5 6, each once$/,
        ),
        expect.stringMatching(/^held: message 1 done by A, .* B did 2 and 3, [\d,]+ ms after/),
        'held: a message for prod was read 0 times by dev; every key of dev begins with dev:',
      ])
    }
  }, 600_000)

  it('the starter violates all five', async () => {
    const graded = await gradedParts(
      lab,
      seeds.map((seed) => ({ seed, parts: STARTER })),
    )
    for (const checks of graded) {
      expect(statuses(checks)).toEqual(Array(5).fill('violated'))
      expect(checks.map(({ where }) => where?.file)).toEqual([
        'day-10/lease.ts',
        'day-10/store.ts',
        'day-10/worker.ts',
        // Both are unsolved; the latencies of the seed decide which of them shows first.
        expect.stringMatching(/^day-1(?:0\/worker|4\/shutdown)\.ts$/),
        expect.stringContaining('boot.ts'),
      ])
    }
  }, 600_000)
})

/** One exercise unsolved, all else solved: the checks that it fails. */
const UNSOLVED: readonly (readonly [module: string, fails: readonly number[]])[] = [
  ['day-10/shard.ts', [1]],
  ['day-10/lease.ts', [1]],
  // Its race needs a lease that lapses between two calls: day 10 brings that about.
  ['day-10/renew.ts', []],
  ['day-10/store.ts', [2]],
  ['day-10/worker.ts', [1, 2, 3, 4]],
  // A worker that is dead and counted as alive keeps its share from the living.
  ['day-14/heartbeat.ts', [2, 3]],
  // Nothing is decided by the panel.
  ['day-14/panel.ts', []],
  ['day-14/shutdown.ts', [4]],
  ['day-14/env.ts', [5]],
]

describe('one exercise unsolved', () => {
  it('fails the checks that the README tells', async () => {
    const graded = await gradedParts(
      lab,
      UNSOLVED.map(([module]) => ({ seed: '1', parts: SOLUTION, from: { [module]: STARTER } })),
    )
    const failing = graded.map((checks) =>
      checks.filter(({ status }) => status === 'violated').map(({ id }) => id),
    )
    expect(UNSOLVED.map(([module], k) => [module, failing[k]])).toEqual(UNSOLVED)
  }, 600_000)
})

describe('the pieces', () => {
  it('are the files of both labs, found in any target of that shape', () => {
    const parts: TargetDirs = { 'day-10': '/mine/day-10-x', 'day-14': '/mine/day-14' }
    expect(modulePath(lab, parts, 'day-10/shard.ts')).toBe('/mine/day-10-x/shard.ts')
    expect(modulePath(lab, parts, 'day-14/env.ts')).toBe('/mine/day-14/env.ts')
    expect(modulePath(lab, {}, 'day-14/env.ts')).toBeNull()
  })
})
