/**
 * What was made of a text, kept: in memory and, where it can be written, on disk.
 *
 * On disk under node_modules/.cache/leaselab/strip, by the SHA-256 of the maker's version and the text;
 * files arrive there by a rename. A cache that cannot be read or written costs time, nothing else.
 */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

let cacheDir: string | null | undefined
const memory = new Map<string, string>()

/** `make()`, or what it gave before for this text. `version` names the maker. Throws what `make` throws. */
export function cached(version: string, text: string, make: () => string): string {
  const key = createHash('sha256').update(version).update('\n').update(text).digest('hex')
  let made = memory.get(key) ?? readCached(key)
  if (made === undefined) {
    made = make()
    writeCached(key, made)
  }
  memory.set(key, made)
  return made
}

/** Null where there is no package folder to write to. */
function cacheFolder(): string | null {
  if (cacheDir !== undefined) return cacheDir
  cacheDir = null
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const packages = join(folder, 'node_modules')
    if (existsSync(packages) || folder.endsWith('node_modules')) {
      const root = folder.endsWith('node_modules') ? folder : packages
      cacheDir = join(root, '.cache', 'leaselab', 'strip')
      return cacheDir
    }
    const above = dirname(folder)
    if (above === folder) return null
    folder = above
  }
}

function readCached(key: string): string | undefined {
  const folder = cacheFolder()
  if (folder === null) return undefined
  try {
    return readFileSync(join(folder, `${key}.js`), 'utf8')
  } catch {
    return undefined
  }
}

function writeCached(key: string, made: string): void {
  const folder = cacheFolder()
  if (folder === null) return
  try {
    mkdirSync(folder, { recursive: true })
    const draft = join(folder, `${key}.${process.pid}.tmp`)
    writeFileSync(draft, made)
    renameSync(draft, join(folder, `${key}.js`))
  } catch {
    cacheDir = null
  }
}
