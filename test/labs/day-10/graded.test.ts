/**
 * The lab in the simulated arm: the table of its exercises and checks, over many seeds and exercise by
 * exercise. Run through the judge's own functions, the worlds of a few seeds in one child.
 * `LEASELAB_SEEDS=50` looks at more seeds than the 10 of an ordinary run.
 */

import { copyFileSync, cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../../../bin/build.mjs'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import { judgeResults, planJobs } from '../../../src/judge/grade.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { LAB_DIR, ROOT, starterEdited } from '../../grading/grade.ts'

const SEEDS = Array.from({ length: Number(process.env.LEASELAB_SEEDS ?? 10) }, (_, n) => `${n + 1}`)
const SEEDS_IN_ONE_CHILD = 5
const buildDir = ensureBuilt(ROOT)
const worldMain = join(buildDir, 'src/arm/world-main.js')
const { runWorlds } = (await import(
  pathToFileURL(join(buildDir, 'src/arm/run-worlds.js')).href
)) as typeof import('../../../src/arm/run-worlds.ts')

/** The graded checks of a target, seed by seed. */
async function graded(
  targetDir: string,
  seeds: readonly string[],
): Promise<readonly (readonly CheckVerdict[])[]> {
  const checks: (readonly CheckVerdict[])[] = []
  for (let at = 0; at < seeds.length; at += SEEDS_IN_ONE_CHILD) {
    checks.push(...(await gradedInOneChild(targetDir, seeds.slice(at, at + SEEDS_IN_ONE_CHILD))))
  }
  return checks
}

async function gradedInOneChild(
  targetDir: string,
  seeds: readonly string[],
): Promise<readonly (readonly CheckVerdict[])[]> {
  const requests = seeds.map((seed) => {
    const shared = { lab, labDir: LAB_DIR, targetDir, targetShown: targetDir }
    return { ...shared, present: lab.modules, seed, only: null }
  })
  const jobs = requests.flatMap((request) =>
    planJobs(request)
      .filter(({ id }) => id !== 'together')
      .map((job) => ({ ...job, id: `${request.seed} ${job.id}` })),
  )
  const results = await runWorlds(jobs, { worldMain })
  return requests.map((request) => {
    const own = results
      .filter(({ id }) => id.startsWith(`${request.seed} `))
      .map((result) => ({ ...result, id: result.id.slice(request.seed.length + 1) }))
    return judgeResults(request, own).checks
  })
}

const statuses = (checks: readonly CheckVerdict[]) => checks.map(({ status }) => status)
const gots = (checks: readonly CheckVerdict[]) => checks.map(({ got }) => got)

describe(`over ${SEEDS.length} seeds`, () => {
  it('the solution holds all five checks, with the same figures', async () => {
    for (const checks of await graded(join(LAB_DIR, 'solution'), SEEDS)) {
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
      for (const checks of await graded(join(LAB_DIR, 'starter'), SEEDS)) {
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

describe.skipIf(starterEdited)('one exercise solved', () => {
  // With its links resolved, as the judge wants its folders: a temporary folder may lie behind one.
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-day-10-')))
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  it.each(lab.exercises)(
    'exercise $id, $file: turns its own line and no other',
    async (exercise) => {
      const target = join(scratch, `only-${exercise.id}`)
      cpSync(join(LAB_DIR, 'starter'), target, {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      })
      copyFileSync(join(LAB_DIR, 'solution', exercise.file), join(target, exercise.file))
      const [checks] = await graded(target, ['1'])
      const expected = lab.checks.map((check) =>
        check.exercise === exercise.id ? 'held' : 'violated',
      )
      expect(statuses(checks ?? [])).toEqual(expected)
    },
  )
})
