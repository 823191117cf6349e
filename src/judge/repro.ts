/**
 * The one shell line that repeats a run, ready to be copied into a terminal.
 */

export interface Repro {
  readonly lab: string
  readonly target: string
  /** Null for all checks. */
  readonly check: number | null
  readonly seed: string
}

/** e.g. `pnpm leaselab grade day-10-sharding-lease --target ./starter --check 3 --seed 1`. */
export function reproLine({ lab, target, check, seed }: Repro): string {
  const words = ['pnpm', 'leaselab', 'grade', lab, '--target', target]
  if (check !== null) words.push('--check', String(check))
  words.push('--seed', seed)
  return words.map(shellWord).join(' ')
}

/** A word as a POSIX shell reads it back; plain words stay plain. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
