/**
 * What scripts can set in `cjson`, for all later scripts as well: lua-cjson 2.1's configuration.
 *
 * Each setter takes new values (nil leaves one as it is) and gives the values that hold now.
 */
import { toInt64 } from './c-integers.ts'
import type { LuaStack } from './stack.ts'
import { type Ptr, T } from './wasm.ts'

export interface CjsonSettings {
  /** An array with too many holes becomes an object instead of an error. */
  sparseConvert: boolean
  /** Too many: more than so many places for each item; 0 for never. */
  sparseRatio: number
  /** Arrays up to this length are never too sparse. */
  sparseSafe: number
  encodeMaxDepth: number
  decodeMaxDepth: number
  /** Significant digits, 1 to 14. */
  numberDigits: number
  /** Has no effect that could be seen. */
  keepBuffer: boolean
  /** What NaN and infinity become. */
  encodeInvalid: 'off' | 'on' | 'null'
  /** Whether numbers that are no JSON (hexadecimal, `inf`, leading zeros) are read. */
  decodeInvalid: boolean
}

export function defaultSettings(): CjsonSettings {
  return {
    ...{ sparseConvert: false, sparseRatio: 2, sparseSafe: 10 },
    ...{ encodeMaxDepth: 1000, decodeMaxDepth: 1000, numberDigits: 14 },
    ...{ keepBuffer: true, encodeInvalid: 'off', decodeInvalid: true },
  }
}

const INT_MAX = 2147483647
type Numeric = 'sparseRatio' | 'sparseSafe' | 'encodeMaxDepth' | 'decodeMaxDepth' | 'numberDigits'
type Switch = 'sparseConvert' | 'keepBuffer' | 'decodeInvalid'

/** Sets the functions in the library on top of the stack. */
export function installSettings(stack: LuaStack, settings: CjsonSettings): void {
  const { c } = stack
  const refuse = (L: Ptr, place: number, why: string): number => {
    return c.luaL_argerror(L, place, stack.place(Buffer.from(`${why}\0`, 'latin1')))
  }
  const integer = (L: Ptr, place: number, name: Numeric, least: number, most: number): void => {
    if (c.lua_type(L, place) !== T.nil) {
      const value = toInt64(c.luaL_checknumber(L, place))
      if (value < least || value > most) {
        refuse(L, 1, `expected integer between ${least} and ${most}`)
      }
      settings[name] = Number(value)
    }
    c.lua_pushnumber(L, settings[name])
  }
  /** One of `options`; a boolean stands for the first or the second of them. */
  const choice = (L: Ptr, place: number, options: readonly string[]): string | null => {
    const type = c.lua_type(L, place)
    if (type === T.nil) return null
    if (type === T.boolean) return options[c.lua_toboolean(L, place)] as string
    c.luaL_checklstring(L, place, 0)
    const name = stack.textAt(L, place)
    if (!options.includes(name)) refuse(L, place, `invalid option '${name}'`)
    return name
  }
  const onOff = (L: Ptr, place: number, name: Switch): void => {
    const chosen = choice(L, place, ['off', 'on'])
    if (chosen !== null) settings[name] = chosen === 'on'
    c.lua_pushboolean(L, settings[name] ? 1 : 0)
  }
  const setter = (name: string, count: number, apply: (L: Ptr) => void): void => {
    stack.setFunction(name, (L) => {
      if (c.lua_gettop(L) > count) refuse(L, count + 1, 'found too many arguments')
      c.lua_settop(L, count)
      apply(L)
      return count
    })
  }
  setter('encode_sparse_array', 3, (L) => {
    onOff(L, 1, 'sparseConvert')
    integer(L, 2, 'sparseRatio', 0, INT_MAX)
    integer(L, 3, 'sparseSafe', 0, INT_MAX)
  })
  setter('encode_max_depth', 1, (L) => integer(L, 1, 'encodeMaxDepth', 1, INT_MAX))
  setter('decode_max_depth', 1, (L) => integer(L, 1, 'decodeMaxDepth', 1, INT_MAX))
  setter('encode_number_precision', 1, (L) => integer(L, 1, 'numberDigits', 1, 14))
  setter('encode_keep_buffer', 1, (L) => onOff(L, 1, 'keepBuffer'))
  setter('decode_invalid_numbers', 1, (L) => onOff(L, 1, 'decodeInvalid'))
  setter('encode_invalid_numbers', 1, (L) => {
    const chosen = choice(L, 1, ['off', 'on', 'null'])
    if (chosen !== null) settings.encodeInvalid = chosen as CjsonSettings['encodeInvalid']
    if (settings.encodeInvalid === 'null') stack.pushText(L, 'null')
    else c.lua_pushboolean(L, settings.encodeInvalid === 'on' ? 1 : 0)
  })
}
