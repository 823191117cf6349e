/**
 * Chunks are text: Redis takes the reader of precompiled ones out of its Lua, so that such a chunk is
 * a syntax error at its first byte. Not here: chunks that `load` gets from a function.
 */
import type { LuaStack } from './stack.ts'
import { GLOBALS, type Ptr, T } from './wasm.ts'

const ESCAPE = 27
/** Another byte that no chunk may begin with. */
const STAND_IN = 1

/** `text` as something that Lua reads as text. */
export function asTextChunk(text: Buffer): Buffer {
  if (text[0] !== ESCAPE) return text
  const changed = Buffer.from(text)
  changed[0] = STAND_IN
  return changed
}

/** Lua's message on what `asTextChunk` has changed. */
export function messageOnChunk(text: Buffer, message: string): string {
  if (text[0] !== ESCAPE) return message
  return message.replace(`'char(${STAND_IN})'`, `'char(${ESCAPE})'`)
}

/** Replaces the global `loadstring`. */
export function installLoadString(stack: LuaStack): void {
  const { c, L, machine } = stack
  stack.pushText(L, 'loadstring')
  c.lua_rawget(L, GLOBALS)
  const original = machine.cFunction(c.lua_tocfunction(L, -1))
  c.lua_settop(L, -2)
  const fn = (state: Ptr): number => {
    if (c.lua_type(state, 1) !== T.string) return original(state)
    const text = stack.bytesAt(state, 1)
    if (text[0] !== ESCAPE) return original(state)
    // The name of the chunk is its text when it has no other.
    c.lua_settop(state, 2)
    if (c.lua_type(state, 2) === T.nil) {
      c.lua_pushvalue(state, 1)
      c.lua_replace(state, 2)
    }
    stack.pushBytes(state, asTextChunk(text))
    c.lua_replace(state, 1)
    const results = original(state)
    stack.pushText(state, messageOnChunk(text, stack.textAt(state, -1)))
    c.lua_replace(state, -2)
    return results
  }
  stack.pushText(L, 'loadstring')
  c.lua_pushcclosure(L, machine.addCFunction(fn), 0)
  c.lua_rawset(L, GLOBALS)
}
