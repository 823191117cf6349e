/**
 * How figures are said in sentences about a history.
 */

/** Trace µs → `36.2 s`, `5.108 s`: to the millisecond, no needless zeros. */
export function sec(us: number): string {
  const [whole = '0', part = ''] = (Math.round(us / 1000) / 1000).toFixed(3).split('.')
  return `${whole}.${part.replace(/0{1,2}$/, '')} s`
}

/** `n things`, `1 thing`. */
export function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? '' : 's'}`
}
