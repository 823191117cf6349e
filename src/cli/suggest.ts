/**
 * "Did you mean …": the known word nearest to a misspelt one.
 *
 * Distance is Levenshtein's, with two swapped neighbours counted as one slip. A word is near when at
 * most three slips lie between, and no more than a third of its length; names are also found by a part of
 * them, as `sharding` for `day-10-sharding-lease`.
 */

/** The nearest of `known`, or null when none is near. The first of equals wins. */
export function nearest(word: string, known: readonly string[]): string | null {
  const typed = word.toLowerCase()
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const distance = slipsBetween(typed, candidate.toLowerCase())
    const allowed = Math.max(1, Math.min(3, Math.floor(candidate.length / 3)))
    if (distance <= allowed && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  if (best === null && typed.length >= 3) {
    best = known.find((candidate) => candidate.toLowerCase().includes(typed)) ?? null
  }
  return best
}

/** ` Did you mean x?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  return near === null ? '' : ` Did you mean ${near}?`
}

function slipsBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforeLast[j - 2]! + 1)
      }
      row[j] = cost
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
