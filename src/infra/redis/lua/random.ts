/**
 * `math.random` as in Redis: a generator of its own, that starts alike in every server and goes on
 * from script to script.
 *
 * The 48-bit linear congruence of `lrand48`; the state is one number below 2^48. Source: rand.c of
 * Redis 7.0; the sequence is held against a real server that has just started.
 */
import { lowInt32 } from './c-integers.ts'
import type { LuaStack } from './stack.ts'

const FACTOR = 0x5deece66dn
const STEP = 0xbn
const MASK = (1n << 48n) - 1n
const SEED_LOW = 0x330en
const START = 0x1234abcd330en
const MAX = 2147483647

export class ScriptRandom {
  #state = START

  seed(value: number): void {
    this.#state = (BigInt.asUintN(32, BigInt(value)) << 16n) | SEED_LOW
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state * FACTOR + STEP) & MASK
    return (Number(this.#state >> 17n) % MAX) / MAX
  }
}

/** Replaces `random` and `randomseed` in the table on top. */
export function installRandom(stack: LuaStack, random: ScriptRandom): void {
  const { c } = stack
  const integer = (L: number, index: number): number => lowInt32(c.luaL_checknumber(L, index))
  stack.setFunction('random', (L) => {
    const r = random.next()
    const count = c.lua_gettop(L)
    if (count === 0) {
      c.lua_pushnumber(L, r)
      return 1
    }
    if (count > 2) stack.raise(L, 'wrong number of arguments')
    const low = count === 1 ? 1 : integer(L, 1)
    const high = integer(L, count)
    if (low > high) stack.raise(L, `bad argument #${count} to 'random' (interval is empty)`)
    // The width is an int, too, and may come out negative.
    c.lua_pushnumber(L, Math.floor(r * ((high - low + 1) | 0)) + low)
    return 1
  })
  stack.setFunction('randomseed', (L) => {
    random.seed(integer(L, 1))
    return 0
  })
}
