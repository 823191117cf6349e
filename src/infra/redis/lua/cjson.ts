/**
 * The library `cjson` (lua-cjson 2.1, as built into Redis): encode, decode, null and the settings.
 * Not here: `cjson.new`.
 */
import { decode } from './cjson-decode.ts'
import { encode } from './cjson-encode.ts'
import { defaultSettings, installSettings } from './cjson-settings.ts'
import type { LuaStack } from './stack.ts'
import { T } from './wasm.ts'

const TYPE_NAMES: Readonly<Record<number, string>> = {
  [-1]: 'no value',
  [T.nil]: 'nil',
  [T.boolean]: 'boolean',
  [T.lightuserdata]: 'userdata',
  [T.table]: 'table',
  [T.function]: 'function',
  [T.userdata]: 'userdata',
  [T.thread]: 'thread',
}

export function installCjson(stack: LuaStack): void {
  const { c, L } = stack
  stack.library('cjson', () => {
    stack.setText('_NAME', 'cjson')
    stack.setText('_VERSION', '2.1.0')
    stack.pushText(L, 'null')
    c.lua_pushlightuserdata(L, 0)
    c.lua_rawset(L, -3)
    const settings = defaultSettings()
    installSettings(stack, settings)
    stack.setFunction('encode', (state) => {
      if (c.lua_gettop(state) !== 1) {
        stack.raise(state, "bad argument #1 to 'encode' (expected 1 argument)")
      }
      stack.pushText(state, encode(stack, state, settings))
      return 1
    })
    stack.setFunction('decode', (state) => {
      if (c.lua_gettop(state) !== 1) {
        stack.raise(state, "bad argument #1 to 'decode' (expected 1 argument)")
      }
      const type = c.lua_type(state, 1)
      if (type !== T.string && type !== T.number) {
        const found = TYPE_NAMES[type] ?? 'userdata'
        stack.raise(state, `bad argument #1 to 'decode' (string expected, got ${found})`)
      }
      decode(stack, state, stack.textAt(state, 1), settings)
      return 1
    })
  })
}
