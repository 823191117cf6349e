/**
 * What the processes of a world share of Node: its own classes, of which there is one copy.
 *
 * A program that changes one (`Readable.prototype.push = …`) would change it for every process, and for
 * the next world in the same child. So they are photographed before a program can reach them, compared
 * when a world has ended, and put back. Walked are functions, what they own, and their prototypes;
 * not instances. Called with Node's own modules only, never with what was made for one process.
 */

import { createHash, createHmac } from 'node:crypto'
import { Agent } from 'node:http'
import { PassThrough } from 'node:stream'

interface Kept {
  /** How a program reaches it, e.g. `stream.Readable.prototype`. */
  readonly name: string
  readonly parent: object | null
  readonly properties: ReadonlyMap<PropertyKey, PropertyDescriptor>
}

export interface Restored {
  /** What was changed, e.g. `stream.Readable.prototype.push`. */
  readonly changed: readonly string[]
  /** False when something could not be put back: no other world may run here. */
  readonly whole: boolean
}

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } =
  Reflect
const { setPrototypeOf } = Reflect

const kept = new Map<object, Kept>()
/** Functions, and their prototypes, that own nothing but what all own: most of them. With the name. */
const plain = new Map<object, string>()
const modules = new Set<string>()

/** Instances of Node's classes: they lead to prototypes that no module hands out. */
const SAMPLES: Readonly<Record<string, () => object>> = {
  url: () => new URLSearchParams('a=1').entries(),
  events: () => {
    const { signal } = new AbortController()
    signal.onabort = () => {}
    return signal
  },
  stream: () => new PassThrough()[Symbol.asyncIterator](),
  'stream/web': () => [new ReadableStream().getReader(), new WritableStream().getWriter()],
  crypto: () => [createHash('sha1'), createHmac('sha1', '')],
  http: () => new Agent(),
}

/** Of these nothing is handed out, and what they hold changes by itself: caches, lists. */
const CHANGING: ReadonlySet<string> = new Set(['process', 'module'])

/** Watches a module of Node, by name without `node:`. Further calls cost nothing. */
export function watchModule(name: string): void {
  if (modules.has(name) || CHANGING.has(name)) return
  modules.add(name)
  const module = process.getBuiltinModule(name) as object | undefined
  if (module === undefined) return
  // The object itself is copied for each process, its getters called for that.
  const parts = ownKeys(module).map((key): Waiting => {
    const { value, get } = getOwnPropertyDescriptor(module, key)!
    return [get === undefined ? value : get.call(module), `${name}.${String(key)}`, 0]
  })
  walk(parts)
  const sample = SAMPLES[name]
  if (sample !== undefined) walk([[sample(), name, DEPTH]])
}

/** A value, how it is reached, and how many instances below it are walked through. */
type Waiting = [value: unknown, name: string, depth: number]

/** Objects inside one another that are walked through in a sample. */
const DEPTH = 8

/** Watches a value and what hangs on it. */
export function watch(value: unknown, name: string): void {
  walk([[value, name, 0]])
}

/**
 * The nearest first: the shortest name is the one that is told. Instances are not watched, since
 * their state changes by itself, but walked through as deep as is said.
 */
function walk(waiting: Waiting[]): void {
  const through = new Set<object>()
  for (const [value, name, left] of waiting) {
    if (!isObject(value) || plain.has(value) || kept.has(value) || through.has(value)) continue
    if (typeof value === 'function' && isPlain(value)) {
      plain.set(value, name)
      const { prototype } = value as { prototype?: object }
      if (prototype !== undefined) plain.set(prototype, `${name}.prototype`)
      continue
    }
    const isKept = isShared(value) || /\.(?:prototype|__proto__)$/.test(name)
    if (!isKept && left === 0) continue
    const properties = new Map<PropertyKey, PropertyDescriptor>()
    const parent = getPrototypeOf(value)
    if (isKept) kept.set(value, { name, parent, properties })
    else through.add(value)
    const within = isKept ? left : left - 1
    for (const key of ownKeys(value)) {
      const property = getOwnPropertyDescriptor(value, key)!
      properties.set(key, property)
      for (const part of [property.value, property.get, property.set]) {
        waiting.push([part, `${name}.${String(key)}`, within])
      }
    }
    waiting.push([parent, `${name}.__proto__`, within])
  }
}

function isObject(value: unknown): value is object {
  if (value === null || value === process || value === globalThis) return false
  return typeof value === 'object' || typeof value === 'function'
}

const ORDINARY: ReadonlySet<PropertyKey> = new Set([
  ...['length', 'name', 'prototype', 'constructor', 'arguments', 'caller'],
])

function isPlain(value: object): boolean {
  if (getPrototypeOf(value) !== Function.prototype || !ownKeys(value).every(isOrdinary))
    return false
  const prototype = getOwnPropertyDescriptor(value, 'prototype')?.value as object | undefined
  return (
    prototype === undefined ||
    (ownKeys(prototype).length === 1 && getPrototypeOf(prototype) === Object.prototype)
  )
}

function isOrdinary(key: PropertyKey): boolean {
  return ORDINARY.has(key)
}

/** Compares all with what it was, and puts it back. */
export function restoreShared(): Restored {
  const changed: string[] = []
  let whole = true
  for (const [object, { name, parent, properties }] of kept) {
    for (const key of ownKeys(object)) {
      if (properties.has(key)) continue
      changed.push(`${name}.${String(key)}`)
      whole = deleteProperty(object, key) && whole
    }
    for (const [key, before] of properties) {
      if (isSame(before, getOwnPropertyDescriptor(object, key))) continue
      changed.push(`${name}.${String(key)}`)
      whole = defineProperty(object, key, before) && whole
    }
    if (getPrototypeOf(object) !== parent) {
      changed.push(`${name}.__proto__`)
      whole = setPrototypeOf(object, parent) && whole
    }
  }
  for (const [object, name] of plain) {
    for (const key of ownKeys(object)) {
      if (isOrdinary(key)) continue
      changed.push(`${name}.${String(key)}`)
      whole = deleteProperty(object, key) && whole
    }
  }
  return { changed, whole }
}

function isSame(before: PropertyDescriptor, now: PropertyDescriptor | undefined): boolean {
  return (
    now !== undefined &&
    Object.is(before.value, now.value) &&
    before.get === now.get &&
    before.set === now.set &&
    before.writable === now.writable &&
    before.enumerable === now.enumerable &&
    before.configurable === now.configurable
  )
}

/** Functions, prototypes, and tables such as `util.inspect.styles`. */
function isShared(value: object): boolean {
  if (typeof value === 'function') return true
  const parent = getPrototypeOf(value)
  return parent === null || parent === Object.prototype || isPrototype(value)
}

function isPrototype(value: object): boolean {
  const maker = getOwnPropertyDescriptor(value, 'constructor')?.value as unknown
  if (typeof maker === 'function') return maker.prototype === value
  // The prototypes of iterators, and of getters.
  return ownKeys(value).includes(Symbol.toStringTag)
}
