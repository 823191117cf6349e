/**
 * Redis' own patterns: `*`, `?`, `[abc]`, `[^a-z]`, and a backslash before a character meant as it is.
 *
 * Bytes as latin1 characters; case counts. Source: stringmatchlen in util.c of Redis 7.0, oddities
 * included (an unclosed bracket takes the rest of the pattern).
 */
export function globMatches(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  /** Where to go on after a mismatch: behind the last star, one character further. */
  let starP = -1
  let starT = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      starP = ++p
      starT = t
      continue
    }
    const next = p < pattern.length ? matchOne(pattern, p, text.charCodeAt(t)) : -1
    if (next !== -1) {
      p = next
      t++
    } else if (starP !== -1) {
      p = starP
      t = ++starT
    } else return false
  }
  while (pattern[p] === '*') p++
  return p >= pattern.length
}

/** The place after the pattern's element at `p` when it takes the character `c`, else -1. */
function matchOne(pattern: string, p: number, c: number): number {
  const mark = pattern[p]
  if (mark === '?') return p + 1
  if (mark === '[') return matchClass(pattern, p + 1, c)
  const at = mark === '\\' && p + 1 < pattern.length ? p + 1 : p
  return pattern.charCodeAt(at) === c ? at + 1 : -1
}

function matchClass(pattern: string, start: number, c: number): number {
  let p = start
  const negated = pattern[p] === '^'
  if (negated) p++
  let matched = false
  for (;;) {
    if (p >= pattern.length) {
      p--
      break
    }
    if (pattern[p] === '\\' && p + 1 < pattern.length) {
      p++
      if (pattern.charCodeAt(p) === c) matched = true
    } else if (pattern[p] === ']') break
    else if (p + 2 < pattern.length && pattern[p + 1] === '-') {
      const a = pattern.charCodeAt(p)
      const b = pattern.charCodeAt(p + 2)
      if (c >= Math.min(a, b) && c <= Math.max(a, b)) matched = true
      p += 2
    } else if (pattern.charCodeAt(p) === c) matched = true
    p++
  }
  return matched !== negated ? p + 1 : -1
}
