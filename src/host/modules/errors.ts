/**
 * The errors that loading a module can end with, with Node's codes and the place that asked.
 *
 * `place` is filled where the importing line is known; the host shows it and puts it in the trace.
 */

/** Where something was written. Lines and columns from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

const CLASSES = { Error, SyntaxError, TypeError } as const

/** An error of loading, with Node's code and the place that asked for what could not be had. */
export type LoadError = Error & { code?: string; requireStack?: string[] }

/**
 * Makes one. A code that Node shows in the first line of the stack is shown there (`MODULE_NOT_FOUND`
 * is not), `place` is told as the only frame. Its class is an ordinary one, as Node's are.
 */
export function loadError(
  code: string | null,
  message: string,
  place: Place | null,
  name: keyof typeof CLASSES = 'Error',
): LoadError {
  const error: LoadError = new CLASSES[name](message)
  if (code !== null) error.code = code
  const shownCode = code?.startsWith('ERR_') ? ` [${code}]` : ''
  const at = place === null ? '' : `\n    at ${place.file}:${place.line}:${place.column}`
  error.stack = `${name}${shownCode}: ${message}${at}`
  return withPlace(error, place)
}

/** Marks where an error was made, for the trace. Not seen by who prints it. */
export function withPlace<E extends Error>(error: E, place: Place | null): E {
  Object.defineProperty(error, 'place', { value: place, configurable: true })
  return error
}

/** Where `specifier` stands in an import, export or require of this text; null when not found. */
export function findSpecifier(text: string, file: string, specifier: string): Place | null {
  const [first] = specifierOffsets(text, specifier)
  return first === undefined ? null : placeAt(text, file, first)
}

/** The name `exported` in an import of `specifier`; else where that import begins. */
export function findImportedName(
  text: string,
  file: string,
  specifier: string,
  exported: string,
): Place | null {
  const name = new RegExp(`(?<![\\w$])${exported.replace(/[$]/g, '\\$&')}(?![\\w$])`)
  let begin: number | null = null
  for (const end of specifierOffsets(text, specifier)) {
    const start = Math.max(text.lastIndexOf('import', end), text.lastIndexOf('export', end), 0)
    const found = exported === 'default' ? -1 : text.slice(start, end).search(name)
    if (found >= 0) return placeAt(text, file, start + found)
    begin ??= start
  }
  return begin === null ? null : placeAt(text, file, begin)
}

function* specifierOffsets(text: string, specifier: string): Generator<number> {
  for (const quote of ["'", '"', '`']) {
    const quoted = `${quote}${specifier}${quote}`
    for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
      const before = text.slice(Math.max(0, at - 400), at)
      if (/(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bresolve\s*\()\s*$/.test(before)) {
        yield at
      }
    }
  }
}

export function placeAt(text: string, file: string, index: number): Place {
  const before = text.slice(0, index)
  const line = before.split('\n').length
  return { file, line, column: index - before.lastIndexOf('\n') }
}
