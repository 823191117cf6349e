/**
 * `cjson.decode`: JSON text as Lua values, by the rules of lua-cjson 2.1.
 *
 * Beyond JSON it accepts what that library accepts (`inf`, `nan`, hexadecimal, leading zeros). A
 * refusal names what was expected, what stood there, and the byte, from 1.
 */
import type { CjsonSettings } from './cjson-settings.ts'
import type { LuaStack } from './stack.ts'
import type { Ptr } from './wasm.ts'

type Token =
  | { readonly kind: 'punctuation' | 'end'; readonly name: string; readonly at: number }
  | {
      readonly kind: 'string'
      readonly name: 'T_STRING'
      readonly at: number
      readonly text: string
    }
  | {
      readonly kind: 'number'
      readonly name: 'T_NUMBER'
      readonly at: number
      readonly value: number
    }
  | {
      readonly kind: 'word'
      readonly name: 'T_BOOLEAN' | 'T_NULL'
      readonly at: number
      readonly word: string
    }
  | { readonly kind: 'error'; readonly name: string; readonly at: number }

const PUNCTUATION: Readonly<Record<string, string>> = {
  '{': 'T_OBJ_BEGIN',
  '}': 'T_OBJ_END',
  '[': 'T_ARR_BEGIN',
  ']': 'T_ARR_END',
  ',': 'T_COMMA',
  ':': 'T_COLON',
}
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' },
}
/** What C's `strtod` takes. */
const SPECIAL = /[-+]?(?:infinity|inf|nan(?:\([0-9a-z_]*\))?)/iy
const HEXADECIMAL = /[-+]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?[0-9]+)?/iy
/** The beginnings of those numbers that JSON does not know. */
const NOT_JSON = /^(?:\+|-?(?:0[x0-9]|inf|nan))/i
const DECIMAL = /[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?/iy

/** Pushes the value that `text` (latin1) holds. */
export function decode(stack: LuaStack, L: Ptr, text: string, settings: CjsonSettings): void {
  new Decoder(stack, L, text, settings).run()
}

class Decoder {
  readonly #stack: LuaStack
  readonly #L: Ptr
  readonly #text: string
  readonly #settings: CjsonSettings
  #at = 0
  #depth = 0

  constructor(stack: LuaStack, L: Ptr, text: string, settings: CjsonSettings) {
    this.#settings = settings
    this.#stack = stack
    this.#L = L
    this.#text = text
  }

  run(): void {
    if (this.#text.length >= 2 && this.#text.slice(0, 2).includes('\0')) {
      this.#stack.raise(this.#L, 'JSON parser does not support UTF-16 or UTF-32')
    }
    this.#value(this.#next())
    const token = this.#next()
    if (token.kind !== 'end') this.#refuse('the end', token)
  }

  #refuse(expected: string, found: Token): never {
    const place = `at character ${found.at + 1}`
    return this.#stack.raise(this.#L, `Expected ${expected} but found ${found.name} ${place}`)
  }

  #value(token: Token): void {
    const { c } = this.#stack
    if (token.kind === 'string') this.#stack.pushText(this.#L, token.text)
    else if (token.kind === 'number') c.lua_pushnumber(this.#L, token.value)
    else if (token.kind === 'word') {
      if (token.word === 'null') c.lua_pushlightuserdata(this.#L, 0)
      else c.lua_pushboolean(this.#L, token.word === 'true' ? 1 : 0)
    } else if (token.name === 'T_OBJ_BEGIN') this.#object()
    else if (token.name === 'T_ARR_BEGIN') this.#array()
    else this.#refuse('value', token)
  }

  #descend(): void {
    this.#depth++
    if (
      this.#depth <= this.#settings.decodeMaxDepth &&
      this.#stack.c.lua_checkstack(this.#L, 3) !== 0
    )
      return
    const place = `at character ${this.#at}`
    this.#stack.raise(this.#L, `Found too many nested data structures (${this.#depth}) ${place}`)
  }

  #object(): void {
    const { c } = this.#stack
    this.#descend()
    c.lua_createtable(this.#L, 0, 0)
    let token = this.#next()
    while (token.name !== 'T_OBJ_END') {
      if (token.kind !== 'string') this.#refuse('object key string', token)
      this.#stack.pushText(this.#L, token.text)
      const colon = this.#next()
      if (colon.name !== 'T_COLON') this.#refuse('colon', colon)
      this.#value(this.#next())
      c.lua_rawset(this.#L, -3)
      token = this.#next()
      if (token.name === 'T_OBJ_END') break
      if (token.name !== 'T_COMMA') this.#refuse('comma or object end', token)
      token = this.#next()
      if (token.name === 'T_OBJ_END') this.#refuse('object key string', token)
    }
    this.#depth--
  }

  #array(): void {
    const { c } = this.#stack
    this.#descend()
    c.lua_createtable(this.#L, 0, 0)
    let token = this.#next()
    for (let i = 1; token.name !== 'T_ARR_END'; i++) {
      this.#value(token)
      c.lua_rawseti(this.#L, -2, i)
      token = this.#next()
      if (token.name === 'T_ARR_END') break
      if (token.name !== 'T_COMMA') this.#refuse('comma or array end', token)
      token = this.#next()
      if (token.name === 'T_ARR_END') this.#refuse('value', token)
    }
    this.#depth--
  }

  #next(): Token {
    const text = this.#text
    while (/[ \t\n\r]/.test(text[this.#at] ?? '')) this.#at++
    const at = this.#at
    const char = text[at]
    if (char === undefined || char === '\0') return { kind: 'end', name: 'T_END', at }
    const name = PUNCTUATION[char]
    if (name !== undefined) {
      this.#at++
      return { kind: 'punctuation', name, at }
    }
    if (char === '"') return this.#string(at)
    for (const word of ['true', 'false', 'null']) {
      if (!text.startsWith(word, at)) continue
      this.#at += word.length
      return { kind: 'word', name: word === 'null' ? 'T_NULL' : 'T_BOOLEAN', at, word }
    }
    return this.#number(at, char)
  }

  #number(at: number, char: string): Token {
    if (!this.#settings.decodeInvalid && NOT_JSON.test(this.#text.slice(at, at + 4))) {
      return { kind: 'error', name: /[-0-9]/.test(char) ? 'invalid number' : 'invalid token', at }
    }
    if (!/[-+0-9iInN]/.test(char)) return { kind: 'error', name: 'invalid token', at }
    for (const form of [SPECIAL, HEXADECIMAL, DECIMAL]) {
      form.lastIndex = at
      const found = form.exec(this.#text)?.[0]
      if (found === undefined) continue
      this.#at += found.length
      const value = form === HEXADECIMAL ? this.#hexadecimal(found) : toNumber(found)
      return { kind: 'number', name: 'T_NUMBER', at, value }
    }
    const name = /[-+0-9]/.test(char) ? 'invalid number' : 'invalid token'
    return { kind: 'error', name, at }
  }

  /** Lua reads it as C does, fraction and exponent too. */
  #hexadecimal(text: string): number {
    const { c } = this.#stack
    this.#stack.pushText(this.#L, text)
    const value = c.lua_tonumber(this.#L, -1)
    c.lua_settop(this.#L, -2)
    return value
  }

  #string(start: number): Token {
    const text = this.#text
    let value = ''
    let at = start + 1
    for (;;) {
      const char = text[at]
      if (char === undefined || char === '\0') {
        return { kind: 'error', name: 'unexpected end of string', at }
      }
      if (char === '"') {
        this.#at = at + 1
        return { kind: 'string', name: 'T_STRING', at: start, text: value }
      }
      if (char !== '\\') {
        value += char
        at++
        continue
      }
      const plain = ESCAPES[text[at + 1] ?? '']
      if (plain !== undefined) {
        value += plain
        at += 2
        continue
      }
      const unicode = text[at + 1] === 'u' ? readUnicode(text, at) : 'invalid escape code'
      if (unicode === null) return { kind: 'error', name: 'invalid unicode escape code', at }
      if (typeof unicode === 'string') return { kind: 'error', name: unicode, at }
      value += unicode.bytes
      at = unicode.next
    }
  }
}

function toNumber(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const bare = text.replace(/^[-+]/, '').toLowerCase()
  if (bare.startsWith('inf')) return sign * Number.POSITIVE_INFINITY
  return bare === 'nan' ? Number.NaN : sign * Number(bare)
}

function unit(text: string, at: number): number | null {
  const found = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(at, at + 6))
  return found === null ? null : Number.parseInt(found[1] as string, 16)
}

/** UTF-8 bytes (as latin1) of the escape at `at`, with its second half where there is one. */
function readUnicode(text: string, at: number): { bytes: string; next: number } | null {
  const first = unit(text, at)
  if (first === null) return null
  let code = first
  let next = at + 6
  if (first >= 0xd800 && first <= 0xdfff) {
    const second = first < 0xdc00 ? unit(text, next) : null
    if (second === null || second < 0xdc00 || second > 0xdfff) return null
    code = 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
    next += 6
  }
  return { bytes: Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1'), next }
}
