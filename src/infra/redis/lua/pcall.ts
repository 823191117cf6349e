/**
 * `pcall` as Redis changes it: an error that is a table with a field `err` comes out as that field,
 * so that scripts which print the message go on working. Source: script_lua.c 7.0.
 */
import type { LuaStack } from './stack.ts'
import { GLOBALS, T } from './wasm.ts'

const ALL_RESULTS = -1

/** Replaces the global `pcall`. */
export function installPcall(stack: LuaStack): void {
  const { c, L } = stack
  stack.pushText(L, 'pcall')
  const fn = stack.machine.addCFunction((state) => {
    const count = c.lua_gettop(state)
    if (count === 0) {
      c.lua_pushboolean(state, 0)
      return 1
    }
    const failed = c.lua_pcall(state, count - 1, ALL_RESULTS, 0) !== 0
    c.lua_pushboolean(state, failed ? 0 : 1)
    c.lua_insert(state, 1)
    if (failed && c.lua_type(state, -1) === T.table) {
      stack.pushField(state, 'err')
      if (c.lua_type(state, -1) === T.nil) c.lua_settop(state, -2)
      else c.lua_remove(state, -2)
    }
    return c.lua_gettop(state)
  })
  c.lua_pushcclosure(L, fn, 0)
  c.lua_rawset(L, GLOBALS)
}
