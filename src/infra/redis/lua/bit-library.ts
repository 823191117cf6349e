/** The library `bit` (LuaJIT's BitOp): 32-bit operations; results are signed. */
import type { LuaStack } from './stack.ts'
import type { Ptr } from './wasm.ts'

/** Added to a number, this puts its whole part into the low bits of the sum. */
const MAGIC = 2 ** 52 + 2 ** 51
const sum = new Float64Array(1)
const low = new Int32Array(sum.buffer)

/** Any number modulo 2^32, rounded to the nearest whole one; beyond 2^51 as rough as in BitOp. */
function toBit(value: number): number {
  sum[0] = value + MAGIC
  return low[0] as number
}

function hex(value: number, digits: number): string {
  const text = (value >>> 0).toString(16).padStart(8, '0')
  const width = Math.min(8, Math.abs(digits))
  const cut = width === 0 ? '' : text.slice(-width)
  return digits < 0 ? cut.toUpperCase() : cut
}

export function installBit(stack: LuaStack): void {
  const { c } = stack
  const arg = (L: Ptr, index: number): number => toBit(c.luaL_checknumber(L, index))
  const fold = (step: (a: number, b: number) => number) => (L: Ptr) => {
    const count = c.lua_gettop(L)
    let value = arg(L, 1)
    for (let i = 2; i <= count; i++) value = step(value, arg(L, i))
    c.lua_pushnumber(L, value | 0)
    return 1
  }
  const unary = (step: (a: number) => number) => (L: Ptr) => {
    c.lua_pushnumber(L, step(arg(L, 1)) | 0)
    return 1
  }
  const shift = (step: (a: number, by: number) => number) => (L: Ptr) => {
    c.lua_pushnumber(L, step(arg(L, 1), arg(L, 2) & 31) | 0)
    return 1
  }
  stack.library('bit', () => {
    stack.setFunction(
      'tobit',
      unary((a) => a),
    )
    stack.setFunction(
      'bnot',
      unary((a) => ~a),
    )
    stack.setFunction(
      'bswap',
      unary((a) => {
        return ((a >>> 24) & 0xff) | ((a >>> 8) & 0xff00) | ((a << 8) & 0xff0000) | (a << 24)
      }),
    )
    stack.setFunction(
      'band',
      fold((a, b) => a & b),
    )
    stack.setFunction(
      'bor',
      fold((a, b) => a | b),
    )
    stack.setFunction(
      'bxor',
      fold((a, b) => a ^ b),
    )
    stack.setFunction(
      'lshift',
      shift((a, by) => a << by),
    )
    stack.setFunction(
      'rshift',
      shift((a, by) => a >>> by),
    )
    stack.setFunction(
      'arshift',
      shift((a, by) => a >> by),
    )
    stack.setFunction(
      'rol',
      shift((a, by) => (a << by) | (a >>> ((32 - by) & 31))),
    )
    stack.setFunction(
      'ror',
      shift((a, by) => (a >>> by) | (a << ((32 - by) & 31))),
    )
    stack.setFunction('tohex', (L) => {
      const value = arg(L, 1)
      const digits = c.lua_gettop(L) > 1 ? arg(L, 2) : 8
      stack.pushText(L, hex(value, digits))
      return 1
    })
  })
}
