/**
 * Package entry points: `exports`, `imports` and `main` of a package.json, by Node's algorithm.
 *
 * Pure but for the disk (through `disk.ts`). Conditions are those of the asker, `import` or `require`,
 * and `node`, `module-sync` and `default`. Source: Node 20.19, "Modules: Packages", resolution and
 * loading algorithm. Left out: custom conditions.
 */

import { dirname, join } from 'node:path'
import { isFile, kindOf, type PackageJson, packageIn, packageScope } from './disk.ts'

export type Asker = 'import' | 'require'

/** Conditions of both. */
const ALWAYS: ReadonlySet<string> = new Set(['node', 'module-sync', 'default'])

/** What went wrong, for the caller to put into an error with a place. */
export class PackageProblem extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** `@scope/name/sub` → name and `./sub` (or `.`). Null when it is no package specifier. */
export function splitPackage(specifier: string): { name: string; subpath: string } | null {
  const parts = specifier.split('/')
  const count = specifier.startsWith('@') ? 2 : 1
  const name = parts.slice(0, count).join('/')
  if (parts.length < count || name === '' || name.startsWith('.') || /[\\%]/.test(name)) return null
  const rest = parts.slice(count).join('/')
  return { name, subpath: rest === '' ? '.' : `./${rest}` }
}

/** The folder of a package as seen from `dir`, or null. */
export function findPackage(name: string, dir: string): string | null {
  for (let folder = dir; ; ) {
    if (!folder.endsWith('/node_modules')) {
      const candidate = join(folder, 'node_modules', name)
      if (kindOf(candidate) === 'dir') return candidate
    }
    const above = dirname(folder)
    if (above === folder) return null
    folder = above
  }
}

/** A file (before symbolic links are followed) for a bare specifier; null when there is no package. */
export function resolvePackage(specifier: string, dir: string, asker: Asker): string | null {
  const split = splitPackage(specifier)
  if (split === null) {
    throw new PackageProblem('ERR_INVALID_MODULE_SPECIFIER', `'${specifier}' is no package name`)
  }
  const { name, subpath } = split
  const own = packageScope(dir)
  if (own !== null && own.name === name && own.exports !== undefined && own.exports !== null) {
    return resolveExports(own, subpath, asker)
  }
  const folder = findPackage(name, dir)
  if (folder === null) return null
  const manifest = packageIn(folder)
  if (manifest !== null && manifest.exports !== undefined && manifest.exports !== null) {
    return resolveExports(manifest, subpath, asker)
  }
  if (subpath === '.') return resolveMain(folder, manifest, asker)
  const path = join(folder, subpath)
  if (asker === 'import') return isFile(path) ? path : missingFile(path)
  return fileOrIndex(path)
}

/** `#name` by the `imports` of the importing file's own package. May answer a bare specifier. */
export function resolveImports(
  specifier: string,
  dir: string,
  asker: Asker,
): { path: string } | { bare: string } {
  const scope = packageScope(dir)
  const imports = scope?.imports
  if (scope !== null && isRecord(imports)) {
    const target = matchKey(imports, specifier)
    if (target !== null) {
      const resolved = resolveTarget(scope.dir, target.value, target.star, asker, true)
      if (resolved !== null && resolved !== undefined) return resolved
    }
  }
  throw new PackageProblem(
    'ERR_PACKAGE_IMPORT_NOT_DEFINED',
    `Package import specifier "${specifier}" is not defined${scope === null ? '' : ` in package ${join(scope.dir, 'package.json')}`}`,
  )
}

/** Node's search for `require`: the file itself, with an extension, or the folder's main or index. */
export function fileOrIndex(path: string): string | null {
  if (!path.endsWith('/')) {
    const file = withExtension(path)
    if (file !== null) return file
  }
  if (kindOf(path) !== 'dir') return null
  const manifest = packageIn(path)
  return mainOf(path, manifest) ?? withExtension(join(path, 'index'), false)
}

const EXTENSIONS = ['.js', '.json', '.cjs'] as const

function withExtension(path: string, exact = true): string | null {
  if (exact && isFile(path)) return path
  for (const extension of EXTENSIONS) if (isFile(path + extension)) return path + extension
  return null
}

function mainOf(folder: string, manifest: PackageJson | null): string | null {
  if (typeof manifest?.main !== 'string') return null
  const path = join(folder, manifest.main)
  return withExtension(path) ?? withExtension(join(path, 'index'), false)
}

function resolveMain(folder: string, manifest: PackageJson | null, asker: Asker): string {
  const found = mainOf(folder, manifest) ?? withExtension(join(folder, 'index'), false)
  if (found !== null) return found
  throw new PackageProblem(
    asker === 'import' ? 'ERR_MODULE_NOT_FOUND' : 'MODULE_NOT_FOUND',
    `Cannot find the main file of package ${folder}`,
  )
}

function missingFile(path: string): never {
  throw new PackageProblem('ERR_MODULE_NOT_FOUND', `Cannot find module '${path}'`)
}

function resolveExports(manifest: PackageJson, subpath: string, asker: Asker): string {
  const { exports } = manifest
  let resolved: Resolved = null
  const isMap =
    isRecord(exports) && !Array.isArray(exports) && Object.keys(exports)[0]?.startsWith('.')
  if (isMap) {
    const target = matchKey(exports as Record<string, unknown>, subpath)
    if (target !== null) {
      resolved = resolveTarget(manifest.dir, target.value, target.star, asker, false)
    }
  } else if (subpath === '.') {
    resolved = resolveTarget(manifest.dir, exports, null, asker, false)
  }
  if (resolved !== null && resolved !== undefined && 'path' in resolved) return resolved.path
  const file = join(manifest.dir, 'package.json')
  throw new PackageProblem(
    'ERR_PACKAGE_PATH_NOT_EXPORTED',
    subpath === '.'
      ? `No "exports" main defined in ${file}`
      : `Package subpath '${subpath}' is not defined by "exports" in ${file}`,
  )
}

/** Exact keys first, then the pattern with the longest text before its star. */
function matchKey(
  map: Record<string, unknown>,
  name: string,
): { value: unknown; star: string | null } | null {
  if (Object.hasOwn(map, name) && !name.includes('*')) return { value: map[name], star: null }
  let best: { value: unknown; star: string; base: number; length: number } | null = null
  for (const key of Object.keys(map)) {
    const at = key.indexOf('*')
    if (at < 0) continue
    const tail = key.slice(at + 1)
    if (!name.startsWith(key.slice(0, at)) || name.length < key.length || !name.endsWith(tail)) {
      continue
    }
    if (best === null || at > best.base || (at === best.base && key.length > best.length)) {
      const star = name.slice(at, name.length - tail.length)
      best = { value: map[key], star, base: at, length: key.length }
    }
  }
  return best
}

type Resolved = { path: string } | { bare: string } | null | undefined

/** Undefined: no condition matched, go on looking. Null: shut on purpose. */
function resolveTarget(
  dir: string,
  target: unknown,
  star: string | null,
  asker: Asker,
  internal: boolean,
): Resolved {
  if (typeof target === 'string') {
    const filled = star === null ? target : target.replaceAll('*', star)
    if (filled.startsWith('./')) return { path: join(dir, filled) }
    const isBare = !/^(?:\.\.)?\//.test(filled) && !URL.canParse(filled)
    if (internal && isBare) return { bare: filled }
    throw new PackageProblem(
      'ERR_INVALID_PACKAGE_TARGET',
      `Invalid target ${JSON.stringify(target)} in ${join(dir, 'package.json')}: it must start with "./"`,
    )
  }
  if (Array.isArray(target)) {
    for (const one of target) {
      const resolved = resolveTarget(dir, one, star, asker, internal)
      if (resolved !== null && resolved !== undefined) return resolved
    }
    return target.length === 0 ? null : undefined
  }
  if (isRecord(target)) {
    for (const [condition, value] of Object.entries(target)) {
      if (condition !== asker && !ALWAYS.has(condition)) continue
      const resolved = resolveTarget(dir, value, star, asker, internal)
      if (resolved !== undefined) return resolved
    }
    return undefined
  }
  return null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
