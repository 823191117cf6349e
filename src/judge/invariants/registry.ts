/**
 * All invariants, in the order of their ids. (I9 and I10 speak of a lock service, which no lab has.)
 */

import type { History } from '../../trace/history.ts'
import type { Setting } from '../setting.ts'
import { belief } from './belief.ts'
import { bootChecks } from './boot-checks.ts'
import { drain } from './drain.ts'
import { environment } from './environment.ts'
import { fence } from './fence.ts'
import { health } from './health.ts'
import { honestPanel } from './honest-panel.ts'
import type { Invariant, InvariantId, InvariantVerdict } from './invariant.ts'
import { nothingStuck } from './nothing-stuck.ts'
import { once } from './once.ts'
import { oneGrant } from './one-grant.ts'
import { onlyYourOwn } from './only-your-own.ts'
import { order } from './order.ts'
import { takeover } from './takeover.ts'
import { tokensSurvive } from './tokens-survive.ts'

export const INVARIANTS: readonly Invariant[] = [
  fence,
  oneGrant,
  belief,
  order,
  once,
  nothingStuck,
  tokensSurvive,
  onlyYourOwn,
  takeover,
  drain,
  health,
  environment,
  honestPanel,
  bootChecks,
]

/** The invariant of this id, or null. */
export function invariant(id: string): Invariant | null {
  return INVARIANTS.find((each) => each.id === id) ?? null
}

/** The verdicts of all invariants on one history, by id. */
export function checkInvariants(
  history: History,
  setting: Setting,
): ReadonlyMap<InvariantId, InvariantVerdict> {
  return new Map(INVARIANTS.map((each) => [each.id, each.check(history, setting)]))
}
