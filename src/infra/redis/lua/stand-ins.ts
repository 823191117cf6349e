/**
 * Base functions that see through the stand-ins of protected tables (prelude.ts): reading finds the
 * table behind, changing is refused. They run in the frame of the call, so that the errors are Lua's.
 */
import type { LuaStack } from './stack.ts'
import { GLOBALS, type Ptr } from './wasm.ts'

const READ_ONLY = 'Attempt to modify a readonly table'
const READERS = ['pairs', 'next', 'rawget']
const WRITERS = ['rawset', 'setmetatable']

/**
 * Replaces the base functions and sets the global `stand_in_for`, for the prelude: it takes the
 * stand-in, the table behind, and whether `getmetatable` tells of a metatable.
 */
export function installStandIns(stack: LuaStack): void {
  const { c, L } = stack
  /** By address, which Lua never changes; stand-ins live as long as the machine. */
  const behind = new Map<Ptr, { readonly ref: number; readonly hasMetatable: boolean }>()
  const first = (state: Ptr) => behind.get(c.lua_topointer(state, 1))
  const replace = (name: string, make: (original: (L: Ptr) => number) => (L: Ptr) => number) => {
    stack.pushText(L, name)
    stack.pushText(L, name)
    c.lua_rawget(L, GLOBALS)
    const original = stack.machine.cFunction(c.lua_tocfunction(L, -1))
    c.lua_settop(L, -2)
    // `pairs` finds `next` in its first upvalue.
    stack.pushText(L, 'next')
    c.lua_rawget(L, GLOBALS)
    c.lua_pushcclosure(L, stack.machine.addCFunction(make(original)), 1)
    c.lua_rawset(L, GLOBALS)
  }
  for (const name of READERS) {
    replace(name, (original) => (state) => {
      const found = first(state)
      if (found !== undefined) {
        stack.pushKept(found.ref, state)
        c.lua_replace(state, 1)
      }
      return original(state)
    })
  }
  for (const name of WRITERS) {
    replace(name, (original) => (state) => {
      if (first(state) === undefined) return original(state)
      stack.pushText(state, READ_ONLY)
      return c.lua_error(state)
    })
  }
  replace('getmetatable', (original) => (state) => {
    if (first(state)?.hasMetatable !== false) return original(state)
    c.lua_pushnil(state)
    return 1
  })
  stack.pushText(L, 'stand_in_for')
  const register = stack.machine.addCFunction((state) => {
    c.lua_pushvalue(state, 2)
    const hasMetatable = c.lua_toboolean(state, 3) === 1
    behind.set(c.lua_topointer(state, 1), { ref: stack.keep(state), hasMetatable })
    return 0
  })
  c.lua_pushcclosure(L, register, 0)
  c.lua_rawset(L, GLOBALS)
}
