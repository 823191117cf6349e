/** I15: the panel tells the truth about heartbeats, and nobody takes over because of it. */

import type { History } from '../../trace/history.ts'
import { jsonBody } from '../../trace/history.ts'
import { grantsOf } from '../facts/grants.ts'
import type { Moment } from '../facts/lives.ts'
import type { PanelSetting } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, verdict, violation } from './invariant.ts'

export const honestPanel: Invariant = {
  id: 'I15',
  name: 'honest panel',
  sentence: 'The panel shows what the heartbeats say, and a stale one is no reason to take over.',
  scope:
    'Answers of the panel against the beats that the server saw, on the server’s clock; and leases that were taken from a live holder while its beat was stale. Which state a worker is in beyond alive or not is not judged.',
  check(history, { panel, leases }) {
    if (!panel) return notApplicable('the lab has no panel')
    const beats = beatsOf(history, panel)
    const violations = []
    let facts = 0
    for (const { worker, alive, state, at } of rowsOf(history, panel)) {
      const last = lastBefore(beats.get(worker), at)
      const age = last ? at.t - last.t : Number.POSITIVE_INFINITY
      facts += 1
      if (alive === age <= panel.staleMs * 1000) continue
      violations.push(
        violation({
          of: [last ?? at, at],
          actors: [panel.server, worker],
          resource: worker,
          sentence: `${panel.server} showed ${worker} as ${state} at ${sec(at.t)}, whose last beat ${last ? `was at ${sec(last.t)}` : 'never came'}: ${alive ? 'older' : 'no older'} than ${sec(panel.staleMs * 1000)}`,
        }),
      )
    }
    for (const grant of leases ? grantsOf(history, leases) : []) {
      const { over, by, resource, token, term } = grant
      const mine = beats.get(by)
      if (!mine || !over?.by || over.by === by || over.how === 'lapsed') continue
      facts += 1
      const last = lastBefore(mine, over)
      if (last && over.t - last.t <= panel.staleMs * 1000) continue
      const good = term.expireAt === null ? 'for ever' : `until ${sec(term.expireAt)}`
      violations.push(
        violation({
          of: [last ?? grant, { i: over.i, t: over.t }],
          actors: [over.by, by],
          tokens: [token],
          resource,
          sentence: `${over.by} took ${resource} at ${sec(over.t)} from ${by}, whose beat was stale${last ? ` since ${sec(last.t + panel.staleMs * 1000)}` : ''} and whose lease, token ${token}, was good ${good}: only the lease decides`,
        }),
      )
    }
    return verdict(facts, violations, 'nobody asked the panel, and no lease was taken')
  },
}

/** Beats by worker, as the server saw them. */
function beatsOf(history: History, { beatStart }: PanelSetting) {
  const beats = new Map<string, Moment[]>()
  for (const { effect } of history.redis.effects()) {
    if (!effect.key.startsWith(beatStart)) continue
    if (effect.op !== 'set' && effect.op !== 'write' && effect.op !== 'expire') continue
    const worker = effect.key.slice(beatStart.length)
    beats.set(worker, [...(beats.get(worker) ?? []), { i: effect.i, t: effect.t }])
  }
  return beats
}

function rowsOf(history: History, panel: PanelSetting) {
  return history.http.exchanges(panel.server).flatMap(({ request, response }) => {
    if (request.path !== panel.path || response?.status !== 200) return []
    const list = jsonBody(response.body)?.[panel.list]
    return (Array.isArray(list) ? list : []).flatMap((row: unknown) => {
      if (typeof row !== 'object' || row === null) return []
      const { [panel.worker]: worker, [panel.state]: state } = row as Record<string, unknown>
      if (typeof worker !== 'string' || typeof state !== 'string') return []
      return [{ worker, state, alive: panel.alive.includes(state), at: response as Moment }]
    })
  })
}

function lastBefore(beats: readonly Moment[] | undefined, at: Moment): Moment | null {
  return beats?.findLast((beat) => beat.i < at.i) ?? null
}
