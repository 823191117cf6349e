/**
 * How a file is to be read: by its extension, and for `.js` and `.ts` by the nearest package.json.
 *
 * Source: Node 20, "Determining module system". Refuses compiled code, and TypeScript in packages,
 * as Node does; the laboratory's own package is the exception, since it is linked from its source.
 */

import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageScope } from './disk.ts'
import { loadError } from './errors.ts'

/** The path of a file of somebody's package. */
export function isPackaged(path: string): boolean {
  return path.includes('/node_modules/')
}

export type Format = 'module' | 'commonjs' | 'json' | 'ambiguous'

/** How a file is to be read, by extension and the nearest `type`. Throws LoadError. */
export function formatOf(path: string): Format {
  const extension = extname(path)
  switch (extension) {
    case '.mjs':
    case '.mts':
      return 'module'
    case '.cjs':
    case '.cts':
      return 'commonjs'
    case '.json':
      return 'json'
    case '.node':
    case '.wasm':
      throw loadError(
        'ERR_UNKNOWN_FILE_EXTENSION',
        `${path} is compiled code; the world runs JavaScript and TypeScript only. Use a package written in JavaScript.`,
        null,
        'TypeError',
      )
    default: {
      const scope = packageScope(dirname(path))
      if (scope?.type === 'module') return 'module'
      // A stray `"type": "commonjs"` above a folder of TypeScript (npm init writes it) says little
      // about files that Node could not run anyway: their own syntax decides.
      const stated = scope?.type === 'commonjs' && !path.endsWith('.ts')
      if (stated || isPackaged(path)) return 'commonjs'
      return 'ambiguous'
    }
  }
}

/** True for a file whose types must be taken out. Refuses TypeScript in other people's packages. */
export function isTypeScript(path: string): boolean {
  if (!/\.[cm]?ts$/.test(path)) return false
  if (isPackaged(path) && packageScope(dirname(path))?.name !== 'leaselab') {
    throw loadError(
      'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
      `${path} is TypeScript inside a package, which Node does not run either. Use the package's compiled files.`,
      null,
    )
  }
  return true
}

/** As a module is named in stacks and `import.meta.url`. */
export function urlOf(path: string, query = ''): string {
  return pathToFileURL(path).href + query
}
