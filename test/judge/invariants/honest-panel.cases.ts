import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const beat = (story = new Story()) =>
  story.redis(
    A,
    ['SET', `beat:${A}`, '1'],
    { ok: 'OK' },
    { op: 'set', key: `beat:${A}`, value: '1' },
  )
const shows = (story: Story, state: string) =>
  story.get('browser', 'panel', '/workers', 200, { workers: [{ name: A, state }] })

describe('I15, honest panel', () => {
  it('holds when it shows the living as alive and the silent as stale', () => {
    const story = shows(shows(beat().at(10_000), 'busy').at(16_000), 'stale')
    expect(verdictOf('I15', story)).toEqual({ kind: 'held', facts: 2 })
  })

  it('is violated by a dead worker that is shown as busy', () => {
    expect(onlySentence('I15', shows(beat().at(16_000), 'busy'))).toBe(
      'panel showed worker-a as busy at 16.0 s, whose last beat was at 0.0 s: older than 15.0 s',
    )
  })

  it('is violated by a living worker that is shown as stale', () => {
    expect(onlySentence('I15', shows(beat().at(5000), 'stale'))).toContain('no older than 15.0 s')
  })

  it('is violated by a worker that never beat and is shown as idle', () => {
    expect(onlySentence('I15', shows(new Story(), 'idle'))).toContain('whose last beat never came')
  })

  it('is violated by a takeover because of a stale beat', () => {
    const story = beat().grant(A, 41).at(10_000).renew(A).at(16_000).grant(B, 42)
    expect(onlySentence('I15', story)).toBe(
      'worker-b took 131 at 16.0 s from worker-a, whose beat was stale since 15.0 s and whose lease, token 41, was good until 40.0 s: only the lease decides',
    )
  })

  it('a takeover after the lapse is none, nor is one from a worker that beats', () => {
    expect(verdictOf('I15', beat().grant(A, 41).at(31_000).grant(B, 42)).kind).toBe('vacuous')
    expect(verdictOf('I15', beat().grant(A, 41).at(1000).grant(B, 42)).kind).toBe('held')
  })

  it('is not applicable without a panel', () => {
    expect(verdictOf('I15', beat(), { panel: null }).kind).toBe('not-applicable')
  })
})
