/** The claim of every lab with exercises: solving one of them turns its own line and no other. */

import { copyFileSync, cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/judge/lab.ts'
import { gradedOverSeeds, labDirOf, starterIsEdited } from './worlds.ts'

/** Checks without an exercise hold from the start. */
export function turnsItsOwnLine(lab: Lab): void {
  const labDir = labDirOf(lab)
  describe.skipIf(starterIsEdited(lab))('one exercise solved', () => {
    // With its links resolved, as the judge wants its folders: a temporary folder may lie behind one.
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), `leaselab-${lab.name}-`)))
    afterAll(() => rmSync(scratch, { recursive: true, force: true }))

    it.each(lab.exercises)(
      'exercise $id, $file: turns its own line and no other',
      async (exercise) => {
        const target = join(scratch, `only-${exercise.id}`)
        cpSync(join(labDir, lab.starter), target, {
          recursive: true,
          filter: (path) => !path.includes('node_modules'),
        })
        copyFileSync(join(labDir, lab.solution, exercise.file), join(target, exercise.file))
        const [checks] = await gradedOverSeeds(lab, target, ['1'])
        const expected = lab.checks.map((check) =>
          check.exercise === null || check.exercise === exercise.id ? 'held' : 'violated',
        )
        expect((checks ?? []).map(({ status }) => status)).toEqual(expected)
      },
    )
  })
}
