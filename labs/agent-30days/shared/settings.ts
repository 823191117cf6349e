/**
 * How the programs of the labs read their settings: from an environment, once, and checked.
 *
 * A value that cannot be used ends the start with an error that names the variable, what is expected
 * and what came.
 */

export type Env = Readonly<Record<string, string | undefined>>

/** A port to listen on. */
export function portOf(env: Env, fallback: number): number {
  return wholeNumber(env, 'PORT', fallback)
}

/** A variable that must be there. */
export function required(env: Env, name: string, example: string): string {
  const value = env[name]
  if (value) return value
  throw new Error(
    `${name}: expected a value, ${example}, got ${value === '' ? 'none' : 'nothing'}.`,
  )
}

/** A whole number of at least `least`, or the fallback where nothing is set. */
export function wholeNumber(env: Env, name: string, fallback: number, least = 1): number {
  const text = env[name]
  if (text === undefined) return fallback
  const value = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`${name}: expected a whole number from ${least}, got '${text}'.`)
}

/** Whole numbers from 0 with commas between them. */
export function wholeNumbers(
  env: Env,
  name: string,
  fallback: readonly number[],
): readonly number[] {
  const text = env[name]
  if (text === undefined) return fallback
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (values.every((value) => Number.isSafeInteger(value) && value >= 0)) return values
  throw new Error(`${name}: expected whole numbers with commas between them, got '${text}'.`)
}

/** A switch. */
export function onOrOff(env: Env, name: string, fallback: boolean): boolean {
  const text = env[name]
  if (text === undefined) return fallback
  if (text === 'on' || text === 'off') return text === 'on'
  throw new Error(`${name}: expected on or off, got '${text}'.`)
}
