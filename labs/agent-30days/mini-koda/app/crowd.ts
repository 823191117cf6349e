/**
 * A worker's part among those that are alive, told by their beats.
 *
 * The living are put in order by name; each takes its part of the shards, the first ones one more where
 * it does not come out even. Whoever holds more than that lets go of what has nothing to do. A shard
 * that was without an owner at two looks one TTL apart is claimed above the share: better one too many
 * than nobody. Beats decide only who claims; whose a shard is, the lease alone says.
 */

import { shareOf } from 'day-10-sharding-lease/app/config.ts'
import type { Redis } from 'ioredis'
import { isAlive } from '#exercises/day-14/heartbeat.ts'
import { readRows } from '#exercises/day-14/presence.ts'
import { leaseKey } from './keys.ts'

export interface CrowdTimes {
  readonly staleMs: number
  readonly leaseTtlMs: number
}

export class Crowd {
  readonly #redis: Redis
  readonly #workerId: string
  readonly #times: CrowdTimes
  readonly #shards: readonly number[]
  /** Without an owner at the last look. */
  #ownerless: ReadonlySet<number> = new Set()
  #lookedAtMs = Number.NEGATIVE_INFINITY

  /** `shards` are those that may be held. */
  constructor(redis: Redis, workerId: string, times: CrowdTimes, shards: readonly number[]) {
    this.#redis = redis
    this.#workerId = workerId
    this.#times = times
    this.#shards = shards
  }

  /** How many shards this worker takes now. It counts itself, whatever its row says. */
  async share(): Promise<number> {
    const { nowMs, rows } = await readRows(this.#redis)
    const alive = new Set([this.#workerId])
    for (const { workerId, beatAtMs } of rows) {
      if (isAlive(beatAtMs, nowMs, this.#times.staleMs)) alive.add(workerId)
    }
    const place = [...alive].sort().indexOf(this.#workerId)
    return shareOf(this.#shards.length, alive.size, place)
  }

  /** Looked for once in a TTL; those that are free for the second time in a row. */
  async orphans(held: ReadonlySet<number>): Promise<readonly number[]> {
    const nowMs = performance.now()
    if (nowMs - this.#lookedAtMs < this.#times.leaseTtlMs) return []
    this.#lookedAtMs = nowMs
    const others = this.#shards.filter((shard) => !held.has(shard))
    // One by one and not MGET: on a cluster they lie in different slots.
    const there = await Promise.all(others.map((shard) => this.#redis.exists(leaseKey(shard))))
    const free = new Set(others.filter((_, n) => there[n] === 0))
    const orphans = [...free].filter((shard) => this.#ownerless.has(shard))
    this.#ownerless = free
    return orphans
  }
}
