/**
 * Lua numbers as C integers, by the rules of gcc on x86-64, where Redis runs.
 *
 * A conversion cuts the fraction off. What does not fit, NaN too, becomes the smallest value of the
 * type; an `int` that comes from a 64-bit integer keeps its low 32 bits.
 */
import { INT64_MAX, INT64_MIN } from '../integers.ts'

const INT32_MIN = -2147483648
const INT32_MAX = 2147483647
const TWO_63 = 2 ** 63

/** `(int64_t)value` */
export function toInt64(value: number): bigint {
  if (!Number.isFinite(value)) return INT64_MIN
  const whole = BigInt(Math.trunc(value))
  return whole > INT64_MAX || whole < INT64_MIN ? INT64_MIN : whole
}

/** `(uint64_t)value`: the upper half of the range is reached by way of the lower one. */
export function toUint64(value: number): bigint {
  const upper = value >= TWO_63
  const whole = toInt64(upper ? value - TWO_63 : value)
  return BigInt.asUintN(64, upper ? whole ^ INT64_MIN : whole)
}

/** `(int)value`, without a detour. */
export function toInt32(value: number): number {
  const whole = Math.trunc(value)
  return whole >= INT32_MIN && whole <= INT32_MAX ? whole : INT32_MIN
}

/** `(int)(int64_t)value`: Lua's `luaL_checkint`. */
export function lowInt32(value: number): number {
  return Number(BigInt.asIntN(32, toInt64(value)))
}

/** `(int64_t)value` moved to the nearer end of 32 bits: alike wherever lengths have fewer. */
export function clampedInt32(value: number): number {
  return Math.max(INT32_MIN, Math.min(INT32_MAX, Number(toInt64(value))))
}
