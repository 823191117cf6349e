/**
 * The lease of one shard: looked for in every sweep until one is held, then renewed.
 *
 * Claim and renewal are day 10's, script by script. A 0 means lost, and the next sweep looks again; an
 * error or silence means unknown, and the next renewal asks again. In this lab the lease guards
 * nothing, so nothing is stopped when it is lost.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import { CLAIM_SCRIPT } from 'day-10-sharding-lease/solution/lease.ts'
import { RENEW_SCRIPT } from 'day-10-sharding-lease/solution/renew.ts'
import type { Redis } from 'ioredis'
import { fenceCounter, leaseKey } from '#exercises/env.ts'
import { type Lease, releaseIfOwner } from '#exercises/lease.ts'
import type { WorkerConfig } from './config.ts'
import { checkKey } from './contract.ts'

export class ShardLease {
  readonly #redis: Redis
  readonly #config: WorkerConfig
  readonly #timers: NodeJS.Timeout[] = []
  #held: { readonly shard: number; readonly lease: Lease } | null = null
  #busy = false
  #stopped = false

  constructor(redis: Redis, config: WorkerConfig) {
    this.#redis = redis
    this.#config = config
  }

  start(): void {
    const { sweepMs, renewMs } = this.#config.times
    this.#timers.push(setInterval(() => this.#guard(this.#sweep()), sweepMs))
    this.#timers.push(setInterval(() => this.#guard(this.#renew()), renewMs))
    this.#guard(this.#sweep())
  }

  /** What is held now. */
  held(): readonly Lease[] {
    return this.#held ? [this.#held.lease] : []
  }

  /** No renewal and no claim after this. */
  stop(): void {
    this.#stopped = true
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #sweep(): Promise<void> {
    if (this.#held || this.#busy) return
    this.#busy = true
    try {
      const { shards, workerId, times } = this.#config
      for (let shard = 0; shard < shards && !this.#held && !this.#stopped; shard += 1) {
        const key = checkKey(leaseKey(shard), 'leaseKey')
        const keys = [key, checkKey(fenceCounter(shard), 'fenceCounter')]
        const token = await this.#redis.eval(CLAIM_SCRIPT, 2, ...keys, workerId, times.leaseTtlMs)
        if (token === 0) continue
        // Asked before the stop and answered after it: nobody would renew this one.
        if (this.#stopped) {
          await releaseIfOwner(this.#redis, { key, value: `${workerId}|${token}` })
          return
        }
        this.#held = { shard, lease: { key, value: `${workerId}|${token}` } }
        say('lease.held', { shard, token: Number(token) })
      }
    } catch (error) {
      if (isSlip(error)) throw error
      say('claim.failed', { error: textOf(error) })
    } finally {
      this.#busy = false
    }
  }

  async #renew(): Promise<void> {
    const held = this.#held
    if (!held) return
    const { key, value } = held.lease
    try {
      const { leaseTtlMs } = this.#config.times
      const answer = await this.#redis.eval(RENEW_SCRIPT, 1, key, value, leaseTtlMs)
      if (answer === 1 || this.#held !== held) return
      this.#held = null
      say('lease.lost', { shard: held.shard })
    } catch (error) {
      say('renew.failed', { shard: held.shard, error: textOf(error) })
    }
  }

  #guard(work: Promise<void>): void {
    work.catch(endWith)
  }
}
