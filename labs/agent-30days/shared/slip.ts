/**
 * Slips in an exercise's file, told apart from the weather.
 *
 * An answer of the wrong shape ends the program with a `ContractError` that names file and export,
 * what was expected, what came, and the next step: going on with it would only move the puzzle to
 * another place. Refusals of Redis and of the network are no such errors; they are answered by trying
 * again.
 */

/** A slip in an exercise's file; ends the process that meets it. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** `where` names file and export; `next` is the step to take. */
export function broken(where: string, expected: string, got: unknown, next: string): ContractError {
  return new ContractError(`${where}: expected ${expected}, got ${show(got)}. ${next}`)
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (value instanceof Promise) return 'a promise'
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

/**
 * Whether an error is a slip in the code rather than the weather. Such errors must not be retried.
 */
export function isSlip(error: unknown): boolean {
  return (
    error instanceof ContractError ||
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError
  )
}

/** Ends the process with this error, also from inside a promise chain that would swallow it. */
export function endWith(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
