/**
 * `tonumber(text, base)` as C's `strtoul` of 64 bits reads it: white space and a sign may stand in
 * front, `0x` too when the base is 16; a minus counts down from 2^64; what is too large is 2^64 - 1.
 */
import type { LuaStack } from './stack.ts'
import { type Ptr, T } from './wasm.ts'

const UINT64_MAX = 0xffffffffffffffffn
const SHAPE = /^[ \t\n\v\f\r]*([-+]?)(0x(?=[0-9a-f]))?([0-9a-z]+)[ \t\n\v\f\r]*(?:\0|$)/i

/** The number of results, or null where Lua's own function answers alike or refuses. */
export function textToNumber(stack: LuaStack, L: Ptr): number | null {
  const { c } = stack
  const base = Math.trunc(c.lua_tonumber(L, 2))
  const type = c.lua_type(L, 1)
  if (base === 10 || base < 2 || base > 36 || (type !== T.string && type !== T.number)) return null
  const value = unsignedLong(stack.textAt(L, 1), base)
  if (value === null) c.lua_pushnil(L)
  else c.lua_pushnumber(L, value)
  return 1
}

/** Null when `text` (latin1) is no number to `base`, from 2 to 36. */
export function unsignedLong(text: string, base: number): number | null {
  const [, sign, prefix = '', rest] = SHAPE.exec(text) ?? []
  if (rest === undefined) return null
  const digits = base === 16 ? rest : prefix + rest
  let value = 0n
  let large = false
  for (const char of digits) {
    const digit = Number.parseInt(char, base)
    if (Number.isNaN(digit)) return null
    value = value * BigInt(base) + BigInt(digit)
    if (value > UINT64_MAX) {
      large = true
      value = UINT64_MAX
    }
  }
  return Number(sign === '-' && !large ? BigInt.asUintN(64, -value) : value)
}
