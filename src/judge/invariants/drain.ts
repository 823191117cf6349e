/** I12: after SIGTERM nothing new starts, the lease goes last, and the process ends by itself. */

import type { History } from '../../trace/history.ts'
import { messagesOf } from '../facts/entries.ts'
import { aliveAt, decidedEnd, grantsOf } from '../facts/grants.ts'
import { type Life, livesOf, type Moment } from '../facts/lives.ts'
import { storeEffects } from '../facts/store.ts'
import type { Setting } from '../setting.ts'
import { sec } from '../words.ts'
import {
  type Invariant,
  notApplicable,
  showsAt,
  type Violation,
  verdict,
  violation,
} from './invariant.ts'

export const drain: Invariant = {
  id: 'I12',
  name: 'drain',
  sentence:
    'After SIGTERM nothing new starts, the lease goes after the last effect, and the process ends before it is killed.',
  scope:
    'Workers that were sent SIGTERM: grants and deliveries that they got later than a command can be under way, handlers that they say they begin, effects without the lease of their token, and how they ended. A trace that ends within the grace proves nothing about the end.',
  check(history, setting) {
    const told = livesOf(history).filter(
      ({ told, process }) => told !== null && Object.hasOwn(setting.workers, process),
    )
    if (told.length === 0) return notApplicable('no worker was sent SIGTERM in this run')
    const violations = told.flatMap((life) => [
      ...begun(life, history, setting),
      ...withoutLease(life, history, setting),
      ...ending(life, history, setting),
    ])
    return verdict(told.length, violations, 'no worker was sent SIGTERM')
  },
}

/** What was started after the signal. */
function* begun(life: Life, history: History, setting: Setting): Generator<Violation> {
  const { process, incarnation } = life
  const told = life.told!
  const { leases, messages, beliefs, bounds } = setting
  const underWayUs = told.t + bounds.latencyMs * 1000
  const late = (moment: Moment, resource: string, what: string): Violation =>
    violation({
      of: [told, moment],
      actors: [process],
      resource,
      sentence: `${process} ${what} at ${sec(moment.t)}, after SIGTERM at ${sec(told.t)}`,
    })
  for (const grant of leases ? grantsOf(history, leases) : []) {
    if (grant.by !== process || grant.incarnation !== incarnation) continue
    if (grant.t > underWayUs) yield late(grant, grant.resource, `claimed ${grant.resource}`)
  }
  for (const delivery of messages ? messagesOf(history, messages).deliveries : []) {
    const { entry, to } = delivery
    if (to !== process || delivery.incarnation !== incarnation) continue
    if (!askedAfter(history, delivery, underWayUs)) continue
    yield late(delivery, entry.resource, `took message ${entry.seq} of ${entry.run}`)
  }
  if (!beliefs) return
  for (const line of history.output.said(process, beliefs.began)) {
    if (line.incarnation !== incarnation || line.i <= told.i) continue
    const message = `message ${String(line.fields[beliefs.seq])} of ${String(line.fields[beliefs.run])}`
    yield late(line, String(line.fields[beliefs.resource]), `began ${message}`)
  }
}

/** A read that was waiting already when the signal came may still be answered. */
function askedAfter(history: History, answer: Moment, us: number): boolean {
  const reply = history.events[answer.i]
  if (reply?.kind !== 'redis.reply') return answer.t > us
  const asked = history.events.find((each) => each.kind === 'redis.command' && each.id === reply.id)
  return (asked?.t ?? answer.t) > us
}

/** Effects after the signal whose lease was gone already. */
function* withoutLease(life: Life, history: History, setting: Setting): Generator<Violation> {
  const { leases, store } = setting
  if (!leases || !store) return
  const grants = grantsOf(history, leases)
  const { process } = life
  for (const effect of storeEffects(history, store)) {
    if (effect.by !== process || effect.i < life.told!.i) continue
    const { resource, token, asked } = effect
    const own = grants.findLast(
      (grant) => grant.by === process && grant.resource === resource && grant.token === token,
    )
    if (!own?.over || aliveAt(own, asked)) continue
    const went = { lapsed: 'lapsed', deleted: 'been given up', overwritten: 'been taken' }[
      own.over.how
    ]
    yield violation({
      of: [decidedEnd(own), effect],
      actors: [process],
      tokens: [token],
      resource,
      sentence: `${process} wrote message ${effect.seq} of ${effect.run} at ${sec(effect.t)} while it drained, after its lease of ${resource}, token ${token}, had ${went} at ${sec(own.over.t)}`,
    })
  }
}

/** It must be gone by itself within the grace. */
function* ending(
  { process, exit, told }: Life,
  history: History,
  { bounds }: Setting,
): Generator<Violation> {
  const deadline = told!.t + bounds.graceMs * 1000
  const shared = { actors: [process], resource: process }
  if (exit?.signal === 'SIGKILL') {
    yield violation({
      ...shared,
      of: [told!, exit],
      sentence: `${process} was killed at ${sec(exit.t)}, ${sec(exit.t - told!.t)} after SIGTERM: it had not ended by itself`,
    })
  } else if (exit ? exit.t > deadline : history.endUs > deadline) {
    yield violation({
      ...shared,
      of: [told!, exit ?? showsAt(history, deadline)],
      sentence: `${process} was still there at ${sec(deadline)}, ${sec(bounds.graceMs * 1000)} after SIGTERM at ${sec(told!.t)}, when its platform kills it`,
    })
  }
}
