/** What a lab's manifest and checks may use of the laboratory (`leaselab/judge`). */

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
export type {
  EventRef,
  Invariant,
  InvariantId,
  InvariantVerdict,
  Violation,
} from './invariants/invariant.ts'
export { checkInvariants, INVARIANTS, invariant } from './invariants/registry.ts'
export type { Check, Exercise, Lab } from './lab.ts'
export { defineLab } from './lab.ts'
export { believed, meddling, owned, takenAlive } from './lease-history.ts'
export type { Linearizability } from './linearizability/check.ts'
export { checkLinearizable } from './linearizability/check.ts'
export { leaseOperations, storeOperations } from './linearizability/extract.ts'
export { fencedStoreModel } from './linearizability/models/fenced-store.ts'
export { leaseModel } from './linearizability/models/lease.ts'
export { registerModel } from './linearizability/models/register.ts'
export type { Model, Operation } from './linearizability/operation.ts'
export type { Setting } from './setting.ts'
export type { Append, Plant } from './store-history.ts'
export { appends, effects, plants } from './store-history.ts'
export type { Evidence, Finding, Place } from './verdict.ts'
