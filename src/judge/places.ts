/**
 * Where a lab's modules lie: those of a folder under test, those of the solution, those given.
 *
 * A lab that is put together of others (`parts`) has no exercises' files of its own. Its module
 * `day-10/shard.ts` is the file `shard.ts` of the part `day-10`: in the folder under test for that
 * part, or in the solution of the part's own lab, which lies beside this one. What the lab gives itself
 * (`given`) comes from neither. Pure: names in, absolute paths out.
 */

import { dirname, join } from 'node:path'
import type { Part, ProgramFiles } from '../scenario/program-files.ts'
import type { Lab } from './lab.ts'

/** Folder under test of each part, by its name; of a lab without parts one folder, under ''. */
export type TargetDirs = Readonly<Record<string, string>>

/** Folders of a lab's own solution, in the shape of a target. */
export function solutionDirs(lab: Lab, labDir: string): TargetDirs {
  return ownDirs(lab, labDir, (part) => part.solution)
}

/** Folders of a lab's starter, in the shape of a target. */
export function starterDirs(lab: Lab, labDir: string): TargetDirs {
  return ownDirs(lab, labDir, (part) => part.starter)
}

function ownDirs(
  lab: Lab,
  labDir: string,
  folderOf: (part: { readonly solution: string; readonly starter: string }) => string,
): TargetDirs {
  if (lab.parts === undefined) return { '': join(labDir, folderOf(lab)) }
  return Object.fromEntries(
    lab.parts.map((part) => [part.name, join(partLabDir(labDir, part.lab), folderOf(part))]),
  )
}

/** The path of a module in folders of that shape; the part's folder may be missing. */
export function modulePath(lab: Lab, dirs: TargetDirs, module: string): string | null {
  const [part, file] = split(lab, module)
  const dir = dirs[part]
  return dir === undefined ? null : join(dir, file)
}

/** Files of one world: the modules `fromTarget` from the folders under test, the rest from the solution. */
export function programFiles(
  lab: Lab,
  labDir: string,
  targets: TargetDirs,
  fromTarget: readonly string[],
): ProgramFiles {
  const solution = solutionDirs(lab, labDir)
  const exercises: Record<string, string> = {}
  for (const module of lab.modules) {
    const own = fromTarget.includes(module) ? modulePath(lab, targets, module) : null
    exercises[module] = own ?? (modulePath(lab, solution, module) as string)
  }
  for (const [module, file] of Object.entries(lab.given ?? {})) {
    exercises[module] = join(labDir, file)
  }
  const exerciseDirs = [...new Set([...Object.values(solution), ...Object.values(targets)])]
  const targetDir = targets[''] ?? Object.values(targets)[0] ?? labDir
  if (lab.parts === undefined) return { labDir, exercises, exerciseDirs, targetDir }
  const parts = lab.parts.map(({ name, lab: partLab }): Part => {
    const own = targets[name] ?? (solution[name] as string)
    return {
      name,
      labDir: partLabDir(labDir, partLab),
      exerciseDirs: [...new Set([solution[name] as string, own])],
      targetDir: own,
    }
  })
  return { labDir, exercises, exerciseDirs, targetDir, parts }
}

function partLabDir(labDir: string, lab: string): string {
  return join(dirname(labDir), lab)
}

function split(lab: Lab, module: string): readonly [part: string, file: string] {
  const slash = module.indexOf('/')
  if (lab.parts === undefined || slash < 0) return ['', module]
  return [module.slice(0, slash), module.slice(slash + 1)]
}
