/**
 * A guard before a function of Lua's libraries: it looks at the numbers among some of the arguments
 * and hands the call on in the same frame, to `wide` when one lies outside a range, else to `usual`.
 *
 * Assembled by hand, since usual calls are to cost next to nothing: between two functions of
 * WebAssembly no border to JavaScript is crossed.
 */
import type { LuaExports, LuaFunction } from './wasm.ts'

/** The arguments looked at, from 1, and the numbers in [low, high) that pass. NaN never does. */
export interface GuardedRange {
  readonly first: number
  readonly last: number
  readonly low: number
  readonly high: number
}

const I32 = 0x7f
const F64 = 0x7c
const VOID = 0x40
// Locals: the parameter comes first.
const [L, I, END, VALUE] = [0, 1, 2, 3]
// Imported functions and globals, each by its own count.
const [NUMBER, TOP, USUAL, WIDE] = [0, 1, 2, 3]
const [FIRST, LAST, LOW, HIGH] = [0, 1, 2, 3]

const block = 0x02
const loop = 0x03
const if_ = 0x04
const end = 0x0b
const br = 0x0c
const brIf = 0x0d
const return_ = 0x0f
const call = 0x10
const select = 0x1b
const get = 0x20
const set = 0x21
const tee = 0x22
const global = 0x23
const i32const = 0x41
const eqz = 0x45
const i32lt = 0x48
const i32gt = 0x4a
const f64lt = 0x63
const f64ge = 0x66
const add = 0x6a
const and = 0x71

/** In words: for i = first … min(last, top): not (low <= number(i) < high) → wide(L); usual(L). */
const CODE = [
  ...[global, FIRST, set, I, get, L, call, TOP, set, END],
  ...[global, LAST, get, END, global, LAST, get, END, i32lt, select, set, END],
  ...[block, VOID, loop, VOID, get, I, get, END, i32gt, brIf, 1],
  ...[get, L, get, I, call, NUMBER, tee, VALUE, global, LOW, f64ge],
  ...[get, VALUE, global, HIGH, f64lt, and, eqz],
  ...[if_, VOID, get, L, call, WIDE, return_, end],
  ...[get, I, i32const, 1, add, set, I, br, 0, end, end],
  ...[get, L, call, USUAL, end],
]

const name = (letter: string): number[] => [1, letter.charCodeAt(0)]
const section = (id: number, content: readonly number[]) => [id, content.length, ...content]
const func = (letter: string, type: number) => [...name('e'), ...name(letter), 0, type]
const constant = (letter: string, type: number) => [...name('e'), ...name(letter), 3, type, 0]
const IMPORTS = [
  ...[func('n', 0), func('t', 1), func('u', 1), func('w', 1)],
  ...[constant('f', I32), constant('l', I32), constant('a', F64), constant('z', F64)],
]
const BODY = [2, 2, I32, 1, F64, ...CODE]
const BYTES = [
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, [2, 0x60, 2, I32, I32, 1, F64, 0x60, 1, I32, 1, I32]),
  ...section(2, [IMPORTS.length, ...IMPORTS.flat()]),
  ...section(3, [1, 1]),
  ...section(7, [1, ...name('g'), 0, 4]),
  ...section(10, [1, BODY.length, ...BODY]),
]

let compiled: WebAssembly.Module | undefined

/** A function for the machine's table. */
export function guardFunction(
  c: LuaExports,
  usual: LuaFunction,
  wide: LuaFunction,
  { first, last, low, high }: GuardedRange,
): () => void {
  compiled ??= new WebAssembly.Module(new Uint8Array(BYTES))
  const [n, t] = [c.lua_tonumber, c.lua_gettop]
  const e = { n, t, u: usual, w: wide, f: first, l: last, a: low, z: high }
  return new WebAssembly.Instance(compiled, { e }).exports.g as () => void
}
