/**
 * Redis traffic as exchanges: each command with its answer, and what it did to the key space.
 */

import type { RedisCommand, RedisEffect, RedisReply, ReplyValue, TraceEvent } from '../events.ts'
import type { View } from './view.ts'

/** A command that was executed. `answer` is null until (or unless) the server answered. */
export interface RedisExchange {
  readonly command: RedisCommand
  readonly answer: RedisReply | null
}

/** A change of the key space and whose command made it; `by` is null for a lapse. */
export interface AttributedEffect {
  readonly effect: RedisEffect
  readonly by: RedisCommand | null
}

export class RedisView implements View {
  readonly #order: number[] = []
  readonly #commands = new Map<number, RedisCommand>()
  readonly #answers = new Map<number, RedisReply>()
  readonly #effects: RedisEffect[] = []

  see(event: TraceEvent): void {
    if (event.kind === 'redis.command') {
      this.#order.push(event.id)
      this.#commands.set(event.id, event)
    } else if (event.kind === 'redis.reply') this.#answers.set(event.id, event)
    else if (event.kind === 'redis.effect') this.#effects.push(event)
  }

  /** Exchanges in the order of execution, of one process or of all. */
  exchanges(process?: string): readonly RedisExchange[] {
    return this.#order.flatMap((id) => {
      const command = this.#commands.get(id)
      if (!command || (process !== undefined && command.process !== process)) return []
      return [{ command, answer: this.#answers.get(id) ?? null }]
    })
  }

  /** Changes of one key, or of all, in order. */
  effects(key?: string): readonly AttributedEffect[] {
    return this.#effects
      .filter((effect) => key === undefined || effect.key === key)
      .map((effect) => ({
        effect,
        by: effect.id === null ? null : (this.#commands.get(effect.id) ?? null),
      }))
  }
}

/** Entries that XREADGROUP (`[[stream, entries], …]`) delivered from one stream, as field maps. */
export function deliveredFrom(reply: ReplyValue, stream: string): readonly DeliveredEntry[] {
  const found: DeliveredEntry[] = []
  for (const part of list(reply)) {
    const [name, entries] = list(part)
    if (name !== stream) continue
    for (const entry of list(entries)) {
      const [id, fields] = list(entry)
      if (typeof id === 'string') found.push({ id, fields: pairs(list(fields)) })
    }
  }
  return found
}

export interface DeliveredEntry {
  readonly id: string
  readonly fields: ReadonlyMap<string, string>
}

function pairs(flat: readonly ReplyValue[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(String(flat[i]), String(flat[i + 1]))
  return map
}

function list(value: ReplyValue | undefined): readonly ReplyValue[] {
  return Array.isArray(value) ? (value as readonly ReplyValue[]) : []
}
