/**
 * Where two runs of the same job part: the first event that differs.
 *
 * Told for `--twice`. Events are compared as their JSON, except the stacks of errors, which the digest
 * leaves out as well.
 */

import type { WorldResult } from '../arm/job.ts'
import type { TraceEvent } from '../trace/events.ts'
import { MACHINE_TROUBLE } from './rules.ts'

export interface Divergence {
  /** Id of the job. */
  readonly job: string
  /** Place in the trace; null when the digests differ and no event does. */
  readonly i: number | null
  /** The event of either run, as JSON; null where that run had ended before. */
  readonly first: string | null
  readonly second: string | null
  /** Virtual µs of either event, where there is one. */
  readonly t: number | null
}

/** The first difference of two batches with the same jobs, or null. */
export function firstDivergence(
  once: readonly WorldResult[],
  again: readonly WorldResult[],
): Divergence | null {
  for (const [index, a] of once.entries()) {
    const b = again[index]
    if (b === undefined || a.digest === b.digest || disturbed(a) || disturbed(b)) continue
    return differingEvent(a, b)
  }
  return null
}

/** For a person: which job, when, and both versions of the event. */
export function divergenceText(divergence: Divergence): string {
  const { job, i, first, second, t } = divergence
  if (i === null) return `Two runs of ${job} gave different digests, yet the same events.`
  const when = t === null ? '' : ` at ${(t / 1e6).toFixed(6)} s of virtual time`
  return [
    `Two runs of ${job} with the same seed differ, first in event ${i}${when}.`,
    `  first run   ${first ?? 'had ended'}`,
    `  second run  ${second ?? 'had ended'}`,
  ].join('\n')
}

function differingEvent(a: WorldResult, b: WorldResult): Divergence {
  const length = Math.max(a.events.length, b.events.length)
  for (let i = 0; i < length; i++) {
    const first = a.events[i]
    const second = b.events[i]
    const left = first === undefined ? null : comparable(first)
    const right = second === undefined ? null : comparable(second)
    if (left === right) continue
    return { job: a.id, i, first: left, second: right, t: first?.t ?? second?.t ?? null }
  }
  return { job: a.id, i: null, first: null, second: null, t: null }
}

function comparable(event: TraceEvent): string {
  return JSON.stringify(event.kind === 'process.error' ? { ...event, stack: '' } : event)
}

/** A run that the machine cut short proves nothing about determinism. */
function disturbed({ events }: WorldResult): boolean {
  const end = events.at(-1)
  return end?.kind === 'world.ended' && end.detail?.startsWith(MACHINE_TROUBLE) === true
}
