/**
 * One seed, one digest: in one judge and in fresh ones, on a busy machine, elsewhere on the globe.
 */

import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/judge/verdict.ts'
import { grade, LAB_DIR } from './grade.ts'

const solution = join(LAB_DIR, 'solution')

const digests = ({ digest, checks, together }: Verdict): string[] => [
  digest ?? 'none',
  ...checks.map((check) => check.digest ?? 'none'),
  together?.digest ?? 'none',
]

describe('the digest', () => {
  let expected: string[]

  beforeAll(async () => {
    expected = digests((await grade(solution)).verdict)
  }, 60_000)

  test('names every check and the ungraded run', () => {
    expect(expected).toHaveLength(7)
    for (const digest of expected) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(expected).size).toBe(7)
  })

  test('is the same twice in one judge', async () => {
    const { exitCode, verdict } = await grade(solution, ['--twice'])
    expect(exitCode).toBe(0)
    expect(digests(verdict)).toEqual(expected)
  }, 60_000)

  test.each([
    ['Pacific/Auckland', 'de_DE.UTF-8'],
    ['America/St_Johns', 'tr_TR.UTF-8'],
  ])(
    'is the same in %s and %s',
    async (TZ, LANG) => {
      const { verdict } = await grade(solution, [], { TZ, LANG, LC_ALL: LANG })
      expect(digests(verdict)).toEqual(expected)
    },
    60_000,
  )

  test('is the same from a copy of the folder under another path', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'leaselab elsewhere '))
    try {
      cpSync(solution, dir, { recursive: true })
      expect(digests((await grade(dir)).verdict)).toEqual(expected)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }, 60_000)

  test('differs with another seed', async () => {
    const { verdict } = await grade(solution, ['--seed', '2'])
    expect(verdict.digest).not.toBe(expected[0])
  }, 60_000)

  describe('on a busy machine', () => {
    const busy: ReturnType<typeof spawn>[] = []

    beforeAll(() => {
      for (let k = 0; k < 3; k += 1) {
        busy.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
      }
    })

    afterAll(() => {
      for (const child of busy) child.kill('SIGKILL')
    })

    test('is the same', async () => {
      const { verdict } = await grade(solution)
      expect(digests(verdict)).toEqual(expected)
    }, 120_000)
  })
})
