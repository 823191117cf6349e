/**
 * Which files of the real disk a process may read, and what it is told of them.
 *
 * A process sees its own folder (in a lab the folder under test, not the checks and the solution
 * beside it) and the packages that it can import; any other path does not exist
 * for it, as in a container without these files. Links are followed and judged by where they lead.
 * Contents are kept for the life of the child. Times, owners and numbers that depend on the machine
 * are fixed.
 */

import * as real from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { targetDirsOf } from '../../../scenario/program-files.ts'
import type { HostContext } from '../../context.ts'
import { fileError } from '../system-error.ts'

const contents = new Map<string, Buffer>()

function inside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

/** In a `node_modules` of a folder that `folder` lies in. */
function isPackageOf(path: string, folder: string): boolean {
  const at = path.indexOf(`${sep}node_modules${sep}`)
  return at !== -1 && inside(folder, path.slice(0, at) || sep)
}

export class AllowedFiles {
  readonly #cwd: string
  readonly #timeMs: number
  readonly #roots: readonly string[]
  /** Folders whose packages, and those of the folders above them, may be read. */
  readonly #packageRoots: readonly string[]

  constructor({ program, epochMs }: HostContext) {
    const { cwd, entry, files } = program
    this.#cwd = cwd
    this.#timeMs = epochMs
    // Of a lab only the folder under test: its checks and its solution are nobody's business.
    const roots = files === null ? [cwd, dirname(entry)] : targetDirsOf(files)
    this.#roots = withRealRoots(roots)
    this.#packageRoots = withRealRoots(files === null ? roots : [files.labDir, ...roots])
  }

  /** The absolute real path; throws ENOENT where a process has nothing to see. */
  find(path: unknown, syscall: string): string {
    const wanted = this.absolute(path)
    const missing = (): Error => fileError('ENOENT', syscall, String(path))
    if (!this.#permits(wanted)) throw missing()
    let found: string
    try {
      found = real.realpathSync(wanted)
    } catch {
      throw missing()
    }
    if (!this.#permits(found)) throw missing()
    return found
  }

  absolute(path: unknown): string {
    const text =
      path instanceof URL || (typeof path === 'object' && path !== null && 'href' in path)
        ? fileURLToPath(path as URL)
        : Buffer.isBuffer(path)
          ? path.toString()
          : path
    if (typeof text !== 'string') {
      throw Object.assign(
        new TypeError(
          'The "path" argument must be of type string or an instance of Buffer or URL.',
        ),
        { code: 'ERR_INVALID_ARG_TYPE' },
      )
    }
    return resolve(this.#cwd, text)
  }

  #permits(path: string): boolean {
    return (
      this.#roots.some((root) => inside(path, root)) ||
      this.#packageRoots.some((root) => isPackageOf(path, root))
    )
  }

  read(path: unknown, syscall = 'open'): Buffer {
    const found = this.find(path, syscall)
    let bytes = contents.get(found)
    if (bytes === undefined) {
      if (real.statSync(found).isDirectory()) {
        throw Object.assign(new Error('EISDIR: illegal operation on a directory, read'), {
          code: 'EISDIR',
          errno: -21,
          syscall: 'read',
        })
      }
      bytes = real.readFileSync(found)
      contents.set(found, bytes)
    }
    return Buffer.from(bytes)
  }

  stat(path: unknown, syscall: string): real.Stats {
    const stats = real.statSync(this.find(path, syscall))
    const date = new Date(this.#timeMs)
    const fixed: Record<string, unknown> = { dev: 1, ino: 1, uid: 0, gid: 0, rdev: 0, nlink: 1 }
    fixed.mode = stats.isDirectory() ? 0o040755 : 0o100644
    if (stats.isDirectory()) Object.assign(fixed, { size: 4096, blocks: 8 })
    for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) {
      fixed[`${name}Ms`] = this.#timeMs
      fixed[name] = date
    }
    return Object.assign(stats, fixed)
  }

  list(path: unknown, withTypes: boolean): string[] | real.Dirent[] {
    const found = this.find(path, 'scandir')
    const names = real.readdirSync(found, { withFileTypes: true })
    names.sort((a, b) => (a.name < b.name ? -1 : 1))
    const seen = names.filter(({ name }) => this.exists(join(found, name)))
    return withTypes ? seen : seen.map(({ name }) => name)
  }

  exists(path: unknown): boolean {
    try {
      this.find(path, 'access')
      return true
    } catch {
      return false
    }
  }
}

function withRealRoots(roots: readonly string[]): readonly string[] {
  return [...new Set(roots.flatMap((root) => [root, realRoot(root)]))]
}

function realRoot(root: string): string {
  try {
    return real.realpathSync(root)
  } catch {
    return root
  }
}
