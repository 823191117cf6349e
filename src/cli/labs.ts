/**
 * Finds labs and targets: which lab is meant, and which folder is graded.
 *
 * A lab is a folder `labs/<course>/<lab>` with a manifest `lab.ts`; its name is the folder's. A target
 * is any folder that holds at least one of the lab's modules. Refuses everything else with a
 * UsageError; reads folders, writes nothing.
 */

import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Lab } from '../judge/lab.ts'
import { modulePath, solutionDirs, starterDirs, type TargetDirs } from '../judge/places.ts'
import { builtPath, type Layout } from './layout.ts'
import { didYouMean } from './suggest.ts'
import { UsageError } from './usage-error.ts'

/** Graded at the root, where nothing else says which lab is meant. */
export const DEFAULT_LAB = 'mini-koda'
/** The same in the real arm, which that one does not have yet. */
export const DEFAULT_REAL_LAB = 'day-10-sharding-lease'

export interface LabPlace {
  readonly name: string
  /** Absolute. */
  readonly dir: string
}

export interface Target {
  /** Absolute, without links. */
  readonly dir: string
  /** As a person in `here` would write it. */
  readonly shown: string
  /** Those of the lab's modules that are there. */
  readonly present: readonly string[]
  /** Of a lab with parts: the folder of each. */
  readonly parts?: TargetDirs
}

/** All labs, by name. */
export function listLabs(layout: Layout): readonly LabPlace[] {
  const foldersIn = (folder: string): readonly string[] =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
          .map((entry) => join(folder, entry.name))
      : []
  return foldersIn(join(layout.root, 'labs'))
    .flatMap(foldersIn)
    .filter((dir) => existsSync(join(dir, 'lab.ts')))
    .map((dir) => ({ name: dir.slice(dir.lastIndexOf(sep) + 1), dir }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The lab of this name. */
export function findLab(layout: Layout, name: string, where: string): LabPlace {
  const labs = listLabs(layout)
  const found = labs.find((lab) => lab.name === name)
  if (found) return found
  const names = labs.map((lab) => lab.name)
  throw new UsageError(`There is no lab named ${JSON.stringify(name)}.${didYouMean(name, names)}`, {
    where,
    expected: `one of: ${names.join(', ')}`,
    got: JSON.stringify(name),
    next: `pnpm leaselab grade ${names[0] ?? DEFAULT_LAB} --target <folder>`,
  })
}

/** The lab that `here` lies in, or null. */
export function labAround(layout: Layout, here: string): LabPlace | null {
  return listLabs(layout).find((lab) => isInside(lab.dir, here)) ?? null
}

/** The lab's manifest. */
export async function loadLab(layout: Layout, place: LabPlace): Promise<Lab> {
  const manifest = relative(layout.root, join(place.dir, 'lab.ts'))
  const module = await import(pathToFileURL(builtPath(layout, manifest)).href)
  return module.default as Lab
}

/**
 * The folder under test. `typed` is what the person wrote, relative to `here`; `where` names the
 * option or variable that it came from.
 */
export function findTarget(
  lab: Lab,
  labDir: string,
  typed: string,
  here: string,
  where: string,
): Target {
  const path = targetPath(lab, labDir, typed, here)
  const next = `pnpm leaselab grade ${lab.name} --target ${shownFrom(here, join(labDir, lab.starter))}`
  if (lab.parts !== undefined) {
    const own = ownTarget(lab, labDir, path)
    if (own !== null) return { dir: path, shown: shownFrom(here, path), ...own }
  }
  const stat = typed === '' ? undefined : statOf(path)
  const expected = `a folder with at least one of: ${lab.modules.join(', ')}`
  if (stat === undefined) {
    throw new UsageError('The target is not there.', {
      where,
      expected,
      got: typed === '' ? 'an empty path' : `no such folder: ${path}`,
      next,
    })
  }
  if (!stat.isDirectory()) {
    throw new UsageError('The target is a file; a folder is graded as a whole.', {
      where,
      expected,
      got: `a file: ${path}`,
      next: `pnpm leaselab grade ${lab.name} --target ${shownFrom(here, dirname(path))}`,
    })
  }
  if (realpathSync(path).split(sep).includes('node_modules')) {
    throw new UsageError('The target is inside a node_modules folder.', {
      where,
      expected:
        'a folder of your own: what is below node_modules counts as a package, not as yours',
      got: path,
      next: 'copy the folder to another place and grade it there',
    })
  }
  const dirs = partsIn(lab, path)
  const present = modulesIn(lab, path, dirs)
  if (present.length === 0) {
    throw new UsageError("The target has none of the lab's files.", {
      where,
      expected,
      got: `none of them in ${path}`,
      next,
    })
  }
  const parts =
    dirs && Object.fromEntries(Object.entries(dirs).map(([name, dir]) => [name, realpathSync(dir)]))
  const target = { dir: realpathSync(path), shown: shownFrom(here, path), present }
  return parts === undefined ? target : { ...target, parts }
}

/** `solution` and `starter` are always to be had, also where a lab keeps them in its parts. */
function targetPath(lab: Lab, labDir: string, typed: string, here: string): string {
  const path = resolve(here, typed)
  const isOwn = typed === lab.solution || typed === lab.starter
  return isOwn && statOf(path) === undefined ? join(labDir, typed) : path
}

/** Solution or starter of a lab that is put together of others. */
function ownTarget(
  lab: Lab,
  labDir: string,
  path: string,
): Pick<Target, 'present' | 'parts'> | null {
  const dirsOf = { [lab.solution]: solutionDirs, [lab.starter]: starterDirs }[
    relative(labDir, path)
  ]
  return dirsOf === undefined ? null : { present: lab.modules, parts: dirsOf(lab, labDir) }
}

/** The folder of each part in a target: the one whose name begins with the part's. */
function partsIn(lab: Lab, dir: string): TargetDirs | undefined {
  if (lab.parts === undefined) return undefined
  const folders = readdirSync(dir).filter((name) => statOf(join(dir, name))?.isDirectory())
  return Object.fromEntries(
    lab.parts.flatMap(({ name }) => {
      const found = folders.find((folder) => folder === name || folder.startsWith(`${name}-`))
      return found === undefined ? [] : [[name, join(dir, found)]]
    }),
  )
}

/**
 * The folder that `start` grades from `here`: the nearest one with most of the modules, else the
 * solution. (One alone says nothing: a lab's programs may have a `worker.ts` of their own.)
 */
export function implicitTarget(lab: Lab, labDir: string, here: string): string {
  for (let dir = here; isInside(labDir, dir) && dir !== labDir; dir = dirname(dir)) {
    if (modulesIn(lab, dir).length > lab.modules.length / 2) return dir
  }
  return join(labDir, lab.solution)
}

/** `./x` for what lies in `here`, otherwise the absolute path; a repeated line works from anywhere. */
export function shownFrom(here: string, path: string): string {
  const way = relative(here, path)
  if (way === '') return '.'
  return way.startsWith('..') || isAbsolute(way) ? path : `./${way.split(sep).join('/')}`
}

function modulesIn(lab: Lab, dir: string, parts?: TargetDirs): readonly string[] {
  const dirs = parts ?? { '': dir }
  return lab.modules.filter((module) => {
    const path = modulePath(lab, dirs, module)
    return path !== null && statOf(path)?.isFile()
  })
}

/** Undefined for whatever cannot be reached: not there, a loop of links, a name too long. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return !way.startsWith('..') && !isAbsolute(way)
}
