/**
 * The lives of the processes as intervals: when each incarnation was there, and when it stood still.
 */

import type { ProcessExited, TraceEvent } from '../../trace/events.ts'
import type { History } from '../../trace/history.ts'

export interface Moment {
  readonly i: number
  readonly t: number
}

/** The first event at `t` or later (`from`), or strictly later than that (`after`); null if none is. */
export function firstEvent({ events }: History, t: number, edge: 'from' | 'after'): Moment | null {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    const at = events[middle]!.t
    if (at > t || (edge === 'from' && at === t)) high = middle
    else low = middle + 1
  }
  return events[low] ?? null
}

export interface Life {
  readonly process: string
  readonly incarnation: number
  /** Its start, or the first time that it is seen in a trace that begins later. */
  readonly from: Moment
  readonly exit: ProcessExited | null
  /** `to` is null while it stands still. */
  readonly frozen: readonly { readonly from: Moment; readonly to: Moment | null }[]
  /** First SIGTERM. */
  readonly told: Moment | null
}

interface Growing {
  process: string
  incarnation: number
  from: Moment
  exit: ProcessExited | null
  frozen: { from: Moment; to: Moment | null }[]
  told: Moment | null
}

/** All lives, in the order in which they began. */
export function livesOf(history: History): readonly Life[] {
  const lives = new Map<string, Growing>()
  for (const event of history.events) {
    if (!('incarnation' in event)) continue
    const { process, incarnation } = event
    const key = `${incarnation} ${process}`
    const from = { i: event.i, t: event.t }
    let life = lives.get(key)
    if (!life) {
      life = { process, incarnation, from, exit: null, frozen: [], told: null }
      lives.set(key, life)
    }
    take(life, event)
  }
  return [...lives.values()]
}

function take(life: Growing, event: TraceEvent): void {
  const moment = { i: event.i, t: event.t }
  switch (event.kind) {
    case 'process.exited':
      life.exit = event
      break
    case 'process.frozen':
      if (life.frozen.at(-1)?.to !== null) life.frozen.push({ from: moment, to: null })
      break
    case 'process.thawed': {
      const last = life.frozen.at(-1)
      if (last?.to === null) last.to = moment
      break
    }
    case 'process.signalled':
      if (event.signal === 'SIGTERM') life.told ??= moment
  }
}

/** How long a life stood still between two instants, µs. */
export function stoodStillUs(life: Life, fromUs: number, toUs: number): number {
  return life.frozen.reduce((sum, { from, to }) => {
    const end = Math.min(to?.t ?? Number.POSITIVE_INFINITY, toUs)
    return sum + Math.max(0, end - Math.max(from.t, fromUs))
  }, 0)
}

/** Whether it was there and moving at every instant between these two. */
export function awakeThrough(life: Life, fromUs: number, toUs: number): boolean {
  if (life.from.t > fromUs || (life.exit !== null && life.exit.t < toUs)) return false
  if (life.told !== null && life.told.t < toUs) return false
  return stoodStillUs(life, fromUs, toUs) === 0
}
