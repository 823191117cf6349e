/**
 * What commands did to the keys of a run on a real server: the `redis.effect` events.
 *
 * A real server tells no effects, so it is asked: right behind a command, on the same connection and
 * in the same write, goes a script that looks at the keys that the command names; the difference from
 * the last look is told. A key that nobody names is not seen: one that a script puts together itself.
 * Lapses are told when a look finds them.
 */

import type { Unplaced } from '../trace/events.ts'
import type { Recorder } from '../trace/recorder.ts'
import { isError, type Reply } from '../wire/resp.ts'
import type { RedisLink } from './redis-link.ts'

/** KEYS what to look at · ARGV[1] PEXPIRETIME or PTTL. Answers TIME, and per key {}, {expiry} or {expiry, value}. */
const LOOK = `
local seen = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then seen[i] = {}
  elseif kind == 'string' then seen[i] = {redis.call(ARGV[1], key), redis.call('GET', key)}
  else seen[i] = {redis.call(ARGV[1], key)} end
end
return {redis.call('TIME'), seen}`

interface Seen {
  /** latin1; null for what is no string. */
  readonly value: string | null
  /** Unix ms of the server; null for never. */
  readonly expireAtMs: number | null
}

export interface TruthOptions {
  readonly prefix: string
  readonly server: string
  readonly tellsExpiry: boolean
  /** Trace µs of a Unix ms of the server. */
  readonly traceUs: (unixMs: number) => number
  readonly record: Recorder['record']
}

type Effect = Extract<Unplaced, { readonly kind: 'redis.effect' }>

/** PTTL counts from an instant of its own, so the same expiry can come out one apart. */
const PTTL_SLACK_MS = 2

export class RedisTruth {
  readonly #options: TruthOptions
  readonly #known = new Map<string, Seen>()

  constructor(options: TruthOptions) {
    this.#options = options
  }

  /** Asks on `link` how these keys (with the run's prefix) stand. To be sent right behind a command. */
  ask(link: RedisLink, keys: readonly string[]): Promise<Reply> {
    const expiry = this.#options.tellsExpiry ? 'PEXPIRETIME' : 'PTTL'
    return link.send('EVAL', LOOK, String(keys.length), ...keys, expiry)
  }

  /** Tells what command `id` changed, by the answer to `ask`. Answers must come in the order of asking. */
  tell(id: number, keys: readonly string[], answer: Reply): void {
    const { record } = this.#options
    if (isError(answer)) {
      // A server that is being started refuses the command as well as the look at it.
      if (answer.text.startsWith('LOADING')) return
      throw new Error(`looking at keys failed: ${answer.text}`)
    }
    const [time, found] = answer as readonly [readonly Reply[], readonly (readonly Reply[])[]]
    const nowMs = Number(String(time[0])) * 1000 + Number(String(time[1])) / 1000
    for (const [at, key] of keys.entries()) {
      const seen = this.#read(found[at] ?? [], nowMs)
      const before = this.#known.get(key) ?? null
      if (seen === null) this.#known.delete(key)
      else this.#known.set(key, seen)
      for (const effect of this.#between(key, before, seen, id, nowMs)) record(effect)
    }
  }

  #read(parts: readonly Reply[], nowMs: number): Seen | null {
    const [expiry, value] = parts
    if (expiry === undefined) return null
    const told = Number(expiry)
    const at = this.#options.tellsExpiry ? told : Math.round(nowMs + told)
    const text = Buffer.isBuffer(value) ? value.toString('latin1') : null
    return { value: text, expireAtMs: told < 0 ? null : at }
  }

  *#between(
    key: string,
    before: Seen | null,
    after: Seen | null,
    id: number,
    nowMs: number,
  ): Generator<Effect> {
    const { prefix, server, traceUs } = this.#options
    const effect = (op: Effect['op'], seen: Seen | null, by: number | null = id): Effect => ({
      kind: 'redis.effect',
      server,
      id: by,
      op,
      key: key.slice(prefix.length),
      value: seen?.value ?? null,
      expireAt: seen === null || seen.expireAtMs === null ? null : traceUs(seen.expireAtMs),
    })
    const lapsed = before?.expireAtMs != null && before.expireAtMs < nowMs
    if (after === null) {
      if (before !== null) yield effect(lapsed ? 'expired' : 'del', null, lapsed ? null : id)
      return
    }
    if (after.value === null) {
      yield effect('write', after)
      return
    }
    if (after.value !== before?.value) {
      if (lapsed) yield effect('expired', null, null)
      yield effect('set', after)
    } else if (!this.#same(before.expireAtMs, after.expireAtMs)) yield effect('expire', after)
  }

  #same(a: number | null, b: number | null): boolean {
    if (a === null || b === null || this.#options.tellsExpiry) return a === b
    return Math.abs(a - b) <= PTTL_SLACK_MS
  }
}
