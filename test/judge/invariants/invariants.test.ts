/** The cases of all invariants, in one process: loading vitest for each takes longer than they do. */

import { expect, it } from 'vitest'
import { INVARIANTS } from '../../../src/judge/invariants/registry.ts'
import { History } from '../../../src/trace/history.ts'
import { SETTING } from '../story.ts'
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

it('a lab that states nothing has no invariant that applies', () => {
  const none = { leases: null, messages: null, store: null, beliefs: null, health: null }
  const setting = { ...SETTING, ...none, panel: null, boot: null, environments: [], workers: {} }
  for (const each of INVARIANTS) {
    expect(each.check(new History(), setting).kind).toBe('not-applicable')
  }
})
