import { describe, expect, it } from 'vitest'
import { A, B, SETTING, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

/** A is granted 41 and lapses at 30 s, B is granted 42. */
const changed = () => new Story().at(0).grant(A, 41).plant(A, 41).at(30_500).grant(B, 42).at(35_100)

describe('I1, fence', () => {
  it('holds when the stale write is refused', () => {
    const story = changed().plant(B, 42).write(A, 41, 1, 'refused').write(B, 42, 1)
    expect(verdictOf('I1', story)).toEqual({ kind: 'held', facts: 3 })
  })

  it('an equal token is no step back', () => {
    const story = changed().plant(B, 42).write(B, 42, 1).write(B, 42, 2)
    expect(verdictOf('I1', story).kind).toBe('held')
  })

  it('is violated by a write after a write with a larger token', () => {
    const story = changed().write(B, 42, 1).at(36_200).write(A, 41, 2)
    expect(verdictOf('I1', story)).toMatchObject({
      violations: [{ actors: [A, B], tokens: [41, 42], resource: '131' }],
    })
    expect(onlySentence('I1', story)).toBe(
      'worker-a, a zombie since 30.0 s, wrote with token 41 at 36.2 s after token 42 of worker-b had been accepted at 35.1 s',
    )
  })

  it('is violated by a write after a plant of a larger token', () => {
    expect(onlySentence('I1', changed().plant(B, 42).write(A, 41, 1))).toContain(
      'after token 42 of worker-b had been planted at 35.1 s',
    )
  })

  it('is violated by a store that plants a smaller token', () => {
    expect(onlySentence('I1', changed().write(B, 42, 1).plant(A, 41))).toContain(
      'planted its token',
    )
  })

  it.each([
    ['a script that carries its token', 41],
    ['a plain XACK', null],
  ])('is violated by an acknowledgement of a replaced holder: %s', (_, token) => {
    const story = new Story()
      .grant(A, 41)
      .hand(A, [1])
      .at(30_500)
      .grant(B, 42)
      .acknowledge(A, 1, token)
    expect(onlySentence('I1', story)).toBe(
      'worker-a, a zombie since 30.0 s, acknowledged run-u-1 message 1 with token 41 at 30.5 s after token 42 had been granted to worker-b at 30.5 s',
    )
  })

  it('a deposed holder that nobody replaced is no step back', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).at(31_000).acknowledge(A, 1, 41)
    expect(verdictOf('I1', story)).toEqual({ kind: 'held', facts: 1 })
  })

  it('is vacuous when nothing was accepted', () => {
    expect(verdictOf('I1', new Story().grant(A, 41)).kind).toBe('vacuous')
  })

  it('is not applicable without a store and without streams', () => {
    const setting = { ...SETTING, store: null, messages: null }
    expect(verdictOf('I1', new Story(), setting).kind).toBe('not-applicable')
  })
})
