/**
 * The one shell line that repeats a run, ready to be copied into a terminal.
 */

export interface Repro {
  readonly lab: string
  readonly target: string
  /** Null for all checks. */
  readonly check: number | null
  readonly seed: string
  /** The address of the real arm as it may be shown; not given for the simulated one. */
  readonly redisShown?: string | null
}

/** e.g. `pnpm leaselab grade day-10-sharding-lease --target ./starter --check 3 --seed 1`. */
export function reproLine({ lab, target, check, seed, redisShown }: Repro): string {
  const words = ['pnpm', 'leaselab', 'grade', lab, '--target', target]
  if (check !== null) words.push('--check', String(check))
  if (redisShown == null) words.push('--seed', seed)
  else words.push('--arm', 'real')
  const line = words.map(shellWord).join(' ')
  return redisShown == null ? line : `REDIS_URL=${shellWord(redisShown)} ${line}`
}

/** A word as a POSIX shell reads it back; plain words stay plain. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}
