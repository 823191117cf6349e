/** The cases of all invariants, in one process: loading vitest for each takes longer than they do. */

import { expect, it } from 'vitest'
import { INVARIANTS } from '../../../src/judge/invariants/registry.ts'
import { Chance } from '../../../src/sim/random.ts'
import { History } from '../../../src/trace/history.ts'
import { A, B, SETTING, Story } from '../story.ts'
import './belief.cases.ts'
import './boot-checks.cases.ts'
import './drain.cases.ts'
import './environment.cases.ts'
import './fence.cases.ts'
import './health.cases.ts'
import './honest-panel.cases.ts'
import './nothing-stuck.cases.ts'
import './once.cases.ts'
import './one-grant.cases.ts'
import './only-your-own.cases.ts'
import './order.cases.ts'
import './takeover.cases.ts'
import './tokens-survive.cases.ts'

it('ids are those of the list, each once, without the two of a lock service', () => {
  const ids = Array.from({ length: 16 }, (_, n) => `I${n + 1}`)
  expect(INVARIANTS.map(({ id }) => id)).toEqual(ids.filter((id) => id !== 'I9' && id !== 'I10'))
})

it('an empty history holds nothing: each is vacuous or not applicable', () => {
  for (const each of INVARIANTS) {
    expect(['vacuous', 'not-applicable']).toContain(each.check(new History(), SETTING).kind)
  }
})

it('no history makes an invariant throw, whatever is missing from it', () => {
  const { events } = new Story()
    .started(A)
    .grant(A, 41)
    .holds(A)
    .publish(1)
    .publish(2)
    .hand(A, [1, 2])
    .begins(A, 1)
    .plant(A, 41)
    .write(A, 41, 1)
    .acknowledge(A, 1, 41)
    .renew(A, `${A}|41`)
    .verb('process.frozen', A)
    .at(35_000)
    .lapses()
    .started(B)
    .grant(B, 42)
    .holds(B)
    .claim(B, [2])
    .alive(B, 503)
    .bury(B, 2)
    .verb('process.thawed', A)
    .write(A, 41, 2)
    .signalled(A, 'SIGTERM')
    .loses(A)
    .killed(A)
    .release(B)
    .ends(90_000)
  const draw = new Chance('holes').stream('events')
  for (let n = 0; n < 100; n += 1) {
    const kept = draw()
    const history = new History(events.filter(() => draw() < kept))
    for (const each of INVARIANTS) {
      const verdict = each.check(history, SETTING)
      if (verdict.kind === 'held') expect(verdict.facts).toBeGreaterThan(0)
      if (verdict.kind === 'violated') expect(verdict.violations.length).toBeGreaterThan(0)
    }
  }
})

it('a lab that states nothing has no invariant that applies', () => {
  const none = { leases: null, messages: null, store: null, beliefs: null, health: null }
  const setting = { ...SETTING, ...none, panel: null, boot: null, environments: [], workers: {} }
  for (const each of INVARIANTS) {
    expect(each.check(new History(), setting).kind).toBe('not-applicable')
  }
})
