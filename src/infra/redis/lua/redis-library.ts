/**
 * The global `redis` of a script: call and pcall, replies, sha1hex, log, and the constants.
 *
 * Refusals have the texts of Redis 7.0 (script_lua.c). `log`, `breakpoint` and `debug` do nothing
 * that could be seen; `setresp` accepts 2 and refuses 3, which this server does not speak.
 */
import { createHash } from 'node:crypto'
import { isError, type Reply } from '../../../wire/resp.ts'
import { untilZero } from '../c-text.ts'
import { toInt32 } from './c-integers.ts'
import { generalFormat } from './number-text.ts'
import type { LuaStack } from './stack.ts'
import { pushError, pushReply, pushStatus } from './values.ts'
import { type Ptr, T } from './wasm.ts'

/** What runs the commands of a script: the engine, for the duration of one script. */
export interface ScriptCaller {
  call(args: readonly Buffer[]): Reply
  /** Whether `args` begin with a command of this server. */
  knows(args: readonly Buffer[]): boolean
}

const NO_ARGUMENT = 'ERR Please specify at least one argument for this redis lib call'
const BAD_ARGUMENT = 'ERR Lua redis lib command arguments must be strings or integers'
const BAD_SINGLE = 'ERR wrong number or type of arguments'
const UNKNOWN_TO_ACL = 'ERR Invalid command passed to redis.acl_check_cmd()'
const BAD_REPL = 'ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.'

const CONSTANTS = {
  LOG_DEBUG: 0,
  LOG_VERBOSE: 1,
  LOG_NOTICE: 2,
  LOG_WARNING: 3,
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
  REDIS_VERSION_NUM: 0x0007000f,
}

export function installRedis(stack: LuaStack, caller: () => ScriptCaller): void {
  const { c } = stack
  const raise = (L: Ptr, text: string): number => {
    pushError(stack, L, text)
    return c.lua_error(L)
  }

  const argument = (L: Ptr, index: number): Buffer | null => {
    const type = c.lua_type(L, index)
    if (type === T.string) return stack.bytesAt(L, index)
    if (type !== T.number) return null
    const value = c.lua_tonumber(L, index)
    const short = Number.isSafeInteger(value) && !Object.is(value, -0)
    return Buffer.from(short ? String(value) : generalFormat(value, 17), 'latin1')
  }

  /** The arguments of a call, or the text of what is wrong with them. */
  const commandArgs = (L: Ptr): Buffer[] | string => {
    const count = c.lua_gettop(L)
    if (count === 0) return NO_ARGUMENT
    const args: Buffer[] = new Array(count)
    for (let i = 0; i < count; i++) {
      const arg = argument(L, i + 1)
      if (arg === null) return BAD_ARGUMENT
      args[i] = arg
    }
    return args
  }

  const single = (L: Ptr, push: (text: string) => void): number => {
    if (c.lua_gettop(L) !== 1 || !stack.isString(L, 1)) pushError(stack, L, BAD_SINGLE)
    else push(stack.textAt(L, 1))
    return 1
  }

  stack.library('redis', () => {
    for (const [name, value] of Object.entries(CONSTANTS)) stack.setNumber(name, value)
    stack.setText('REDIS_VERSION', '7.0.15')
    stack.setFunction('call', (L) => {
      const args = commandArgs(L)
      if (typeof args === 'string') return raise(L, args)
      const reply = caller().call(args)
      pushReply(stack, L, reply)
      return isError(reply) ? c.lua_error(L) : 1
    })
    stack.setFunction('pcall', (L) => {
      const args = commandArgs(L)
      if (typeof args === 'string') pushError(stack, L, args)
      else pushReply(stack, L, caller().call(args))
      return 1
    })
    stack.setFunction('status_reply', (L) => single(L, (text) => pushStatus(stack, L, text)))
    stack.setFunction('error_reply', (L) =>
      single(L, (text) => {
        const whole = untilZero(text)
        const bare = whole.startsWith('-') ? whole.slice(1) : whole
        pushError(stack, L, bare.includes(' ') ? bare : `ERR ${bare}`)
      }),
    )
    stack.setFunction('sha1hex', (L) => {
      if (c.lua_gettop(L) !== 1) return raise(L, 'ERR wrong number of arguments')
      stack.pushText(L, createHash('sha1').update(stack.bytesAt(L, 1)).digest('hex'))
      return 1
    })
    stack.setFunction('log', (L) => {
      if (c.lua_gettop(L) < 2) return raise(L, 'ERR redis.log() requires two arguments or more.')
      if (c.lua_isnumber(L, 1) === 0) {
        return raise(L, 'ERR First argument must be a number (log level).')
      }
      const level = toInt32(c.lua_tonumber(L, 1))
      return level < 0 || level > 3 ? raise(L, 'ERR Invalid debug level.') : 0
    })
    stack.setFunction('setresp', (L) => {
      if (c.lua_gettop(L) !== 1) return raise(L, 'ERR redis.setresp() requires one argument.')
      const version = toInt32(c.lua_tonumber(L, 1))
      if (version !== 2 && version !== 3) return raise(L, 'ERR RESP version must be 2 or 3.')
      return version === 2 ? 0 : raise(L, 'ERR RESP3 is not supported in scripts here.')
    })
    stack.setFunction('set_repl', (L) => {
      if (c.lua_gettop(L) !== 1) return raise(L, 'ERR redis.set_repl() requires two arguments.')
      const flags = toInt32(c.lua_tonumber(L, 1))
      return (flags & ~3) !== 0 ? raise(L, BAD_REPL) : 0
    })
    stack.setFunction('replicate_commands', (L) => {
      c.lua_pushboolean(L, 1)
      return 1
    })
    stack.setFunction('breakpoint', (L) => {
      c.lua_pushboolean(L, 0)
      return 1
    })
    stack.setFunction('debug', () => 0)
    stack.setFunction('acl_check_cmd', (L) => {
      const args = commandArgs(L)
      if (typeof args === 'string') return raise(L, args)
      if (!caller().knows(args)) return raise(L, UNKNOWN_TO_ACL)
      c.lua_pushboolean(L, 1)
      return 1
    })
  })
}
