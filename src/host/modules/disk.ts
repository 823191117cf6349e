/**
 * The files that programs are loaded from, as this world child sees them: each is looked at once.
 *
 * All answers are kept for the life of the child, so a file that changes meanwhile changes nothing
 * within a world, and processes and incarnations share the reading, stripping and compiling. Paths
 * are absolute. Nothing here is ever written.
 */

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface PackageJson {
  /** Folder of the file. */
  readonly dir: string
  readonly name?: string
  readonly type?: string
  readonly main?: unknown
  readonly exports?: unknown
  readonly imports?: unknown
}

const kinds = new Map<string, 'file' | 'dir' | null>()
const texts = new Map<string, string>()
const realpaths = new Map<string, string>()
const packages = new Map<string, PackageJson | null>()
const scopes = new Map<string, PackageJson | null>()

export function kindOf(path: string): 'file' | 'dir' | null {
  let kind = kinds.get(path)
  if (kind === undefined) {
    const stat = statSync(path, { throwIfNoEntry: false })
    kind = stat === undefined ? null : stat.isDirectory() ? 'dir' : 'file'
    kinds.set(path, kind)
  }
  return kind
}

export function isFile(path: string): boolean {
  return kindOf(path) === 'file'
}

/** Without symbolic links; the path itself when there is no such file. */
export function realpath(path: string): string {
  let real = realpaths.get(path)
  if (real === undefined) {
    try {
      real = realpathSync(path)
    } catch {
      real = path
    }
    realpaths.set(path, real)
  }
  return real
}

/** UTF-8, without a byte order mark. Throws as `readFileSync` does. */
export function readText(path: string): string {
  let text = texts.get(path)
  if (text === undefined) {
    text = readFileSync(path, 'utf8')
    if (text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    texts.set(path, text)
  }
  return text
}

/** The package.json in this folder, or null. One that is no JSON throws a SyntaxError naming it. */
export function packageIn(dir: string): PackageJson | null {
  let found = packages.get(dir)
  if (found === undefined) {
    const file = join(dir, 'package.json')
    if (!isFile(file)) found = null
    else {
      try {
        found = { ...(JSON.parse(readText(file)) as object), dir }
      } catch (error) {
        throw new SyntaxError(`${file} is not valid JSON: ${(error as Error).message}`)
      }
    }
    packages.set(dir, found)
  }
  return found
}

/** The nearest package.json at or above this folder: what says `type`, `imports` and the own name. */
export function packageScope(dir: string): PackageJson | null {
  let found = scopes.get(dir)
  if (found === undefined) {
    const above = dirname(dir)
    found = packageIn(dir)
    if (found === null && above !== dir && !dir.endsWith('/node_modules'))
      found = packageScope(above)
    scopes.set(dir, found)
  }
  return found
}
