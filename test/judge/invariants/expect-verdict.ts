/** What tests of one invariant say about its verdict on a story. */

import { expect } from 'vitest'
import type { InvariantVerdict, Violation } from '../../../src/judge/invariants/invariant.ts'
import { invariant } from '../../../src/judge/invariants/registry.ts'
import type { Setting } from '../../../src/judge/setting.ts'
import { History } from '../../../src/trace/history.ts'
import { SETTING, type Story } from '../story.ts'

export function verdictOf(
  id: string,
  story: Story,
  setting: Partial<Setting> = {},
): InvariantVerdict {
  const found = invariant(id)
  if (!found) throw new Error(`there is no invariant ${id}`)
  const verdict = found.check(new History(story.events), { ...SETTING, ...setting })
  if (verdict.kind === 'violated') checkReferences(verdict.violations, story)
  return verdict
}

/** The sentence of the only violation. */
export function onlySentence(id: string, story: Story, setting: Partial<Setting> = {}): string {
  const verdict = verdictOf(id, story, setting)
  if (verdict.kind !== 'violated') return `${verdict.kind}: nothing is violated`
  expect(verdict.violations).toHaveLength(1)
  return verdict.violations[0]?.sentence ?? ''
}

/** Each violation names events that are in the trace, the earlier one first. */
function checkReferences(violations: readonly Violation[], story: Story): void {
  for (const { events, actors } of violations) {
    for (const { i, t } of events) expect(story.events[i]?.t).toBe(t)
    expect(events[0].i).toBeLessThanOrEqual(events[1].i)
    expect(actors.length).toBeGreaterThan(0)
  }
}
