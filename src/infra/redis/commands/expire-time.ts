/**
 * The expiry argument of SET, GETEX and the EXPIRE family, as an absolute Unix time in milliseconds.
 */
import type { Call } from '../command.ts'
import { invalidExpire, NOT_AN_INTEGER } from '../errors.ts'
import { INT64_MAX, INT64_MIN, type Int, parseInt64, toInt } from '../integers.ts'

export interface ExpireUnit {
  readonly seconds: boolean
  /** From now on; else since the epoch. */
  readonly relative: boolean
}

export const EX: ExpireUnit = { seconds: true, relative: true }
export const PX: ExpireUnit = { seconds: false, relative: true }
export const EXAT: ExpireUnit = { seconds: true, relative: false }
export const PXAT: ExpireUnit = { seconds: false, relative: false }

/**
 * Throws the "not an integer" reply, and the "invalid expire time" reply when the instant leaves 64
 * bits or, with `positive`, when the argument is not above zero.
 */
export function expireAtMs(
  call: Call,
  bytes: Buffer,
  unit: ExpireUnit,
  commandName: string,
  positive: boolean,
): Int {
  const given = parseInt64(bytes)
  if (given === null) throw NOT_AN_INTEGER
  if (positive && given <= 0) throw invalidExpire(commandName)
  if (typeof given === 'number' && Math.abs(given) < 1e12) {
    return given * (unit.seconds ? 1000 : 1) + (unit.relative ? call.clock.nowMs : 0)
  }
  let ms = BigInt(given)
  if (unit.seconds) ms *= 1000n
  if (ms > INT64_MAX || ms < INT64_MIN) throw invalidExpire(commandName)
  if (unit.relative) ms += BigInt(call.clock.nowMs)
  if (ms > INT64_MAX) throw invalidExpire(commandName)
  return toInt(ms)
}
