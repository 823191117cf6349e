/**
 * Values over the border between JavaScript and a Lua machine: strings as bytes, and errors.
 *
 * Every function takes the Lua state it works on, since a script may call from a coroutine.
 */
import { GLOBALS, LuaMachine, type Ptr, REGISTRY, T } from './wasm.ts'

const FIRST_SCRATCH_BYTES = 4096

export class LuaStack {
  readonly machine: LuaMachine
  readonly c: LuaMachine['c']
  /** The main state. */
  readonly L: Ptr
  readonly #lengthOut: Ptr
  #scratch: Ptr
  #scratchBytes = FIRST_SCRATCH_BYTES

  constructor() {
    this.machine = new LuaMachine()
    this.c = this.machine.c
    this.L = this.c.luaL_newstate()
    this.#lengthOut = this.c.malloc(8)
    this.#scratch = this.c.malloc(this.#scratchBytes)
  }

  /** Copies `bytes` into the machine; the place is good until the next call of this. */
  place(bytes: Uint8Array): Ptr {
    const { length } = bytes
    if (length > this.#scratchBytes) {
      const larger = this.c.malloc(length)
      if (larger === 0) throw new Error('the Lua machine is out of memory')
      this.c.free(this.#scratch)
      this.#scratch = larger
      this.#scratchBytes = length
    }
    const { bytes: memory } = this.machine
    const at = this.#scratch
    if (length <= 32) for (let i = 0; i < length; i++) memory[at + i] = bytes[i] as number
    else memory.set(bytes, at)
    return at
  }

  pushBytes(L: Ptr, bytes: Uint8Array): void {
    this.c.lua_pushlstring(L, this.place(bytes), bytes.length)
  }

  pushText(L: Ptr, latin1: string): void {
    this.pushBytes(L, Buffer.from(latin1, 'latin1'))
  }

  /** A copy of the string at `index`; a number there is turned into Lua's text for it. */
  bytesAt(L: Ptr, index: number): Buffer {
    const at = this.c.lua_tolstring(L, index, this.#lengthOut)
    const length = this.machine.words[this.#lengthOut >> 2] as number
    const bytes = Buffer.allocUnsafe(length)
    const { bytes: memory } = this.machine
    if (length <= 32) for (let i = 0; i < length; i++) bytes[i] = memory[at + i] as number
    else memory.copy(bytes, 0, at, at + length)
    return bytes
  }

  textAt(L: Ptr, index: number): string {
    const at = this.c.lua_tolstring(L, index, this.#lengthOut)
    const length = this.machine.words[this.#lengthOut >> 2] as number
    return this.machine.bytes.toString('latin1', at, at + length)
  }

  isString(L: Ptr, index: number): boolean {
    return this.c.lua_type(L, index) === T.string
  }

  /** Raises a Lua error with the place of the calling script in front. Does not return. */
  raise(L: Ptr, message: string): never {
    this.c.luaL_where(L, 1)
    this.pushText(L, message)
    this.c.lua_concat(L, 2)
    this.c.lua_error(L)
    throw new Error('unreachable')
  }

  /** The field `name` of the table on top, pushed; without metamethods. */
  pushField(L: Ptr, name: string): void {
    this.pushText(L, name)
    this.c.lua_rawget(L, -2)
  }

  /** Sets a field of the table on top to a function. */
  setFunction(name: string, fn: (L: Ptr) => number): void {
    this.pushText(this.L, name)
    this.c.lua_pushcclosure(this.L, this.machine.addCFunction(fn), 0)
    this.c.lua_rawset(this.L, -3)
  }

  setNumber(name: string, value: number): void {
    this.pushText(this.L, name)
    this.c.lua_pushnumber(this.L, value)
    this.c.lua_rawset(this.L, -3)
  }

  setText(name: string, value: string): void {
    this.pushText(this.L, name)
    this.pushText(this.L, value)
    this.c.lua_rawset(this.L, -3)
  }

  /** Makes the global table `name` out of what `fill` sets. */
  library(name: string, fill: () => void): void {
    this.pushText(this.L, name)
    this.c.lua_createtable(this.L, 0, 16)
    fill()
    this.c.lua_rawset(this.L, GLOBALS)
  }

  /** Takes the value on top and gives a number under which `pushKept` finds it again. */
  keep(L = this.L): number {
    return this.c.luaL_ref(L, REGISTRY)
  }

  pushKept(ref: number, L = this.L): void {
    this.c.lua_rawgeti(L, REGISTRY, ref)
  }
}
