/** I13: an outage of a dependency never fails liveness, a wedged loop does. */

import type { HttpRequest, HttpResponse, TraceEvent } from '../../trace/events.ts'
import type { History } from '../../trace/history.ts'
import { messageKey, messagesOf } from '../facts/entries.ts'
import { grantsOf, holderAt } from '../facts/grants.ts'
import type { Moment } from '../facts/lives.ts'
import type { Setting } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const health: Invariant = {
  id: 'I13',
  name: 'health',
  sentence: 'An outage of a dependency never fails liveness; a wedged loop does.',
  scope:
    'Answers of workers to the liveness path. Outage: the dependency is down or frozen, or refuses the worker’s connections. Wedged: messages of a resource that the worker holds wait to be read, the dependencies are there, and it has asked for none and acknowledged none for longer than allowed. An answer that is missing says nothing.',
  check(history, setting) {
    const { health: names, workers } = setting
    if (!names) return notApplicable('the lab’s processes have no liveness path')
    const answers = livenessOf(history, names.livenessPath).filter(({ to }) =>
      Object.hasOwn(workers, to),
    )
    if (answers.length === 0) {
      return notApplicable(`nobody asked a worker for ${names.livenessPath} in this run`)
    }
    const stalledSince = standstill(history, setting)
    const violations = []
    let facts = 0
    for (const { to, status, response } of answers) {
      const outage = outageAt(history, to, response, names.dependencies)
      const stall = outage ? null : stalledSince(to, response)
      if (!outage && !stall) continue
      facts += 1
      const alive = status >= 200 && status < 400
      if (outage && !alive) {
        violations.push(
          violation({
            of: [outage.since, response],
            actors: [to, outage.of],
            resource: to,
            sentence: `${to} answered ${status} to ${names.livenessPath} at ${sec(response.t)} because ${outage.of} was out since ${sec(outage.since.t)}: a restart does not mend that`,
          }),
        )
      }
      if (stall && alive) {
        violations.push(
          violation({
            of: [stall.since, response],
            actors: [to],
            resource: stall.resource,
            sentence: `${to} answered ${status} to ${names.livenessPath} at ${sec(response.t)} although its loop stood still since ${sec(stall.since.t)} with messages of ${stall.resource} waiting`,
          }),
        )
      }
    }
    return verdict(facts, violations, 'no liveness answer fell into an outage or a standstill')
  },
}

function livenessOf(history: History, path: string) {
  const asked = new Map<number, HttpRequest>()
  const answers: { to: string; status: number; response: HttpResponse }[] = []
  for (const event of history.events) {
    if (event.kind === 'http.request' && event.path === path) asked.set(event.id, event)
    if (event.kind !== 'http.response' || !asked.has(event.id)) continue
    answers.push({ to: event.from, status: event.status, response: event })
  }
  return answers
}

/** The dependency that was out for this worker at that moment, and since when; or null. */
function outageAt(history: History, worker: string, at: Moment, dependencies: readonly string[]) {
  for (const of of dependencies) {
    let since: Moment | null = null
    for (const event of history.events) {
      if (event.i >= at.i) break
      if (goesOut(event, of, worker)) since ??= event
      else if (comesBack(event, of, worker)) since = null
    }
    if (since) return { of, since }
  }
  return null
}

function goesOut(event: TraceEvent, dependency: string, worker: string): boolean {
  if (event.kind === 'process.exited' || event.kind === 'process.frozen') {
    return event.process === dependency
  }
  return event.kind === 'net.refused' && event.process === worker && hostOf(event.to) === dependency
}

function comesBack(event: TraceEvent, dependency: string, worker: string): boolean {
  if (event.kind === 'process.started' || event.kind === 'process.thawed') {
    return event.process === dependency
  }
  return event.kind === 'net.opened' && event.process === worker && hostOf(event.to) === dependency
}

function hostOf(address: string): string {
  return address.split(':')[0] ?? address
}

/** Since when a worker's loop has stood still with work waiting, if for too long at a moment. */
type Standstill = (worker: string, at: Moment) => { resource: string; since: Moment } | null

function standstill(history: History, { messages: names, leases, health }: Setting): Standstill {
  if (!names || !leases || !health) return () => null
  const grants = grantsOf(history, leases)
  const { acknowledgements, deliveries, published } = messagesOf(history, names)
  const doneAt = new Map(acknowledgements.map(({ entry, i }) => [messageKey(entry), i]))
  const handed = deliveries.map(({ entry, i, t }) => ({ ...entry, i, t }))
  const shown = [...published, ...handed].sort((a, b) => a.i - b.i)
  const turns = [
    ...history.redis.exchanges().flatMap(({ command: { argv, process, i, t } }) => {
      return argv[0] === 'XREADGROUP' ? [{ by: process, i, t }] : []
    }),
    ...deliveries.map(({ to, i, t }) => ({ by: to, i, t })),
    ...acknowledgements.map(({ by, i, t }) => ({ by, i, t })),
  ].sort((a, b) => a.i - b.i)
  return (worker, at) => {
    const turn = turns.findLast(({ by, i }) => by === worker && i < at.i)
    const seen = new Set<string | null>()
    for (const message of shown) {
      const { resource, i } = message
      if (i >= at.i) break
      if (resource === null || seen.has(resource)) continue
      if ((doneAt.get(messageKey(message)) ?? at.i) < at.i) continue
      // The oldest message of this resource that waits.
      seen.add(resource)
      const holder = holderAt(grants, resource, at)
      if (holder?.by !== worker) continue
      const since = [holder, message, turn ?? holder].reduce((a, b) => (b.i > a.i ? b : a))
      if (at.t - since.t > health.wedgedAfterMs * 1000) return { resource, since }
    }
    return null
  }
}
