/**
 * One numbered database: keys, their values and their expiry.
 *
 * Expiry is lazy and exact: whoever looks at a key whose time is over finds it gone, and the lapse
 * is told once. As in Redis, a key lives through the millisecond of its expiry and is gone in the
 * next (`now > when`, db.c). Every change goes through here, so effects, WATCH and blocked readers
 * hear of writes made by commands and by scripts alike. Keys are latin1 text, one byte a character.
 */
import { WRONG_TYPE } from './errors.ts'
import type { Int } from './integers.ts'
import { Stream } from './stream.ts'

export interface EngineEffect {
  readonly op: 'set' | 'expire' | 'del' | 'expired' | 'write'
  /** latin1. */
  readonly key: string
  /** latin1, of a string; null for other types and where no value is left. */
  readonly value: string | null
  /** Unix milliseconds; null for never. */
  readonly expireAtMs: number | null
}

export type Hash = Map<string, Buffer>

export type Value =
  | { readonly kind: 'string'; bytes: Buffer }
  | { readonly kind: 'hash'; readonly fields: Hash }
  | { readonly kind: 'stream'; readonly stream: Stream }

export interface Entry {
  value: Value
  /** Unix milliseconds; null for never. */
  expireAtMs: Int | null
  /** From 1, in the order in which keys came into being. */
  readonly serial: number
}

export interface KeyspaceEvents {
  readonly onEffect: ((effect: EngineEffect) => void) | undefined
  /** A key changed: for WATCH. */
  touched(db: Keyspace, key: string): void
  /** A stream grew, came into being or went away: for blocked readers. */
  streamChanged(db: Keyspace, key: string): void
}

/** The instant at which the command at hand runs. */
export interface Clock {
  nowUs: number
  nowMs: number
}

export class Keyspace {
  readonly index: number
  readonly #entries = new Map<string, Entry>()
  readonly #clock: Clock
  readonly #events: KeyspaceEvents
  #lastSerial = 0

  constructor(index: number, clock: Clock, events: KeyspaceEvents) {
    this.index = index
    this.#clock = clock
    this.#events = events
  }

  /** Keys held, those included whose time is over and that nobody has looked at since. */
  get size(): number {
    return this.#entries.size
  }

  /** Key names in the order in which they came into being; looks at nothing. */
  names(): IterableIterator<string> {
    return this.#entries.keys()
  }

  /** Up to `count` names from the serial number `from` on, and where to go on; 0 is the end. */
  page(from: number, count: number): { readonly names: string[]; readonly next: number } {
    const names: string[] = []
    for (const [key, { serial }] of this.#entries) {
      if (serial < from) continue
      if (names.length === count) return { names, next: serial }
      names.push(key)
    }
    return { names, next: 0 }
  }

  expiringCount(): number {
    let count = 0
    for (const entry of this.#entries.values()) if (entry.expireAtMs !== null) count++
    return count
  }

  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expireAtMs === null) return entry
    if (this.#clock.nowMs <= entry.expireAtMs) return entry
    this.#forget(key, entry, 'expired')
    return undefined
  }

  /** Whether the key is stored, its time over or not. */
  holds(key: string): boolean {
    return this.#entries.has(key)
  }

  /** True while the key is there but its time is over: nothing is removed or told. */
  isStale(key: string): boolean {
    const expireAtMs = this.#entries.get(key)?.expireAtMs ?? null
    return expireAtMs !== null && this.#clock.nowMs > expireAtMs
  }

  /** Throws the WRONGTYPE reply when the key holds another type. */
  string(key: string): Buffer | undefined {
    const value = this.find(key)?.value
    if (value === undefined) return undefined
    if (value.kind !== 'string') throw WRONG_TYPE
    return value.bytes
  }

  hash(key: string): Hash | undefined {
    const value = this.find(key)?.value
    if (value === undefined) return undefined
    if (value.kind !== 'hash') throw WRONG_TYPE
    return value.fields
  }

  stream(key: string): Stream | undefined {
    const value = this.find(key)?.value
    if (value === undefined) return undefined
    if (value.kind !== 'stream') throw WRONG_TYPE
    return value.stream
  }

  hashForWrite(key: string): Hash {
    const found = this.hash(key)
    if (found !== undefined) return found
    const fields: Hash = new Map()
    this.#create(key, { kind: 'hash', fields }, null)
    return fields
  }

  createStream(key: string): Stream {
    const stream = new Stream()
    this.#create(key, { kind: 'stream', stream }, null)
    this.#events.streamChanged(this, key)
    return stream
  }

  /** Writes a string over whatever is there. The bytes must not be changed afterwards. */
  setString(key: string, bytes: Buffer, expireAtMs: Int | null): void {
    const entry = this.#entries.get(key)
    const value: Value = { kind: 'string', bytes }
    if (entry === undefined) this.#create(key, value, expireAtMs)
    else {
      if (entry.value.kind === 'stream') this.#events.streamChanged(this, key)
      entry.value = value
      entry.expireAtMs = expireAtMs
    }
    this.#events.touched(this, key)
    if (this.#events.onEffect !== undefined) this.#tell('set', key, bytes, expireAtMs)
  }

  /** As `setString`, keeping the expiry of a key that is there. */
  updateString(key: string, bytes: Buffer): void {
    this.setString(key, bytes, this.find(key)?.expireAtMs ?? null)
  }

  setExpiry(key: string, entry: Entry, expireAtMs: Int | null): void {
    entry.expireAtMs = expireAtMs
    this.#events.touched(this, key)
    if (this.#events.onEffect === undefined) return
    this.#tell('expire', key, entry.value.kind === 'string' ? entry.value.bytes : null, expireAtMs)
  }

  /** To be called after a hash or stream has changed in place. */
  wrote(key: string): void {
    this.#events.touched(this, key)
    if (this.#events.onEffect === undefined) return
    this.#tell('write', key, null, this.#entries.get(key)?.expireAtMs ?? null)
  }

  /** To be called in addition when a stream has something new to read. */
  streamGrew(key: string): void {
    this.#events.streamChanged(this, key)
  }

  /** False when the key was not there, or no longer. */
  remove(key: string): boolean {
    const entry = this.find(key)
    if (entry === undefined) return false
    this.#forget(key, entry, 'del')
    return true
  }

  clear(): void {
    for (const [key, entry] of [...this.#entries]) this.#forget(key, entry, 'del')
  }

  #create(key: string, value: Value, expireAtMs: Int | null): void {
    this.#entries.set(key, { value, expireAtMs, serial: ++this.#lastSerial })
  }

  #forget(key: string, entry: Entry, op: 'del' | 'expired'): void {
    this.#entries.delete(key)
    if (entry.value.kind === 'stream') this.#events.streamChanged(this, key)
    this.#events.touched(this, key)
    if (this.#events.onEffect !== undefined) this.#tell(op, key, null, null)
  }

  #tell(op: EngineEffect['op'], key: string, bytes: Buffer | null, expireAtMs: Int | null): void {
    this.#events.onEffect?.({
      op,
      key,
      value: bytes === null ? null : bytes.toString('latin1'),
      expireAtMs: expireAtMs === null ? null : Number(expireAtMs),
    })
  }
}
