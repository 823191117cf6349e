/** Exercise 2: what the panel says about the workers, and what it has no say in. */

/** One worker as `GET /admin/workers` shows it. */
export interface WorkerLine {
  readonly workerId: string
  /** As `isAlive` has it. */
  readonly alive: boolean
  /** Age of the last beat in milliseconds. */
  readonly lastBeatMs: number
  readonly inFlight: number
  readonly version: string
}

export interface Panel {
  /** `degraded` as soon as one worker is stale. */
  readonly status: 'ok' | 'degraded'
  readonly total: number
  readonly alive: number
  readonly stale: number
  readonly workers: readonly WorkerLine[]
}

/** The answer of `GET /admin/workers`, by the `alive` of each line. The lines stay as they are. */
export function summarize(workers: readonly WorkerLine[]): Panel {
  const total = workers.length
  // TODO exercise 2: everything is fine, whatever the lines say. Who is stale, and what follows?
  return { status: 'ok', total, alive: total, stale: 0, workers }
}

/**
 * Whether `GET /readyz` answers 200: by what the gateway itself cannot do without, and nothing else.
 * Workers come and go; a gateway that went with them would turn a slow queue into an outage.
 */
export function readiness(gateway: { readonly redis: boolean; readonly store: boolean }): boolean {
  return gateway.redis && gateway.store
}
