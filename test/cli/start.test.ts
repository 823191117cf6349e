import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import day14 from '../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import { starterEdited } from '../grading/grade.ts'
import { labDirOf, starterIsEdited } from '../labs/worlds.ts'
import { LAB, LAB_DIR, launch, ROOT } from './launch.ts'

const DAY_14 = day14.name
const DAY_14_DIR = labDirOf(day14)
const day14Edited = starterIsEdited(day14)

const memory = { MOCK: '1', SELFTEST: '1' }
const REFERENCE = `${LAB} · target solution (reference, not your code; to grade yours: pnpm leaselab grade ${LAB} --target <folder>) · arm sim · seed 1`

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-start-')))
const mine = join(scratch, 'my files')
mkdirSync(mine)
cpSync(join(LAB_DIR, 'solution', 'shard.ts'), join(mine, 'shard.ts'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

describe('what start grades', () => {
  it.each([
    ['the root', ROOT, {}, REFERENCE],
    ["the lab's folder", LAB_DIR, {}, REFERENCE],
    ["the lab's solution", join(LAB_DIR, 'solution'), {}, REFERENCE],
    ["the lab's programs", join(LAB_DIR, 'app'), {}, REFERENCE],
    ['the root with TARGET', ROOT, { TARGET: mine }, `${LAB} · target ${mine} · arm sim · seed 1`],
    ['elsewhere with LAB', scratch, { LAB }, REFERENCE],
  ])('in %s', async (_, cwd, more, line) => {
    const { code, stdout, stderr } = await launch(['start'], { cwd, env: { ...memory, ...more } })
    expect(firstLine(stdout)).toBe(line)
    expect(stderr).toBe('')
    expect(code).toBe(line === REFERENCE ? 0 : 1)
  })

  it.skipIf(starterEdited)("in the lab's starter", async () => {
    const cwd = join(LAB_DIR, 'starter')
    const { code, stdout, stderr } = await launch(['start'], { cwd, env: memory })
    expect(firstLine(stdout)).toBe(`${LAB} · target . · arm sim · seed 1`)
    expect(stderr).toBe('')
    expect(code).toBe(1)
  })

  it.each([
    ['with LAB', ROOT, { LAB: DAY_14 }, 'solution (reference', 5, 0],
    ['in its folder', DAY_14_DIR, {}, 'solution (reference', 5, 0],
    ['in its solution', join(DAY_14_DIR, 'solution'), {}, 'solution (reference', 5, 0],
    ['in its starter', join(DAY_14_DIR, 'starter'), {}, '.', 1, 1],
  ])('of the other lab %s', async (_, cwd, more, target, good, exitCode) => {
    if (exitCode === 1 && day14Edited) return
    const { code, stdout, stderr } = await launch(['start'], { cwd, env: { ...memory, ...more } })
    expect(firstLine(stdout)).toContain(`${DAY_14} · target ${target}`)
    expect(stdout.match(/^✅/gm)).toHaveLength(good)
    expect(stdout.match(/^❌/gm) ?? []).toHaveLength(5 - good)
    expect(stderr).toBe('')
    expect(code).toBe(exitCode)
  })

  it('selftest is the same without a word of shell', async () => {
    const { code, stdout } = await launch(['selftest'])
    expect(firstLine(stdout)).toBe(REFERENCE)
    expect(code).toBe(0)
  })

  it('MOCK=1 wins over REDIS_URL and says so in one line, apart from the report', async () => {
    const env = { ...memory, REDIS_URL: 'redis://:secret@127.0.0.1:1' }
    const { code, stdout, stderr } = await launch(['start'], { env })
    expect(stderr).toBe('MOCK=1 wins: REDIS_URL is set and not used; everything runs in memory.\n')
    expect(stdout).not.toContain('secret')
    expect(code).toBe(0)
  })
})

describe('grade', () => {
  it('a target that has one file: that check is graded, the others miss theirs', async () => {
    const { code, stdout } = await launch(['grade', LAB, '--target', mine, '--json'])
    const { checks, exitCode, target } = JSON.parse(stdout)
    expect({ code, exitCode, target }).toEqual({ code: 1, exitCode: 1, target: mine })
    expect(checks.map(({ status }: { status: string }) => status)).toEqual([
      'held',
      'violated',
      'violated',
      'violated',
      'violated',
    ])
    expect(checks[1].repro).toBe(`pnpm leaselab grade ${LAB} --target '${mine}' --check 2 --seed 1`)
  })

  it('--check runs one check, --seed another seed; in a lab its name may be left out', async () => {
    const args = ['grade', '--target', 'solution', '--check', '1', '--seed', '007', '--json']
    const { code, stdout } = await launch(args, { cwd: LAB_DIR })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      lab: LAB,
      reference: true,
      seed: '7',
      options: { check: 1 },
      checks: [{ id: 1, status: 'held' }],
      together: null,
    })
  })

  it('is plain in a pipe, coloured on demand, plain again with NO_COLOR', async () => {
    const args = ['grade', LAB, '--target', mine, '--check', '2']
    const coloured = await launch(args, { env: { FORCE_COLOR: '1' } })
    const plain = await launch(args)
    const forbidden = await launch(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })
    expect(coloured.stdout).toContain('\u001b[')
    expect(plain.stdout).not.toContain('\u001b[')
    expect(forbidden.stdout).not.toContain('\u001b[')
  })
})
