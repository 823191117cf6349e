/**
 * What processes believe to hold, as intervals, from the lines that they print. Belief, never truth.
 *
 * A belief begins with a line `held` and ends with a line `lost` or with the life of the process.
 */

import type { History } from '../../trace/history.ts'
import type { BeliefSetting } from '../setting.ts'
import type { Life, Moment } from './lives.ts'
import { livesOf } from './lives.ts'

export interface Belief {
  readonly life: Life
  readonly process: string
  readonly resource: string
  readonly from: Moment
  /** Null while it lasts. */
  readonly to: Moment | null
}

/** All beliefs, in the order in which they began. */
export function beliefsOf(history: History, names: BeliefSetting): readonly Belief[] {
  const lives = livesOf(history)
  const beliefs: { -readonly [K in keyof Belief]: Belief[K] }[] = []
  const open = new Map<string, (typeof beliefs)[number]>()
  for (const { event, fields, process, incarnation, i, t } of history.output.said()) {
    if (event !== names.held && event !== names.lost) continue
    const resource = resourceOf(fields[names.resource])
    const life = lives.find((each) => each.process === process && each.incarnation === incarnation)
    if (resource === null || !life) continue
    const key = `${incarnation} ${process} ${resource}`
    const before = open.get(key)
    if (before) before.to = { i, t }
    open.delete(key)
    if (event === names.lost) continue
    const belief = { life, process, resource, from: { i, t }, to: null }
    beliefs.push(belief)
    open.set(key, belief)
  }
  for (const belief of open.values()) {
    const { exit } = belief.life
    if (exit) belief.to = { i: exit.i, t: exit.t }
  }
  return beliefs
}

/** Resources are written as texts, whether a line tells them as numbers or not. */
export function resourceOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
