/**
 * Grades folders for the tests of a lab: through the judge's own functions, many worlds in one child.
 */

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from '../../bin/build.mjs'
import type { WorldJob, WorldResult } from '../../src/arm/job.ts'
import { type GradeRequest, judgeResults, planJobs } from '../../src/judge/grade.ts'
import type { Lab } from '../../src/judge/lab.ts'
import { modulePath, type TargetDirs } from '../../src/judge/places.ts'
import type { CheckVerdict } from '../../src/judge/verdict.ts'
import type { Scenario } from '../../src/scenario/scenario.ts'
import { History } from '../../src/trace/history.ts'
import { ROOT } from '../grading/grade.ts'

export { ROOT }

/** `LEASELAB_SEEDS=50` looks at more seeds than the 10 of an ordinary run. */
export const SEEDS: readonly string[] = Array.from(
  { length: Number(process.env.LEASELAB_SEEDS ?? 10) },
  (_, n) => `${n + 1}`,
)
const SEEDS_IN_ONE_CHILD = 5

/** One file of a solution, replaced, and the check that it belongs to. */
export interface Variant {
  readonly check: number
  readonly what: string
  readonly file: string
  readonly source: string
}

export const labDirOf = (lab: Lab): string => join(ROOT, 'labs/agent-30days', lab.name)

/**
 * Somebody has worked in the lab's starter/, as its README asks them to: tests of the starter as it is
 * shipped would look at their work, and are skipped. False where git cannot tell.
 */
export function starterIsEdited(lab: Lab): boolean {
  const args = ['diff', '--quiet', 'HEAD', '--', 'starter/*.ts']
  return spawnSync('git', args, { cwd: labDirOf(lab) }).status === 1
}

/** What happens when the lab's programs, with its solution, go through a scenario of the test's own. */
export async function story(lab: Lab, scenario: Scenario, seed = '1'): Promise<History> {
  const targetDir = join(labDirOf(lab), lab.solution)
  const plan = request(lab, { targetDir, present: [], seed, only: lab.checks[0]!.id })
  const [job] = planJobs(plan)
  const [result] = await run([{ ...job!, id: 'story', scenario, preflight: null }])
  return new History(result!.events)
}

/** A world of a check, or of the run `together`. */
export interface Told {
  /** `check-3`, `together`. */
  readonly check: string
  readonly seed: string
  readonly scenario: Scenario
  readonly history: History
}

/** What happens in all worlds of a folder that has all modules, seed by seed. */
export async function historiesOf(
  lab: Lab,
  targetDir: string,
  seeds: readonly string[],
): Promise<readonly Told[]> {
  const plan = seeds.flatMap((seed) =>
    planJobs(request(lab, { targetDir, present: lab.modules, seed, only: null })).map((job) => {
      return { seed, check: job.id, job: { ...job, id: `${seed} ${job.id}` } }
    }),
  )
  const results = await run(plan.map(({ job }) => job))
  return plan.map(({ seed, check, job }) => {
    const result = results.find(({ id }) => id === job.id)
    return { check, seed, scenario: job.scenario, history: new History(result!.events) }
  })
}

/** The graded checks of a folder that has all modules, seed by seed. */
export async function gradedOverSeeds(
  lab: Lab,
  targetDir: string,
  seeds: readonly string[],
): Promise<readonly (readonly CheckVerdict[])[]> {
  const checks: (readonly CheckVerdict[])[] = []
  for (let at = 0; at < seeds.length; at += SEEDS_IN_ONE_CHILD) {
    const requests = seeds.slice(at, at + SEEDS_IN_ONE_CHILD).map((seed) => {
      return request(lab, { targetDir, present: lab.modules, seed, only: null })
    })
    checks.push(...(await verdictsOn(requests)))
  }
  return checks
}

/** A run of a lab that is put together of others: its folders, and modules that come from elsewhere. */
export interface PartsRun {
  readonly seed: string
  readonly parts: TargetDirs
  readonly from?: Readonly<Record<string, TargetDirs>>
}

/** The graded checks of each run. Modules `from` elsewhere are copied over those of the parts. */
export async function gradedParts(
  lab: Lab,
  runs: readonly PartsRun[],
): Promise<readonly (readonly CheckVerdict[])[]> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-parts-')))
  try {
    const requests = runs.map(({ seed, parts, from }, n) => {
      const own = from === undefined ? parts : copiedParts(lab, join(scratch, `${n}`), parts, from)
      const targetDir = Object.values(own)[0]!
      return { ...request(lab, { targetDir, present: lab.modules, seed, only: null }), parts: own }
    })
    const checks: (readonly CheckVerdict[])[] = []
    for (const each of requests) checks.push(...(await verdictsOn([each])))
    return checks
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function copiedParts(
  lab: Lab,
  dir: string,
  parts: TargetDirs,
  from: Readonly<Record<string, TargetDirs>>,
): TargetDirs {
  const own = Object.fromEntries(Object.keys(parts).map((name) => [name, join(dir, name)]))
  for (const folder of Object.values(own)) mkdirSync(folder, { recursive: true })
  for (const module of lab.modules) {
    const source = modulePath(lab, from[module] ?? parts, module)!
    copyFileSync(source, modulePath(lab, own, module)!)
  }
  return own
}

/** The verdict on each variant's own check, in their order. Only that file is in the target. */
export async function verdictsOnVariants(
  lab: Lab,
  variants: readonly Variant[],
): Promise<readonly CheckVerdict[]> {
  // With its links resolved, as the judge wants its folders: a temporary folder may lie behind one.
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-variants-')))
  try {
    const requests = variants.map(({ check, file, source }, n) => {
      const targetDir = join(scratch, `${check}-${file}-${n}`)
      mkdirSync(targetDir)
      writeFileSync(join(targetDir, file), source)
      return request(lab, { targetDir, present: [file], seed: '1', only: check })
    })
    return (await verdictsOn(requests)).map((checks) => checks[0]!)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function request(
  lab: Lab,
  more: Pick<GradeRequest, 'targetDir' | 'present' | 'seed' | 'only'>,
): GradeRequest {
  return { lab, labDir: labDirOf(lab), targetShown: more.targetDir, ...more }
}

async function run(jobs: readonly WorldJob[]): Promise<readonly WorldResult[]> {
  const buildDir = ensureBuilt(ROOT)
  const runner = pathToFileURL(join(buildDir, 'src/arm/run-worlds.js')).href
  const { runWorlds } = (await import(runner)) as typeof import('../../src/arm/run-worlds.ts')
  return await runWorlds(jobs, { worldMain: join(buildDir, 'src/arm/world-main.js') })
}

async function verdictsOn(
  requests: readonly GradeRequest[],
): Promise<readonly (readonly CheckVerdict[])[]> {
  const jobs = requests.flatMap((each, n) =>
    planJobs(each)
      .filter(({ id }) => id !== 'together')
      .map((job) => ({ ...job, id: `${n} ${job.id}` })),
  )
  const results = await run(jobs)
  return requests.map((each, n) => {
    const own = results
      .filter(({ id }) => id.startsWith(`${n} `))
      .map((result) => ({ ...result, id: result.id.slice(`${n} `.length) }))
    return judgeResults(each, own).checks
  })
}
