/**
 * `cjson.encode`: a Lua value as JSON text, by the rules of lua-cjson 2.1.
 *
 * A table whose keys are whole numbers from 1 is an array, holes become null (too many are refused);
 * any other is an object, in Lua's own order. An empty table is `{}`. How many holes, levels and digits
 * there may be is set in cjson-settings.ts.
 */
import { toInt32 } from './c-integers.ts'
import type { CjsonSettings } from './cjson-settings.ts'
import { generalFormat } from './number-text.ts'
import type { LuaStack } from './stack.ts'
import { type Ptr, T } from './wasm.ts'

const TYPE_NAMES = [
  ...['nil', 'boolean', 'userdata', 'number', 'string', 'table', 'function', 'userdata', 'thread'],
]

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '\x7f': '\\u007f',
}

/** latin1 in and out: bytes above 127 pass as they are. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
  const escaped = text.replace(/["\\/\x00-\x1f\x7f]/g, (char) => {
    return ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}

/** The value on top of the stack, which is left there. Raises a Lua error for what has no JSON. */
export function encode(stack: LuaStack, L: Ptr, settings: CjsonSettings, depth = 0): string {
  const { c } = stack
  const type = c.lua_type(L, -1)
  switch (type) {
    case T.string:
      return quoted(stack.textAt(L, -1))
    case T.number:
      return numberText(stack, L, settings, c.lua_tonumber(L, -1))
    case T.boolean:
      return c.lua_toboolean(L, -1) === 1 ? 'true' : 'false'
    case T.nil:
      return 'null'
    case T.table:
      return table(stack, L, settings, depth + 1)
    default:
      if (type === T.lightuserdata && c.lua_touserdata(L, -1) === 0) return 'null'
      return refuse(stack, L, TYPE_NAMES[type] ?? 'userdata', 'type not supported')
  }
}

function refuse(stack: LuaStack, L: Ptr, what: string, why: string): never {
  stack.raise(L, `Cannot serialise ${what}: ${why}`)
}

function numberText(stack: LuaStack, L: Ptr, settings: CjsonSettings, value: number): string {
  if (!Number.isFinite(value)) {
    if (settings.encodeInvalid === 'off') refuse(stack, L, 'number', 'must not be NaN or Inf')
    if (settings.encodeInvalid === 'null') return 'null'
    if (Number.isNaN(value)) return 'nan'
  }
  return generalFormat(value, settings.numberDigits)
}

function table(stack: LuaStack, L: Ptr, settings: CjsonSettings, depth: number): string {
  const { c } = stack
  if (depth > settings.encodeMaxDepth || c.lua_checkstack(L, 3) === 0) {
    stack.raise(L, `Cannot serialise, excessive nesting (${depth})`)
  }
  const length = arrayLength(stack, L, settings)
  const write = (): string => encode(stack, L, settings, depth)
  return length > 0 ? arrayText(stack, L, length, write) : objectText(stack, L, settings, write)
}

/** `write` gives the text of the value on top. */
function arrayText(stack: LuaStack, L: Ptr, length: number, write: () => string): string {
  const items: string[] = []
  for (let i = 1; i <= length; i++) {
    stack.c.lua_rawgeti(L, -1, i)
    items.push(write())
    stack.c.lua_settop(L, -2)
  }
  return `[${items.join(',')}]`
}

function objectText(stack: LuaStack, L: Ptr, settings: CjsonSettings, write: () => string): string {
  const { c } = stack
  const members: string[] = []
  c.lua_pushnil(L)
  while (c.lua_next(L, -2) !== 0) {
    const type = c.lua_type(L, -2)
    let name = ''
    if (type === T.number) name = `"${numberText(stack, L, settings, c.lua_tonumber(L, -2))}"`
    else if (type === T.string) name = quoted(stack.textAt(L, -2))
    else {
      refuse(stack, L, TYPE_NAMES[type] ?? 'userdata', 'table key must be a number or string')
    }
    members.push(`${name}:${write()}`)
    c.lua_settop(L, -2)
  }
  return `{${members.join(',')}}`
}

/**
 * Largest key when all keys are whole numbers from 1, else -1; 0 for an empty table. It is kept as a C
 * int: a key beyond makes it negative, and so the table an object.
 */
function arrayLength(stack: LuaStack, L: Ptr, settings: CjsonSettings): number {
  const { c } = stack
  let largest = 0
  let items = 0
  c.lua_pushnil(L)
  while (c.lua_next(L, -2) !== 0) {
    const key = c.lua_type(L, -2) === T.number ? c.lua_tonumber(L, -2) : 0
    if (key < 1 || !Number.isInteger(key)) {
      c.lua_settop(L, -3)
      return -1
    }
    if (key > largest) largest = toInt32(key)
    items++
    c.lua_settop(L, -2)
  }
  const { sparseRatio, sparseSafe } = settings
  if (sparseRatio > 0 && largest > items * sparseRatio && largest > sparseSafe) {
    if (settings.sparseConvert) return -1
    refuse(stack, L, 'table', 'excessively sparse array')
  }
  return largest
}
