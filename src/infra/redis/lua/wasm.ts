/**
 * The Lua 5.1 machine: PUC Lua compiled to WebAssembly, driven without its JavaScript wrapper.
 *
 * The wrapper that ships with the binary decodes strings as text and costs some 20 µs a call; here
 * the module is instantiated with the few imports it really needs, so strings are bytes and a call
 * is one crossing. Nothing of the machine reaches the outside: files, environment and processes
 * answer "no such thing", and its clock stands still. Needs no code generation from strings.
 * Source: the exports of liblua5.1.wasm in the package wasmoon-lua5.1; lua.h of Lua 5.1.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type GuardedRange, guardFunction } from './guard.ts'

/** A C pointer or a Lua state: an offset in the machine's memory. */
export type Ptr = number

/** A `lua_CFunction`: arguments are the stack of `L`, the result says how many lie on top. */
export type LuaFunction = (L: Ptr) => number

/** The part of lua.h that is used. Indices and results are C ints; -1 is the top of the stack. */
export interface LuaExports {
  readonly memory: WebAssembly.Memory
  readonly __indirect_function_table: WebAssembly.Table
  __wasm_call_ctors(): void
  emscripten_stack_init(): void
  malloc(bytes: number): Ptr
  free(ptr: Ptr): void
  realloc(ptr: Ptr, bytes: number): Ptr
  setThrew(threw: number, value: number): void
  stackSave(): number
  stackRestore(sp: number): void
  luaL_newstate(): Ptr
  luaL_loadbuffer(L: Ptr, text: Ptr, length: number, name: Ptr): number
  luaL_ref(L: Ptr, table: number): number
  luaL_unref(L: Ptr, table: number, ref: number): void
  luaopen_base(L: Ptr): number
  luaopen_table(L: Ptr): number
  luaopen_string(L: Ptr): number
  luaopen_math(L: Ptr): number
  luaopen_debug(L: Ptr): number
  lua_checkstack(L: Ptr, extra: number): number
  lua_createtable(L: Ptr, arrayHint: number, recordHint: number): void
  lua_error(L: Ptr): number
  lua_gettop(L: Ptr): number
  lua_insert(L: Ptr, index: number): void
  lua_isnumber(L: Ptr, index: number): number
  lua_next(L: Ptr, index: number): number
  lua_objlen(L: Ptr, index: number): number
  lua_pcall(L: Ptr, args: number, results: number, handler: number): number
  lua_call(L: Ptr, args: number, results: number): void
  lua_pushboolean(L: Ptr, value: number): void
  lua_pushcclosure(L: Ptr, fn: number, upvalues: number): void
  lua_pushlightuserdata(L: Ptr, ptr: Ptr): void
  lua_pushlstring(L: Ptr, text: Ptr, length: number): void
  lua_pushnil(L: Ptr): void
  lua_pushnumber(L: Ptr, value: number): void
  lua_pushvalue(L: Ptr, index: number): void
  lua_rawget(L: Ptr, index: number): void
  lua_rawgeti(L: Ptr, index: number, n: number): void
  lua_rawset(L: Ptr, index: number): void
  lua_rawseti(L: Ptr, index: number, n: number): void
  lua_remove(L: Ptr, index: number): void
  lua_setfenv(L: Ptr, index: number): number
  lua_sethook(L: Ptr, fn: number, mask: number, count: number): number
  lua_setmetatable(L: Ptr, index: number): number
  lua_getmetatable(L: Ptr, index: number): number
  lua_settop(L: Ptr, index: number): void
  lua_toboolean(L: Ptr, index: number): number
  lua_tocfunction(L: Ptr, index: number): number
  lua_tolstring(L: Ptr, index: number, lengthOut: Ptr): Ptr
  lua_tonumber(L: Ptr, index: number): number
  lua_topointer(L: Ptr, index: number): Ptr
  lua_touserdata(L: Ptr, index: number): Ptr
  lua_type(L: Ptr, index: number): number
  luaL_checknumber(L: Ptr, index: number): number
  luaL_checklstring(L: Ptr, index: number, lengthOut: Ptr): Ptr
  luaL_argerror(L: Ptr, index: number, text: Ptr): number
  lua_replace(L: Ptr, index: number): void
  luaL_where(L: Ptr, level: number): void
  lua_concat(L: Ptr, n: number): void
  lua_gc(L: Ptr, what: number, data: number): number
}

export const REGISTRY = -10000
export const GLOBALS = -10002
export const upvalue = (n: number): number => GLOBALS - n

export const T = {
  nil: 0,
  boolean: 1,
  lightuserdata: 2,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
  userdata: 7,
  thread: 8,
} as const

/** Memory one machine may take: a script beyond it gets Lua's own "not enough memory". */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024
const PAGE_BYTES = 65536
const LONGJMP = Number.POSITIVE_INFINITY
const ENOSYS = -52

let compiled: WebAssembly.Module | undefined

function binary(): WebAssembly.Module {
  if (compiled === undefined) {
    const path = createRequire(import.meta.url).resolve('wasmoon-lua5.1/dist/liblua5.1.wasm')
    compiled = new WebAssembly.Module(readFileSync(path))
  }
  return compiled
}

/** A JavaScript function as a WebAssembly one of type (i32, …) → i32 | nothing, for the table. */
function asWasmFunction(fn: (...args: number[]) => number, params: number, result: boolean) {
  const i32 = 0x7f
  const type = [0x60, params, ...Array<number>(params).fill(i32), ...(result ? [1, i32] : [0])]
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, type.length + 1, 0x01, ...type],
    ...[0x02, 0x07, 0x01, 0x01, 0x65, 0x01, 0x66, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  ]
  const module = new WebAssembly.Module(new Uint8Array(bytes))
  return new WebAssembly.Instance(module, { e: { f: fn } }).exports.f as () => void
}

/** One machine: its memory as views that survive growth, its exports, and functions put into it. */
export class LuaMachine {
  readonly c: LuaExports
  bytes: Buffer
  words: Int32Array

  constructor() {
    const refuse = () => ENOSYS
    const env = {
      invoke_vii: (fn: number, a: number, b: number) => this.#protectedCall(fn, a, b),
      _emscripten_throw_longjmp: () => {
        throw LONGJMP
      },
      emscripten_memcpy_js: (to: number, from: number, n: number) => {
        this.bytes.copyWithin(to, from, from + n)
      },
      emscripten_resize_heap: (wanted: number) => this.#grow(wanted >>> 0),
      emscripten_date_now: () => 0,
      _emscripten_get_now_is_monotonic: () => 1,
      exit: (code: number) => {
        throw new Error(`the Lua machine tried to exit with code ${code}`)
      },
      strftime: () => 0,
      _tzset_js: () => {},
      _mktime_js: () => -1,
      _localtime_js: () => {},
      _gmtime_js: () => {},
      _emscripten_system: refuse,
      __syscall_openat: refuse,
      __syscall_fcntl64: refuse,
      __syscall_ioctl: refuse,
      __syscall_dup3: refuse,
      __syscall_unlinkat: refuse,
      __syscall_rmdir: refuse,
      __syscall_renameat: refuse,
      __syscall_readlinkat: refuse,
    }
    const wasi = {
      fd_write: () => 52,
      fd_read: () => 52,
      fd_close: () => 52,
      fd_seek: () => 52,
      environ_sizes_get: (count: number, size: number) => {
        this.words[count >> 2] = 0
        this.words[size >> 2] = 0
        return 0
      },
      environ_get: () => 0,
    }
    const instance = new WebAssembly.Instance(binary(), { env, wasi_snapshot_preview1: wasi })
    this.c = instance.exports as unknown as LuaExports
    this.bytes = Buffer.from(this.c.memory.buffer)
    this.words = new Int32Array(this.c.memory.buffer)
    this.c.emscripten_stack_init()
    this.c.__wasm_call_ctors()
  }

  /** Puts `fn` into the function table; the result is what `lua_pushcclosure` takes. */
  addCFunction(fn: LuaFunction): number {
    return this.#add(asWasmFunction(fn, 1, true))
  }

  /** As `addCFunction`, for a guard that hands on to `usual` or `wide`. */
  addGuard(usual: LuaFunction, wide: LuaFunction, range: GuardedRange): number {
    return this.#add(guardFunction(this.c, usual, wide, range))
  }

  /** The function at a place that `lua_tocfunction` has told. */
  cFunction(at: number): LuaFunction {
    return this.c.__indirect_function_table.get(at) as LuaFunction
  }

  /** As `addCFunction`, for `lua_sethook`. */
  addHook(fn: (L: Ptr) => void): number {
    return this.#add(asWasmFunction(fn as (...args: number[]) => number, 2, false))
  }

  #add(fn: () => void): number {
    const table = this.c.__indirect_function_table
    const at = table.grow(1)
    table.set(at, fn)
    return at
  }

  /**
   * The setjmp half of a protected call. A Lua error arrives as the number thrown by longjmp;
   * anything else is not Lua's and goes on, which leaves this machine unfit for further use.
   */
  #protectedCall(fn: number, a: number, b: number): void {
    const sp = this.c.stackSave()
    try {
      this.c.__indirect_function_table.get(fn)(a, b)
    } catch (thrown) {
      if (thrown !== LONGJMP) throw thrown
      this.c.stackRestore(sp)
      this.c.setThrew(1, 0)
    }
  }

  #grow(wantedBytes: number): number {
    const memory = this.c.memory
    if (wantedBytes > MAX_MEMORY_BYTES) return 0
    const have = memory.buffer.byteLength
    const target = Math.min(MAX_MEMORY_BYTES, Math.max(wantedBytes, have * 2))
    try {
      memory.grow(Math.ceil((target - have) / PAGE_BYTES))
    } catch {
      return 0
    }
    this.bytes = Buffer.from(memory.buffer)
    this.words = new Int32Array(memory.buffer)
    return 1
  }
}
