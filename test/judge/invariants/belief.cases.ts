import { describe, expect, it } from 'vitest'
import { A, B, SETTING, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const granted = () => new Story().started(A).started(B).grant(A, 41).at(1).holds(A)

describe('I3, belief', () => {
  it('holds when one stops before the other begins', () => {
    const story = granted().at(21_000).loses(A).at(31_000).grant(B, 42).holds(B).ends(40_000)
    expect(verdictOf('I3', story)).toEqual({ kind: 'held', facts: 2 })
  })

  it('is violated by two beliefs at one instant', () => {
    const story = granted().at(5000).grant(B, 42).holds(B).at(10_000).loses(A).ends(11_000)
    expect(onlySentence('I3', story)).toBe(
      'worker-b believed at 5.0 s to own 131, which worker-a believed to own from 0.001 s until 10.0 s',
    )
  })

  it('a long pause is outside the bounds, a short one is not', () => {
    const paused = (thawMs: number) =>
      granted()
        .at(100)
        .verb('process.frozen', A)
        .at(thawMs)
        .verb('process.thawed', A)
        .at(thawMs + 1)
        .grant(B, 42)
        .holds(B)
        .at(thawMs + 2)
        .loses(A)
        .ends(thawMs + 3)
    expect(verdictOf('I3', paused(31_000)).kind).toBe('held')
    expect(verdictOf('I3', paused(5000)).kind).toBe('violated')
  })

  it('death ends a belief', () => {
    const story = granted().at(5).killed(A).at(6).grant(B, 42).holds(B).ends(7)
    expect(verdictOf('I3', story).kind).toBe('held')
  })

  it('is violated by a belief that outlives self-stop', () => {
    const story = granted().at(26_000).loses(A).ends(27_000)
    expect(onlySentence('I3', story)).toBe(
      'worker-a still believed at 26.0 s to own 131 with token 41, last renewed at 0.0 s: it had to stop itself after 20.0 s of a TTL of 30.0 s',
    )
  })

  it('a renewal by the holder itself makes the belief good again, another’s does not', () => {
    const renewed = (who: string) =>
      granted().at(10_000).renew(who).at(26_000).loses(A).ends(27_000)
    expect(verdictOf('I3', renewed(A)).kind).toBe('held')
    expect(verdictOf('I3', renewed(B)).kind).toBe('violated')
  })

  it('is violated by a belief without any grant', () => {
    expect(onlySentence('I3', new Story().started(B).at(1000).holds(B).ends(2000))).toContain(
      'which it had never been granted',
    )
  })

  it('is vacuous when nobody says that it holds anything', () => {
    expect(verdictOf('I3', new Story().started(A).grant(A, 41)).kind).toBe('vacuous')
  })

  it('is not applicable while holders do not stop by themselves', () => {
    const beliefs = { ...SETTING.beliefs!, selfStop: false }
    expect(verdictOf('I3', granted(), { beliefs }).kind).toBe('not-applicable')
  })
})
