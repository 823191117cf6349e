/**
 * The conversions `%d %i %u %o %x %X` of `string.format` for numbers beyond 32 bits.
 *
 * Such an argument is replaced in the frame by its finished text and its conversion by `%s`; all else
 * in the format, malformed parts too, is left to Lua. Flags, width and precision are those of C.
 */
import { toInt64, toUint64 } from './c-integers.ts'
import type { LuaStack } from './stack.ts'
import type { Ptr } from './wasm.ts'

const TWO_31 = 2147483648
const CONVERSION = /%(?:%|([-+ #0]*)([0-9]{0,2})(?:\.([0-9]{0,2}))?(.))/gs
const RADIX: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16 }
/** Lua takes five flags at most, and refuses the conversion otherwise. */
const MAX_FLAGS = 5

/** Rewrites the call of `string.format` whose arguments are the frame of `L`. */
export function widenFormat(stack: LuaStack, L: Ptr): void {
  const { c } = stack
  if (!stack.isString(L, 1)) return
  const count = c.lua_gettop(L)
  let argument = 1
  const format = stack.textAt(L, 1)
  const widened = format.replace(CONVERSION, (whole, flags, width, precision, kind) => {
    if (whole === '%%') return whole
    argument++
    if (argument > count || !/[diouxX]/.test(kind) || flags.length > MAX_FLAGS) return whole
    const value = c.lua_tonumber(L, argument)
    const signed = kind === 'd' || kind === 'i'
    if (value < TWO_31 && value >= (signed ? -TWO_31 : 0)) return whole
    stack.pushText(L, integerText(value, { flags, width, precision, kind }))
    c.lua_replace(L, argument)
    return '%s'
  })
  if (widened === format) return
  stack.pushText(L, widened)
  c.lua_replace(L, 1)
}

interface Conversion {
  readonly flags: string
  readonly width: string
  readonly precision: string | undefined
  readonly kind: string
}

/** `value` as C's printf writes it as a 64-bit integer. */
export function integerText(value: number, conversion: Conversion): string {
  const { flags, kind, precision } = conversion
  const signed = kind === 'd' || kind === 'i'
  const whole = signed ? toInt64(value) : toUint64(value)
  const size = whole < 0 ? -whole : whole
  let digits = size.toString(RADIX[kind] ?? 10)
  if (precision !== undefined) {
    if (size === 0n && Number(precision) === 0) digits = ''
    digits = digits.padStart(Number(precision), '0')
  }
  let sign = ''
  if (whole < 0) sign = '-'
  else if (signed && flags.includes('+')) sign = '+'
  else if (signed && flags.includes(' ')) sign = ' '
  if (flags.includes('#')) {
    if (kind === 'o' && !digits.startsWith('0')) digits = `0${digits}`
    if (RADIX[kind] === 16 && size !== 0n) sign = '0x'
  }
  const width = Number(conversion.width)
  let text = sign + digits
  if (flags.includes('-')) text = text.padEnd(width)
  else if (flags.includes('0') && precision === undefined) {
    text = sign + digits.padStart(width - sign.length, '0')
  } else text = text.padStart(width)
  return kind === 'X' ? text.toUpperCase() : text
}
