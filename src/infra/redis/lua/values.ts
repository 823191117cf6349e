/**
 * Replies as Lua values and back, by the rules of Redis (script_lua.c 7.0, RESP2).
 *
 * Towards Lua: nothing is `false`, a status `{ok=…}`, an error `{err=…}`. Back: a number loses its
 * fraction, `true` is 1, `false` and `nil` nothing, an array ends at its first `nil`; tables that stand
 * for types of RESP3 (`{double=…}`, `{map=…}`) become what RESP2 has for them.
 */
import { error, type Reply, status } from '../../../wire/resp.ts'
import { untilZero } from '../c-text.ts'
import { oneLine } from '../errors.ts'
import { INT64_MAX, INT64_MIN, toInt } from '../integers.ts'
import { generalFormat } from './number-text.ts'
import type { LuaStack } from './stack.ts'
import { type Ptr, T } from './wasm.ts'

/** An error as scripts see it, pushed. `text` begins with its code. */
export function pushError(stack: LuaStack, L: Ptr, text: string): void {
  stack.c.lua_createtable(L, 0, 2)
  stack.pushText(L, 'err')
  stack.pushText(L, text)
  stack.c.lua_rawset(L, -3)
}

/** The same for an error that a command has answered: Redis has counted it already, and notes that. */
export function pushCommandError(stack: LuaStack, L: Ptr, text: string): void {
  const { c } = stack
  pushError(stack, L, text)
  stack.pushText(L, 'ignore_error_stats_update')
  c.lua_pushboolean(L, 1)
  c.lua_rawset(L, -3)
}

export function pushReply(stack: LuaStack, L: Ptr, reply: Reply): void {
  const { c } = stack
  if (reply === null) c.lua_pushboolean(L, 0)
  else if (typeof reply === 'number') c.lua_pushnumber(L, reply)
  else if (typeof reply === 'bigint') c.lua_pushnumber(L, Number(reply))
  else if (Buffer.isBuffer(reply)) stack.pushBytes(L, reply)
  else if (Array.isArray(reply)) {
    c.lua_checkstack(L, 4)
    c.lua_createtable(L, reply.length, 0)
    for (let i = 0; i < reply.length; i++) {
      pushReply(stack, L, reply[i] as Reply)
      c.lua_rawseti(L, -2, i + 1)
    }
  } else if ('kind' in reply) {
    if (reply.kind === 'null-array') c.lua_pushboolean(L, 0)
    else if (reply.kind === 'error') pushCommandError(stack, L, reply.text)
    else pushStatus(stack, L, reply.text)
  }
}

export function pushStatus(stack: LuaStack, L: Ptr, text: string): void {
  stack.c.lua_createtable(L, 0, 1)
  stack.pushText(L, 'ok')
  stack.pushText(L, text)
  stack.c.lua_rawset(L, -3)
}

/** A C cast to a 64-bit integer on x86-64: what does not fit becomes the smallest one. */
function truncated(value: number): number | bigint {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  if (!Number.isFinite(value)) return INT64_MIN
  const whole = BigInt(Math.trunc(value))
  return whole > INT64_MAX || whole < INT64_MIN ? INT64_MIN : toInt(whole)
}

/** The value on top as a reply; takes it off. */
export function popReply(stack: LuaStack, L: Ptr): Reply {
  const { c } = stack
  if (c.lua_checkstack(L, 4) === 0) {
    c.lua_settop(L, -2)
    return error('ERR reached lua stack limit')
  }
  const reply = topAsReply(stack, L)
  c.lua_settop(L, -2)
  return reply
}

function topAsReply(stack: LuaStack, L: Ptr): Reply {
  const { c } = stack
  switch (c.lua_type(L, -1)) {
    case T.string:
      return stack.bytesAt(L, -1)
    case T.number:
      return truncated(c.lua_tonumber(L, -1))
    case T.boolean:
      return c.lua_toboolean(L, -1) === 1 ? 1 : null
    case T.table:
      return tableAsReply(stack, L)
    default:
      return null
  }
}

function stringField(stack: LuaStack, L: Ptr, name: string): string | null {
  stack.pushField(L, name)
  const text = stack.isString(L, -1) ? untilZero(stack.textAt(L, -1)) : null
  stack.c.lua_settop(L, -2)
  return text
}

function numberField(stack: LuaStack, L: Ptr, name: string): number | null {
  stack.pushField(L, name)
  const isNumber = stack.c.lua_type(L, -1) === T.number
  const value = isNumber ? stack.c.lua_tonumber(L, -1) : null
  stack.c.lua_settop(L, -2)
  return value
}

/** Members of the table on top: keys, and values unless `keysOnly`, one after the other. */
function members(stack: LuaStack, L: Ptr, keysOnly: boolean): Reply[] {
  const { c } = stack
  const items: Reply[] = []
  c.lua_pushnil(L)
  while (c.lua_next(L, -2) !== 0) {
    const value = popReply(stack, L)
    c.lua_pushvalue(L, -1)
    items.push(popReply(stack, L))
    if (!keysOnly) items.push(value)
  }
  return items
}

/** What `read` makes of the table in the field `name`, or null when there is none. */
function tableField<T>(stack: LuaStack, L: Ptr, name: string, read: () => T): T | null {
  stack.pushField(L, name)
  const found = stack.c.lua_type(L, -1) === T.table ? read() : null
  stack.c.lua_settop(L, -2)
  return found
}

function verbatim(stack: LuaStack, L: Ptr): Buffer | null {
  const format = stringField(stack, L, 'format')
  stack.pushField(L, 'string')
  const text = stack.isString(L, -1) ? stack.bytesAt(L, -1) : null
  stack.c.lua_settop(L, -2)
  return format === null ? null : text
}

/** Tables that stand for types of RESP3, as a client of RESP2 gets them. */
function richReply(stack: LuaStack, L: Ptr): Reply {
  const double = numberField(stack, L, 'double')
  if (double !== null) return Buffer.from(generalFormat(double, 17), 'latin1')
  for (const name of ['map', 'set']) {
    const items = tableField(stack, L, name, () => members(stack, L, name === 'set'))
    if (items !== null) return items
  }
  const big = stringField(stack, L, 'big_number')
  if (big !== null) return Buffer.from(oneLine(big), 'latin1')
  return tableField(stack, L, 'verbatim_string', () => verbatim(stack, L))
}

function tableAsReply(stack: LuaStack, L: Ptr): Reply {
  const { c } = stack
  const failure = stringField(stack, L, 'err')
  if (failure !== null) return error(oneLine(failure.replace(/[\r\n]+$/, '')))
  const ok = stringField(stack, L, 'ok')
  if (ok !== null) return status(oneLine(ok))
  const rich = richReply(stack, L)
  if (rich !== null) return rich
  const items: Reply[] = []
  for (let i = 1; ; i++) {
    c.lua_rawgeti(L, -1, i)
    if (c.lua_type(L, -1) === T.nil) {
      c.lua_settop(L, -2)
      return items
    }
    items.push(popReply(stack, L))
  }
}
