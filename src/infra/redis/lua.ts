/**
 * Scripts: a sandboxed Lua 5.1 with the libraries of Redis, one machine per world.
 *
 * Real Lua (compiled to WebAssembly), so semantics, error texts and hash order are Lua's own. The
 * machine is deterministic: no clock, no environment, `math.random` starts alike in every runtime.
 * Refuses: a script of more than `MAX_INSTRUCTIONS` steps is ended with an error (a real server
 * would go on and answer others with BUSY). Not here: cmsgpack, struct, functions (FUNCTION, FCALL).
 */
import { type ErrorReply, error, type Reply } from '../../wire/resp.ts'
import { untilZero } from './c-text.ts'
import { oneLine } from './errors.ts'
import { installBit } from './lua/bit-library.ts'
import { installCjson } from './lua/cjson.ts'
import { installPcall } from './lua/pcall.ts'
import { PRELUDE, PRELUDE_NAME } from './lua/prelude.ts'
import { installRandom, ScriptRandom } from './lua/random.ts'
import { installRedis, type ScriptCaller } from './lua/redis-library.ts'
import { LuaStack } from './lua/stack.ts'
import { installStandIns } from './lua/stand-ins.ts'
import { asTextChunk, installLoadString, messageOnChunk } from './lua/text-chunks.ts'
import { popReply } from './lua/values.ts'
import { GLOBALS, T } from './lua/wasm.ts'
import { installWideIntegers } from './lua/wide-integers.ts'

export type { ScriptCaller } from './lua/redis-library.ts'

export const MAX_INSTRUCTIONS = 100_000_000
const HOOK_EVERY = 100_000
const MASK_COUNT = 8
const SCRIPT_NAME = '@user_script'

/** Thrown through the machine to end a script; after it the machine is given up. */
class ScriptStopped extends Error {}

/** A compiled script. It outlives the machine that compiled it: the text is kept. */
export interface Script {
  /** SHA-1 of the text, 40 hexadecimal digits. */
  readonly sha: string
  /** What Lua compiles. */
  readonly text: Buffer
  compiled: { readonly machine: Machine; readonly ref: number } | null
}

/** Once, before a world starts; about 5 ms and 16 MiB. */
export async function loadLua(): Promise<LuaRuntime> {
  return new LuaRuntime()
}

export class LuaRuntime {
  readonly #random = new ScriptRandom()
  #machine = new Machine(this.#random)

  /** Compiles ahead. Null, or the error in the form of Redis. */
  compile(script: Script): ErrorReply | null {
    if (script.compiled?.machine === this.#machine) return null
    const compiled = this.#machine.compile(script.text)
    if (typeof compiled === 'string') {
      return error(oneLine(`ERR Error compiling script (new function): ${compiled}`))
    }
    script.compiled = { machine: this.#machine, ref: compiled }
    return null
  }

  /** Forgets the compiled form: SCRIPT FLUSH. */
  release(script: Script): void {
    if (script.compiled?.machine === this.#machine) this.#machine.release(script.compiled.ref)
    script.compiled = null
  }

  /** Runs a script to its end. Whatever the script does, the answer is a reply. */
  run(
    script: Script,
    keys: readonly Buffer[],
    args: readonly Buffer[],
    caller: ScriptCaller,
  ): Reply {
    const failed = this.compile(script)
    if (failed !== null || script.compiled === null) return failed
    try {
      return this.#machine.run(script.compiled.ref, script.sha, keys, args, caller)
    } catch (thrown) {
      this.#machine = new Machine(this.#random)
      if (thrown instanceof ScriptStopped) return this.#stopped(script, 'it ran too long')
      if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) {
        return this.#stopped(script, 'it broke the Lua machine')
      }
      throw thrown
    }
  }

  #stopped(script: Script, why: string): Reply {
    return error(`ERR script stopped: ${why} script: ${script.sha}, on ${SCRIPT_NAME}.`)
  }
}

/** One Lua state with its sandbox. */
class Machine {
  readonly #stack = new LuaStack()
  readonly #globals: number
  readonly #handler: number
  #chunkName: number
  #caller: ScriptCaller | null = null
  #hooks = 0

  constructor(random: ScriptRandom) {
    const stack = this.#stack
    const { c, L, machine } = stack
    for (const open of [c.luaopen_base, c.luaopen_table, c.luaopen_string, c.luaopen_math]) open(L)
    c.luaopen_debug(L)
    c.lua_settop(L, 0)
    installWideIntegers(stack)
    stack.pushText(L, 'math')
    c.lua_rawget(L, GLOBALS)
    installRandom(stack, random)
    c.lua_settop(L, 0)
    installPcall(stack)
    installStandIns(stack)
    installLoadString(stack)
    installBit(stack)
    installCjson(stack)
    installRedis(stack, () => this.#caller as ScriptCaller)
    this.#chunkName = this.#cString(PRELUDE_NAME)
    this.#loadPrelude()
    this.#handler = stack.keep()
    c.lua_replace(L, GLOBALS)
    this.#globals = stack.keep()
    this.#chunkName = this.#cString(SCRIPT_NAME)
    const hook = machine.addHook(() => {
      if (++this.#hooks * HOOK_EVERY > MAX_INSTRUCTIONS) throw new ScriptStopped()
    })
    c.lua_sethook(L, hook, MASK_COUNT, HOOK_EVERY)
  }

  #cString(text: string): number {
    const { c, machine } = this.#stack
    const at = c.malloc(text.length + 1)
    machine.bytes.write(`${text}\0`, at, 'latin1')
    return at
  }

  /** Leaves the prelude's three results: globals, environment, handler. */
  #loadPrelude(): void {
    const { c, L } = this.#stack
    const ref = this.compile(Buffer.from(PRELUDE, 'latin1'))
    if (typeof ref === 'string') throw new Error(`the Lua prelude does not compile: ${ref}`)
    this.#stack.pushKept(ref)
    if (c.lua_pcall(L, 0, 3, 0) !== 0) {
      throw new Error(`the Lua prelude failed: ${this.#stack.textAt(L, -1)}`)
    }
  }

  /** A reference to the compiled function, or Lua's message. */
  compile(text: Buffer): number | string {
    const stack = this.#stack
    const { c, L } = stack
    const at = stack.place(asTextChunk(text))
    const status = c.luaL_loadbuffer(L, at, text.length, this.#chunkName)
    if (status === 0) return stack.keep()
    const message = messageOnChunk(text, stack.textAt(L, -1))
    c.lua_settop(L, -2)
    return message
  }

  release(ref: number): void {
    this.#stack.c.luaL_unref(this.#stack.L, -10000, ref)
  }

  run(
    ref: number,
    sha: string,
    keys: readonly Buffer[],
    args: readonly Buffer[],
    caller: ScriptCaller,
  ): Reply {
    const stack = this.#stack
    const { c, L } = stack
    this.#caller = caller
    this.#hooks = 0
    c.lua_settop(L, 0)
    stack.pushKept(this.#globals)
    this.#setList('KEYS', keys)
    this.#setList('ARGV', args)
    c.lua_settop(L, 0)
    stack.pushKept(this.#handler)
    stack.pushKept(ref)
    const status = c.lua_pcall(L, 0, 1, 1)
    const reply = status === 0 ? popReply(stack, L) : this.#failure(sha)
    c.lua_settop(L, 0)
    return reply
  }

  #setList(name: string, items: readonly Buffer[]): void {
    const stack = this.#stack
    const { c, L } = stack
    stack.pushText(L, name)
    c.lua_createtable(L, items.length, 0)
    for (let i = 0; i < items.length; i++) {
      stack.pushBytes(L, items[i] as Buffer)
      c.lua_rawseti(L, -2, i + 1)
    }
    c.lua_rawset(L, -3)
  }

  /** The error on top, as Redis words it: message, script, place. */
  #failure(sha: string): Reply {
    const stack = this.#stack
    const { c, L } = stack
    const field = (name: string): string | null => {
      stack.pushField(L, name)
      const type = c.lua_type(L, -1)
      const text = type === T.string || type === T.number ? untilZero(stack.textAt(L, -1)) : null
      c.lua_settop(L, -2)
      return text
    }
    if (c.lua_type(L, -1) !== T.table) {
      return error(oneLine(`ERR ${stack.textAt(L, -1)} script: ${sha}`))
    }
    const [message, source, line] = [
      field('err') ?? 'ERR unknown error',
      field('source'),
      field('line'),
    ]
    const place = source !== null && line !== null ? `, on ${source}:${line}.` : ''
    return error(oneLine(`${message} script: ${sha}${place}`))
  }
}
