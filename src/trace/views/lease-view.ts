/**
 * Leases as the server saw them: for each key the terms it was held for, by whom, until when.
 *
 * A term begins when a value is set and ends when its time is over, when it is deleted or when another
 * value takes its place. Truth only: built from `redis.effect`, never from what processes print.
 * Times: trace microseconds; an expiry of null means that the key never lapses.
 */

import type { RedisCommand, TraceEvent } from '../events.ts'
import type { View } from './view.ts'

/** Expiry moved, or the same value written again. */
export interface Extension {
  readonly i: number
  readonly t: number
  /** Process whose command did it, null if unknown. */
  readonly by: string | null
  readonly expireAt: number | null
}

export interface Term {
  readonly key: string
  readonly value: string
  readonly i: number
  readonly from: number
  /** Process that set it. */
  readonly by: string | null
  /** As set at the beginning. */
  readonly firstExpireAt: number | null
  readonly extensions: readonly Extension[]
  /** Expiry after all extensions. */
  readonly expireAt: number | null
  /** Null while it runs on. */
  readonly ended: TermEnd | null
}

export interface TermEnd {
  readonly i: number
  readonly t: number
  readonly how: 'lapsed' | 'deleted' | 'overwritten'
  readonly by: string | null
}

type OpenTerm = { -readonly [K in keyof Term]: Term[K] } & { extensions: Extension[] }

export class LeaseView implements View {
  readonly #terms = new Map<string, OpenTerm[]>()
  readonly #senders = new Map<number, RedisCommand>()

  see(event: TraceEvent): void {
    if (event.kind === 'redis.command') this.#senders.set(event.id, event)
    if (event.kind !== 'redis.effect') return
    const { i, t, key, op, value, expireAt } = event
    const by = event.id === null ? null : (this.#senders.get(event.id)?.process ?? null)
    const open = this.#open(key, t)
    if (op === 'set') {
      if (open && open.value === value) {
        open.extensions.push({ i, t, by, expireAt })
        open.expireAt = expireAt
        return
      }
      if (open) open.ended = { i, t, how: 'overwritten', by }
      const extensions: Extension[] = []
      const term = { key, value: value ?? '', i, from: t, by, firstExpireAt: expireAt }
      this.#of(key).push({ ...term, extensions, expireAt, ended: null })
    } else if (op === 'expire' && open) {
      open.extensions.push({ i, t, by, expireAt })
      open.expireAt = expireAt
    } else if ((op === 'del' || op === 'expired') && open) {
      open.ended = { i, t, how: op === 'del' ? 'deleted' : 'lapsed', by }
    }
  }

  /** Terms of one key in order; empty if it was never set. */
  terms(key: string): readonly Term[] {
    return this.#terms.get(key) ?? []
  }

  /** All keys that were ever set, in the order of their first term. */
  keys(): readonly string[] {
    return [...this.#terms.keys()]
  }

  /** The term that was running at `t` (at the end of that instant), or null. */
  termAt(key: string, t: number): Term | null {
    return (
      this.terms(key).findLast(
        (term) =>
          term.from <= t &&
          (term.ended === null || term.ended.t > t) &&
          (expiryAt(term, t) ?? Number.POSITIVE_INFINITY) > t,
      ) ?? null
    )
  }

  /** The open term of a key. One whose time is over ends here, if the server was late to tell. */
  #open(key: string, t: number): OpenTerm | null {
    const last = this.#terms.get(key)?.at(-1)
    if (!last || last.ended) return null
    if (last.expireAt !== null && last.expireAt < t) {
      last.ended = { i: last.i, t: last.expireAt, how: 'lapsed', by: null }
      return null
    }
    return last
  }

  #of(key: string): OpenTerm[] {
    const terms = this.#terms.get(key) ?? []
    this.#terms.set(key, terms)
    return terms
  }
}

/** When a term would have lapsed, as things stood at `t`. */
export function expiryAt(term: Term, t: number): number | null {
  const extension = term.extensions.findLast((each) => each.t <= t)
  return extension ? extension.expireAt : term.firstExpireAt
}

/** Splits a lease's value `owner|token`. Null if it is none. */
export function parseLease(
  value: string,
): { readonly owner: string; readonly token: number } | null {
  const bar = value.lastIndexOf('|')
  const token = Number(value.slice(bar + 1))
  if (bar < 1 || bar === value.length - 1 || !Number.isSafeInteger(token)) return null
  return { owner: value.slice(0, bar), token }
}
