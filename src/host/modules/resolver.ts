/**
 * From a specifier and the file that wrote it to a built-in or a file: Node's rules, then the lab's.
 *
 * `import` and `require` resolve by their own conditions. With `ProgramFiles` the lab's overlay holds:
 * exercises come from where the run says, and files of the folder under test reach packages,
 * built-ins, exercises and each other, nothing else. Answers are kept per child and overlay, since
 * the disk does not change within one. Refuses with a LoadError that names file, line and next step.
 */

import { builtinModules } from 'node:module'
import { basename, dirname, extname, isAbsolute, relative, resolve as resolvePath } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ProgramFiles, targetDirsOf } from '../../scenario/program-files.ts'
import { isFile, kindOf, packageScope, readText, realpath } from './disk.ts'
import { findSpecifier, type LoadError, loadError, type Place } from './errors.ts'
import { isPackaged } from './format.ts'
import {
  type Asker,
  fileOrIndex,
  PackageProblem,
  resolveImports,
  resolvePackage,
} from './packages.ts'

export type { Asker } from './packages.ts'

export type Resolution =
  | { readonly kind: 'builtin'; readonly name: string }
  /** `query`: what follows `?` or `#` in an import; another query is another module. */
  | { readonly kind: 'file'; readonly path: string; readonly query: string }

const BUILTINS: ReadonlySet<string> = new Set(builtinModules)
/** Built-ins that exist with the prefix only. */
const PREFIX_ONLY: ReadonlySet<string> = new Set(['test', 'test/reporters', 'sea', 'sqlite'])
/** Codes that Node gives to a TypeError. */
const TYPE_ERRORS: ReadonlySet<string> = new Set([
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_INVALID_MODULE_SPECIFIER',
])
const EXERCISES = '#exercises/'

/** The name without `node:` when this means a built-in, else null. */
export function builtinName(specifier: string): string | null {
  if (specifier.startsWith('node:')) {
    const name = specifier.slice(5)
    return BUILTINS.has(name) || PREFIX_ONLY.has(name) ? name : null
  }
  return BUILTINS.has(specifier) && !specifier.startsWith('_') ? specifier : null
}

interface PartDirs {
  readonly prefix: string
  readonly dirs: readonly string[]
}

export class Resolver {
  readonly #files: ProgramFiles | null
  /** Folders under test. */
  readonly #targets: readonly string[]
  readonly #exerciseDirs: readonly string[]
  readonly #parts: readonly PartDirs[]
  /** Folders whose files may be loaded: the program's, and packages that are linked in. */
  readonly #roots: Set<string>
  readonly #known = new Map<string, Resolution>()

  /** `cwd` is where files may come from when no lab says it. */
  constructor(files: ProgramFiles | null, cwd: string) {
    this.#files = files
    this.#roots = new Set(
      files === null
        ? [realpath(cwd)]
        : [files.labDir, ...targetDirsOf(files), ...files.exerciseDirs].map(realpath),
    )
    this.#targets = files === null ? [] : targetDirsOf(files).map(realpath)
    this.#exerciseDirs = files === null ? [] : files.exerciseDirs.map(realpath)
    this.#parts = (files?.parts ?? []).map(({ name, labDir, exerciseDirs, targetDir }) => ({
      prefix: `${name}/`,
      dirs: [labDir, targetDir, ...exerciseDirs].map(realpath),
    }))
  }

  /** `from` is the absolute path of the asking file. Throws LoadError. */
  resolve(specifier: string, from: string, asker: Asker): Resolution {
    const key = `${asker}\n${from}\n${specifier}`
    let found = this.#known.get(key)
    if (found === undefined) {
      found = this.#find(specifier, from, asker)
      this.#known.set(key, found)
    }
    return found
  }

  /** True for a file of the folder under test. */
  inTarget(path: string): boolean {
    return this.#targets.some((dir) => isInside(dir, path))
  }

  #find(specifier: string, from: string, asker: Asker): Resolution {
    const builtin = builtinName(specifier)
    if (builtin !== null) return { kind: 'builtin', name: builtin }
    if (specifier.startsWith('node:')) {
      throw loadError(
        'ERR_UNKNOWN_BUILTIN_MODULE',
        `No such built-in module: ${specifier}`,
        placeOf(specifier, from),
      )
    }
    try {
      const exercise = this.#exercise(specifier, from)
      if (exercise !== null) return exercise
      const tested = this.inTarget(from)
      if (tested) this.#refuseOutside(specifier, from)
      const found = this.#byNode(specifier, from, asker, tested)
      if (found.kind === 'file' && isPath(specifier)) {
        if (tested) this.#refuseLinkOutside(specifier, from, found.path)
        else this.#refuseStrayFile(specifier, from, found.path)
      }
      return found
    } catch (error) {
      if (!(error instanceof PackageProblem)) throw error
      throw loadError(
        error.code,
        `${error.message} imported from ${from}`,
        placeOf(specifier, from),
        TYPE_ERRORS.has(error.code) ? 'TypeError' : 'Error',
      )
    }
  }

  #byNode(specifier: string, from: string, asker: Asker, tested: boolean): Resolution {
    if (isPath(specifier)) {
      return asker === 'import' ? importFile(specifier, from) : requireFile(specifier, from)
    }
    if (asker === 'import' && URL.canParse(specifier)) {
      throw loadError(
        'ERR_UNSUPPORTED_ESM_URL_SCHEME',
        `Only URLs with the schemes file and node can be imported here. Received '${specifier}'`,
        placeOf(specifier, from),
      )
    }
    const dir = dirname(from)
    if (specifier.startsWith('#')) {
      const target = resolveImports(specifier, dir, asker)
      if ('path' in target) return existing(target.path, specifier, from, asker)
      const builtin = builtinName(target.bare)
      if (builtin !== null) return { kind: 'builtin', name: builtin }
      return this.#package(target.bare, dir, from, asker)
    }
    return this.#package(specifier, tested ? (this.#files?.labDir ?? dir) : dir, from, asker)
  }

  #package(specifier: string, dir: string, from: string, asker: Asker): Resolution {
    const path = resolvePackage(specifier, dir, asker)
    if (path !== null) {
      const found = existing(path, specifier, from, asker)
      if (found.kind === 'file' && !isPackaged(found.path)) {
        const scope = packageScope(dirname(found.path))
        if (scope !== null) this.#roots.add(scope.dir)
      }
      return found
    }
    const hint = this.inTarget(from)
      ? `\nPackages are looked up from ${dir}: add it there, or do without it.`
      : ''
    if (asker === 'require')
      throw missing(`${notFound(specifier, from)}${hint}`, specifier, from, asker)
    throw missing(
      `Cannot find package '${specifier}' imported from ${from}.${hint}`,
      specifier,
      from,
      asker,
    )
  }

  /** `#exercises/x.ts`, or a relative import from one exercise file to another. */
  #exercise(specifier: string, from: string): Resolution | null {
    const files = this.#files
    if (files === null) return null
    if (specifier.startsWith(EXERCISES)) {
      const name = this.#prefixOf(from) + specifier.slice(EXERCISES.length)
      const path = files.exercises[name]
      if (path !== undefined) return this.#listed(path, specifier, from)
      throw loadError(
        'ERR_MODULE_NOT_FOUND',
        `There is no exercise file '${name}'. Expected one of: ${Object.keys(files.exercises).sort().join(', ')}. Write its name with the extension, e.g. '${EXERCISES}${Object.keys(files.exercises)[0] ?? 'x.ts'}'.`,
        placeOf(specifier, from),
      )
    }
    if (!specifier.startsWith('.')) return null
    const importer = this.#exerciseDirs.find((dir) => isInside(dir, from))
    if (importer === undefined) return null
    const path = resolvePath(dirname(from), specifier)
    const home = this.#exerciseDirs.find((dir) => isInside(dir, path))
    const listed =
      home === undefined ? undefined : files.exercises[this.#prefixOf(from) + relative(home, path)]
    return listed === undefined ? null : this.#listed(listed, specifier, from)
  }

  #targetOf(path: string): string {
    return this.#targets.find((dir) => isInside(dir, path)) ?? ''
  }

  /** What stands in front of the exercises' names for a file of a part. */
  #prefixOf(from: string): string {
    return this.#parts.find(({ dirs }) => dirs.some((dir) => isInside(dir, from)))?.prefix ?? ''
  }

  /** A file of an exercise; one in the folder under test is not the link to one elsewhere. */
  #listed(path: string, specifier: string, from: string): Resolution {
    const found = realpath(path)
    if (this.inTarget(path) && !this.inTarget(found)) {
      throw loadError(
        'ERR_IMPORT_OUTSIDE_TARGET',
        `${basename(path)} is a link to ${found}, which is outside the folder under test. Put the file itself into ${dirname(path)}.`,
        placeOf(specifier, from),
      )
    }
    return { kind: 'file', path: found, query: '' }
  }

  #refuseOutside(specifier: string, from: string): void {
    const target = this.#targetOf(from)
    if (specifier.startsWith('#')) {
      throw this.#refused(specifier, from, 'no import name that files of an exercise can use')
    }
    if (/^(?:data|https?|blob):/.test(specifier)) {
      throw this.#refused(specifier, from, 'no file, package or built-in')
    }
    if (isAbsolute(specifier) || specifier.startsWith('file:')) {
      throw this.#refused(specifier, from, 'an absolute path')
    }
    if (isPath(specifier) && !isInside(target, resolvePath(dirname(from), specifier))) {
      throw this.#refused(specifier, from, 'outside the folder under test')
    }
  }

  #refuseLinkOutside(specifier: string, from: string, path: string): void {
    if (this.inTarget(path)) return
    throw this.#refused(
      specifier,
      from,
      `a link to ${path}, which is outside the folder under test`,
    )
  }

  /** Of files that are not under test: they stay within the program and its packages. */
  #refuseStrayFile(specifier: string, from: string, path: string): void {
    if (isPackaged(path)) return
    for (const root of this.#roots) if (isInside(root, path)) return
    throw loadError(
      'ERR_IMPORT_OUTSIDE_PROGRAM',
      `${from} imports '${specifier}', which is outside the program's folder. Expected a file in ${[...this.#roots].join(' or ')}, a package or a built-in. Put what you need there.`,
      placeOf(specifier, from),
    )
  }

  #refused(specifier: string, from: string, what: string): LoadError {
    const place = placeOf(specifier, from)
    const where = place === null ? from : `${place.file}:${place.line}`
    const exercises = Object.keys(this.#files?.exercises ?? {})
    const file = basename(specifier)
    const next = exercises.includes(this.#prefixOf(from) + file)
      ? `Import it as '${EXERCISES}${file}' or './${file}'.`
      : `Put what you need into a file in ${this.#targetOf(from)}.`
    return loadError(
      'ERR_IMPORT_OUTSIDE_TARGET',
      `${where} imports '${specifier}', which is ${what}. Files there may import packages, Node's built-ins, '${EXERCISES}<file>' and each other. ${next}`,
      place,
    )
  }
}

function isPath(specifier: string): boolean {
  return (
    /^\.{0,2}\//.test(specifier) ||
    specifier === '.' ||
    specifier === '..' ||
    specifier.startsWith('file:')
  )
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`)
}

function importFile(specifier: string, from: string): Resolution {
  const url = new URL(specifier, pathToFileURL(from))
  const path = fileURLToPath(url)
  const found = existing(path, specifier, from, 'import')
  return found.kind === 'file' ? { ...found, query: url.search + url.hash } : found
}

function requireFile(specifier: string, from: string): Resolution {
  const asFolder = /(?:^|\/)\.{0,2}\/?$/.test(specifier) && specifier !== ''
  const path = resolvePath(dirname(from), specifier) + (asFolder ? '/' : '')
  const found = fileOrIndex(path)
  return found === null
    ? existing(path, specifier, from, 'require')
    : { kind: 'file', path: realpath(found), query: '' }
}

/** The file behind a path, or the error that says what may have been meant. */
function existing(path: string, specifier: string, from: string, asker: Asker): Resolution {
  if (isFile(path)) return { kind: 'file', path: realpath(path), query: '' }
  if (asker === 'import' && kindOf(path) === 'dir') {
    throw loadError(
      'ERR_UNSUPPORTED_DIR_IMPORT',
      `Directory import '${path}' is not supported resolving ES modules imported from ${from}. Name the file: '${specifier.replace(/\/$/, '')}/index.js'.`,
      placeOf(specifier, from),
    )
  }
  const subject =
    asker === 'import'
      ? `Cannot find module '${path}' imported from ${from}.`
      : notFound(specifier, from)
  throw missing(`${subject}${meant(path, specifier)}`, specifier, from, asker)
}

function meant(path: string, specifier: string): string {
  const extension = extname(path)
  const bare = /^\.[cm]?js$/.test(extension) ? path.slice(0, -extension.length) : path
  for (const other of ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']) {
    if (bare + other === path || !isFile(bare + other)) continue
    const written =
      extension !== '' && bare !== path ? specifier.slice(0, -extension.length) : specifier
    return `\nThere is '${written}${other}': write that.`
  }
  return ''
}

function missing(message: string, specifier: string, from: string, asker: Asker): LoadError {
  const code = asker === 'import' ? 'ERR_MODULE_NOT_FOUND' : 'MODULE_NOT_FOUND'
  const error = loadError(code, message, placeOf(specifier, from))
  if (asker === 'require') error.requireStack = [from]
  return error
}

function notFound(specifier: string, from: string): string {
  return `Cannot find module '${specifier}'\nRequire stack:\n- ${from}`
}

function placeOf(specifier: string, from: string): Place | null {
  try {
    return findSpecifier(readText(from), from, specifier)
  } catch {
    return null
  }
}
