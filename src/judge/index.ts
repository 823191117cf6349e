/**
 * What a lab's manifest and checks may use of the laboratory (`leaselab/judge`). Grading loads all of
 * it, so what only judges whole histories (`invariants/`, `linearizability/`) is imported from there.
 */

export type { EventPattern, ProcessSpec, Scenario, Step } from '../scenario/scenario.ts'
export type { ReplyValue } from '../trace/events.ts'
export type { AttributedEffect, HttpExchange, RedisExchange, Said, Term } from '../trace/history.ts'
export { deliveredFrom, expiryAt, History, jsonBody, parseLease } from '../trace/history.ts'
export type { Facts } from './finding.ts'
export {
  complaint,
  endedByItself,
  grouped,
  held,
  inconclusive,
  inMs,
  seen,
  violated,
} from './finding.ts'
export type { Check, Exercise, Lab, Pace } from './lab.ts'
export { defineLab } from './lab.ts'
export { believed, meddling, owned, takenAlive } from './lease-history.ts'
export { ended, said, start } from './patterns.ts'
export type { Setting } from './setting.ts'
export type { Append, Plant } from './store-history.ts'
export { appends, effects, firstOutOfPlace, plants } from './store-history.ts'
export type { Evidence, Finding, Place } from './verdict.ts'
