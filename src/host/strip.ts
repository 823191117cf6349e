/**
 * Takes the types out of TypeScript, and nothing else: every line and column stays where it is.
 *
 * Used by the simulated host and by the loader of the real arm, so both run the same text. Results
 * are kept (text-cache.ts): the stripper (swc, 170 ms to load) is only loaded for a text that was never
 * seen.
 * Refuses: what is more than types (enum, namespace with values, parameter property), and what is no
 * TypeScript at all: a StripError with the place.
 */

import { createRequire } from 'node:module'
import { cached } from './text-cache.ts'

/** A file that is not TypeScript, or more than types. Lines and columns from 1. */
export class StripError extends SyntaxError {
  override readonly name = 'SyntaxError'
  readonly file: string
  readonly line: number
  readonly column: number
  /** The line at fault and a mark below it. */
  readonly snippet: string

  constructor(file: string, line: number, column: number, message: string, snippet: string) {
    super(message)
    this.file = file
    this.line = line
    this.column = column
    this.snippet = snippet
    this.stack = `${file}:${line}:${column}\n${snippet}\nSyntaxError: ${message}`
  }
}

/** Part of every key: another stripper may give another text. */
const STRIPPER = '@swc/wasm-typescript 1.16 strip-only'

/** What to write instead of the syntax that needs more than taking types out. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /enum/i,
    "Expected types that vanish, got an enum, which makes code. Write `const Color = { Red: 'red' } as const` and, for the type, `type Color = (typeof Color)[keyof typeof Color]`.",
  ],
  [
    /parameter property/i,
    'Expected types that vanish, got a parameter property, which makes code. Declare the field in the class and assign it in the constructor.',
  ],
  [
    /namespace|module declaration/i,
    'Expected types that vanish, got a namespace with values. Put its content in a file of its own and export it.',
  ],
  [
    /import.?equals|import =|export =|export assignment/i,
    'Expected types that vanish, got `import x = …` or `export = …`. Write `import x from …` or `export default …`.',
  ],
  [/type assertion|angle/i, 'Expected `value as Type`, got `<Type>value`. Write it with `as`.'],
]

interface StripFailure {
  readonly code?: string
  readonly message: string
  readonly snippet?: string
  readonly startLine?: number
  readonly startColumn?: number
}

type Transform = (
  source: string,
  options: { mode: 'strip-only'; module?: boolean; filename: string },
) => { code: string }

let transform: Transform | null = null

/** JavaScript of the same shape. `filename` is only for messages. Throws StripError. */
export function stripTypes(source: string, filename: string): string {
  return cached(STRIPPER, source, () => strip(source, filename))
}

/** Where a parser stumbles over this text, or null when it finds nothing wrong. */
export function findSyntaxError(source: string, filename: string): StripError | null {
  try {
    strip(source, filename)
    return null
  } catch (error) {
    return error instanceof StripError ? error : null
  }
}

function strip(source: string, filename: string): string {
  transform ??= (
    createRequire(import.meta.url)('@swc/wasm-typescript') as { transformSync: Transform }
  ).transformSync
  try {
    return transform(source, { mode: 'strip-only', filename }).code
  } catch (error) {
    throw strippingFailed(error as StripFailure, filename)
  }
}

function strippingFailed(failure: StripFailure, file: string): unknown {
  const { startLine, startColumn } = failure
  if (startLine === undefined || startColumn === undefined) return failure
  const remedy =
    failure.code === 'UnsupportedSyntax'
      ? (REMEDIES.find(([pattern]) => pattern.test(failure.message))?.[1] ??
        'Expected types that vanish; this makes code. Write it as plain JavaScript.')
      : null
  const message = remedy === null ? failure.message : `${failure.message}. ${remedy}`
  return new StripError(file, startLine, startColumn + 1, message, failure.snippet ?? '')
}
