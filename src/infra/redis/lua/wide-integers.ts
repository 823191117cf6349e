/**
 * Lua's own libraries with integers of 64 bits, as on the machines where Redis runs.
 *
 * The WebAssembly build has a `long` of 32 bits: beyond it every number is -2^31, in `string.sub` as
 * in `%d`. So each function that reads integers is put behind a guard, a few instructions of
 * WebAssembly that pass on every usual call. Where an argument is wide, JavaScript replaces it in the
 * frame by one with the effect that the wide one has in Redis, and the function runs in that frame:
 * its error texts and places stay its own.
 */
import { clampedInt32, lowInt32 } from './c-integers.ts'
import type { GuardedRange } from './guard.ts'
import { widenFormat } from './integer-format.ts'
import type { LuaStack } from './stack.ts'
import { textToNumber } from './text-to-number.ts'
import { GLOBALS, type LuaFunction, type Ptr } from './wasm.ts'

const TWO_31 = 2147483648
const ALL = 1_000_000

/** How a function of Lua reads the arguments `first` to `last`: as `ptrdiff_t` or as `int`. */
type Reading = readonly [as: 'position' | 'int', first: number, last: number]

const READINGS: Readonly<Record<string, Readonly<Record<string, Reading>>>> = {
  string: {
    sub: ['position', 2, 3],
    byte: ['position', 2, 3],
    find: ['position', 3, 3],
    match: ['position', 3, 3],
    gsub: ['int', 4, 4],
    rep: ['int', 2, 2],
    char: ['int', 1, ALL],
  },
  table: { concat: ['int', 3, 4], remove: ['int', 2, 2] },
  math: { ldexp: ['int', 2, 2] },
  _G: {
    select: ['int', 1, 1],
    unpack: ['int', 2, 3],
    error: ['int', 2, 2],
    collectgarbage: ['int', 2, 2],
  },
}

/** Guards the libraries, which must be open and unprotected. Leaves the stack empty. */
export function installWideIntegers(stack: LuaStack): void {
  const { c, L } = stack
  for (const [library, functions] of Object.entries(READINGS)) {
    for (const [name, [as, first, last]] of Object.entries(functions)) {
      guard(stack, library, name, { first, last, low: -TWO_31 }, (original) => (state) => {
        const end = Math.min(last, c.lua_gettop(state))
        for (let i = first; i <= end; i++) narrow(stack, state, i, as)
        return original(state)
      })
    }
  }
  // With two arguments the second one is the value.
  guard(stack, 'table', 'insert', { first: 2, last: 2, low: -TWO_31 }, (original) => (state) => {
    if (c.lua_gettop(state) === 3) narrow(stack, state, 2, 'int')
    return original(state)
  })
  guard(stack, 'string', 'format', { first: 2, last: ALL, low: 0 }, (original) => (state) => {
    widenFormat(stack, state)
    return original(state)
  })
  guard(stack, '_G', 'tonumber', { first: 2, last: 2, low: 0, high: 1 }, (original) => (state) => {
    narrow(stack, state, 2, 'int')
    return textToNumber(stack, state) ?? original(state)
  })
  c.lua_settop(L, 0)
}

function narrow(stack: LuaStack, L: Ptr, index: number, as: Reading[0]): void {
  const value = stack.c.lua_tonumber(L, index)
  if (Math.abs(value) < TWO_31) return
  stack.c.lua_pushnumber(L, as === 'int' ? lowInt32(value) : clampedInt32(value))
  stack.c.lua_replace(L, index)
}

/** What is no number counts as 0; `high` is 2^31 when it is left out. */
type Range = Omit<GuardedRange, 'high'> & { readonly high?: number }

/** Puts a function behind a guard; `wide` makes what gets the calls with a number out of range. */
function guard(
  stack: LuaStack,
  library: string,
  name: string,
  { first, last, low, high = TWO_31 }: Range,
  wide: (original: LuaFunction) => LuaFunction,
): void {
  const { c, L, machine } = stack
  c.lua_settop(L, 0)
  stack.pushText(L, library)
  c.lua_rawget(L, GLOBALS)
  stack.pushText(L, name)
  c.lua_rawget(L, 1)
  const original = machine.cFunction(c.lua_tocfunction(L, -1))
  c.lua_settop(L, 1)
  stack.pushText(L, name)
  c.lua_pushcclosure(L, machine.addGuard(original, wide(original), { first, last, low, high }), 0)
  c.lua_rawset(L, 1)
}
