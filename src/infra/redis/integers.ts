/**
 * Whole numbers as Redis reads and counts them: signed 64 bits.
 *
 * A value is a `number` while it is safe and a `bigint` beyond 2^53, so the usual case stays cheap
 * and the edges of the range stay exact. Read strictly: no spaces, no plus, no leading zeros, no -0.
 */
export type Int = number | bigint

export const INT64_MAX = 9223372036854775807n
export const INT64_MIN = -9223372036854775808n
const MAX_FAST_DIGITS = 15
const ZERO = 48
const MINUS = 45

export function toInt(value: bigint): Int {
  const n = Number(value)
  return Number.isSafeInteger(n) ? n : value
}

/** Null when it is no whole number in the range of 64 bits. */
export function parseInt64(bytes: Buffer): Int | null {
  const length = bytes.length
  const negative = bytes[0] === MINUS
  const start = negative ? 1 : 0
  if (length <= start || length > 20) return null
  const first = bytes[start] as number
  if (first === ZERO && length > 1) return null
  let value = 0
  for (let i = start; i < length; i++) {
    const digit = (bytes[i] as number) - ZERO
    if (digit < 0 || digit > 9) return null
    value = value * 10 + digit
  }
  if (length - start <= MAX_FAST_DIGITS) return negative ? -value : value
  const exact = BigInt(bytes.toString('latin1'))
  return exact > INT64_MAX || exact < INT64_MIN ? null : toInt(exact)
}

/** The sum, or null when it leaves the range. */
export function addInt64(a: Int, b: Int): Int | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  const exact = BigInt(a) + BigInt(b)
  return exact > INT64_MAX || exact < INT64_MIN ? null : toInt(exact)
}
