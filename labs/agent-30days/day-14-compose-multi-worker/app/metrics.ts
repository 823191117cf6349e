/**
 * The gateway's figures for Prometheus, in a registry of their own.
 *
 * The alarm is `koda_workers{state="alive"} < koda_workers_declared`. Figures about workers are asked
 * for when somebody scrapes; when Redis does not answer they are missing, and the rest is told.
 */

import { isSlip } from 'agent-30days-shared/slip.ts'
import client from 'prom-client'
import type { Panel } from '#exercises/panel.ts'

export class Metrics {
  readonly #registry = new client.Registry()
  readonly #accepted: client.Counter<'kind'>

  /** `panel` is asked at each scrape. */
  constructor(declaredWorkers: number, panel: () => Promise<Panel>) {
    const registers = [this.#registry]
    this.#accepted = new client.Counter({
      name: 'koda_runs_accepted_total',
      help: 'Runs that were taken in; again: with an idempotency key that was known',
      labelNames: ['kind'],
      registers,
    })
    new client.Gauge({
      name: 'koda_workers_declared',
      help: 'Workers that should be running',
      registers,
    }).set(declaredWorkers)
    new client.Gauge({
      name: 'koda_workers',
      help: 'Workers by the age of their last beat',
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset()
        const seen = await panel().catch((error: unknown) => {
          if (isSlip(error)) throw error
          return null
        })
        if (seen === null) return
        this.set({ state: 'alive' }, seen.alive)
        this.set({ state: 'stale' }, seen.stale)
      },
    })
  }

  accepted(kind: 'new' | 'again'): void {
    this.#accepted.inc({ kind })
  }

  async scrape(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }
}
