/**
 * Attempts to talk the grader round, or to bring it down: each ends within seconds as the named failure
 * of its own check with exit code 1, never as a ✅, and leaves no process and no file behind.
 *
 * They are judged by check 1, in a few children one after another, so an attack that left something
 * behind in the child would show in the honest solutions that run in between.
 */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import lab from '../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { WorldResult } from '../../src/arm/job.ts'
import { runWorlds } from '../../src/arm/run-worlds.ts'
import { type GradeRequest, judgeResults, planJobs } from '../../src/judge/grade.ts'
import type { Verdict } from '../../src/judge/verdict.ts'
import { makeInk } from '../../src/show/ink.ts'
import { report } from '../../src/show/report.ts'
import { ATTACKS, type Attack, MARK } from './attacks.cases.ts'
import { grade, LAB_DIR, ROOT } from './grade.ts'

interface Outcome {
  readonly verdict: Verdict
  readonly realMs: number
  /** As a person sees it. */
  readonly shown: string
  readonly folder: string
}

/** Five seconds of CPU time are a hang; the machine may be slow, and two of these run at a time. */
const SECONDS_AT_MOST = 30

const source = ([, top, body]: Attack): string =>
  `${top.replaceAll('\n', ';')}\nexport const SHARD_COUNT = 256\nexport function shardOf(userId: string): number {\n${body}\n}\n`

const root = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-attacks-')))
const outcomes = new Map<string, Outcome>()
let processesBefore: readonly string[] = []
let labBefore = ''

/** World children and their guards that run now. */
function worldProcesses(): readonly string[] {
  return execFileSync('ps', ['-eo', 'ppid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter(
      (line) => Number.parseInt(line, 10) === process.pid && /world-main|leaselab-guard/.test(line),
    )
}

/** Over the names and texts of all files in a folder. */
function fingerprint(dir: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.parentPath.includes('node_modules')) continue
    const path = join(entry.parentPath, entry.name)
    hash.update(`${path}\n`)
    if (entry.isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

function requestFor(targetDir: string): GradeRequest {
  return {
    lab,
    labDir: LAB_DIR,
    targetDir,
    targetShown: 'mine',
    present: ['shard.ts'],
    seed: '1',
    only: 1,
  }
}

async function gradeAll(attacks: readonly (readonly [string, GradeRequest])[]): Promise<void> {
  const jobs = attacks.flatMap(([name, request]) =>
    planJobs(request).map((job) => ({ ...job, id: name })),
  )
  const results = await runWorlds(jobs, {
    worldMain: join(ensureBuilt(ROOT), 'src/arm/world-main.js'),
  })
  attacks.forEach(([name, request], k) => {
    const { realMs } = results[k]!
    const result = { ...results[k]!, id: 'check-1' } satisfies WorldResult
    const verdict = judgeResults(request, [result])
    const shown = report(verdict, { virtualUs: 0, realMs, twice: false }, makeInk(false))
    outcomes.set(name, { verdict, realMs, shown, folder: request.targetDir })
  })
}

beforeAll(async () => {
  processesBefore = worldProcesses()
  labBefore = fingerprint(LAB_DIR)
  const all = ATTACKS.map((attack, k): readonly [string, GradeRequest] => {
    const dir = join(root, String(k))
    mkdirSync(dir)
    writeFileSync(join(dir, 'shard.ts'), source(attack))
    symlinkSync(join(LAB_DIR, 'solution'), join(dir, 'way-out'))
    return [attack[0], requestFor(dir)]
  })
  const honest = (name: string): readonly [string, GradeRequest] => [
    name,
    requestFor(join(LAB_DIR, 'solution')),
  ]
  const spread = all.flatMap((each, k) =>
    k % 5 === 4 ? [each, honest(`honest after ${each[0]}`)] : [each],
  )
  const half = Math.ceil(spread.length / 2)
  await Promise.all([gradeAll(spread.slice(0, half)), gradeAll(spread.slice(half))])
}, 180_000)

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('an attack ends in seconds as the failure that it is, exit code 1, and changes no file', () => {
  test.each(ATTACKS.map((attack) => [attack[0], attack] as const))('%s', (name, attack) => {
    const { verdict, realMs, shown, folder } = outcomes.get(name)!
    const [check, ...others] = verdict.checks
    expect(others).toEqual([])
    expect({ exitCode: verdict.exitCode, status: check?.status }).toEqual({
      exitCode: 1,
      status: 'violated',
    })
    const { got = '', where = null } = check ?? {}
    expect(`${got} @ ${where?.file}:${where?.line}`.replaceAll(folder, 'FOLDER')).toMatch(attack[3])
    const title = 'users spread over the shards'
    expect(shown).toMatch(new RegExp(`^❌ 1 ${title} — expected .+; got .+`))
    expect(shown.split('\n').filter((line) => line.startsWith('✅'))).toEqual([])
    expect(shown).toMatch(/^0 held, 1 violated, 0 inconclusive$/m)
    expect(realMs).toBeLessThan(SECONDS_AT_MOST * 1000)
    expect(readdirSync(folder).sort()).toEqual(['shard.ts', 'way-out'])
    expect(readFileSync(join(folder, 'shard.ts'), 'utf8')).toBe(source(attack))
  })
})

test('an honest solution in the same child passes after every fifth attack, always with one digest', () => {
  const honest = [...outcomes].filter(([name]) => name.startsWith('honest'))
  expect(honest.length).toBeGreaterThan(8)
  for (const [name, { verdict, shown }] of honest) {
    expect(`${name}: ${verdict.exitCode} ${verdict.checks[0]?.got}`).toMatch(/: 0 256\/256/)
    expect(shown).toMatch(/^✅ 1 /)
  }
  expect(new Set(honest.map(([, { verdict }]) => verdict.digest)).size).toBe(1)
})

test('no process is left, no file is new, and the lab is as it was', () => {
  expect(worldProcesses()).toEqual(processesBefore)
  expect(existsSync(MARK)).toBe(false)
  expect(fingerprint(LAB_DIR)).toBe(labBefore)
})

test('a file of the folder that is a link to the solution is nobody’s work: exit code 1', async () => {
  const dir = join(root, 'linked')
  mkdirSync(dir)
  symlinkSync(join(LAB_DIR, 'solution/shard.ts'), join(dir, 'shard.ts'))
  const { exitCode, verdict } = await grade(dir, ['--check', '1'])
  expect(exitCode).toBe(1)
  expect(verdict.checks[0]?.status).toBe('violated')
  expect(verdict.checks[0]?.got).toMatch(/is a link to .*solution\/shard\.ts, which is outside/)
  expect(verdict.checks[0]?.where?.file).toBe('shard.ts')
})

test('NODE_OPTIONS around the judge reaches the judge and no world', async () => {
  const dir = join(root, 'options')
  mkdirSync(dir)
  const seen = join(root, 'seen.txt')
  const hook = join(root, 'hook.cjs')
  writeFileSync(
    hook,
    `require('node:fs').appendFileSync(${JSON.stringify(seen)}, process.argv.join(' ') + '\\n')
     globalThis.hooked = true; Date.now = () => 0; Math.random = () => 0`,
  )
  const asks =
    "if (globalThis.hooked || process.env.NODE_OPTIONS) throw new Error('the hook is in here')"
  writeFileSync(join(dir, 'shard.ts'), source(['', asks, 'return 1', /./]))
  const env = { NODE_OPTIONS: `--require ${hook}` }
  const { exitCode, verdict } = await grade(dir, ['--check', '1'], env)
  const plain = await grade(dir, ['--check', '1'])
  expect(exitCode).toBe(1)
  expect(verdict.checks[0]?.got).toBe('1/256 shards occupied, largest bucket 2,000')
  expect(verdict.digest).toBe(plain.verdict.digest)
  const started = readFileSync(seen, 'utf8')
  expect(started).toContain('leaselab.mjs grade')
  expect(started).not.toContain('world-main')
})
