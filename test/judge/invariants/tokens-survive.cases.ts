import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const drawn = (story: Story, token: number, key = 'fence') =>
  story.redis(A, ['INCR', key], token, { op: 'set', key, value: String(token) })

describe('I7, tokens survive', () => {
  it('holds when every grant’s token is larger than the one before', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(B, 42).at(62_000).grant(A, 50)
    expect(verdictOf('I7', story)).toEqual({ kind: 'held', facts: 2 })
  })

  it.each([41, 7])('is violated by a grant with a token that is not larger: %i', (token) => {
    const story = new Story().grant(A, 41).at(31_000).grant(B, token)
    expect(verdictOf('I7', story)).toMatchObject({ violations: [{ resource: '131' }] })
    expect(onlySentence('I7', story)).toBe(
      `worker-b was granted 131 with token ${token} at 31.0 s after token 41 had been granted to worker-a at 0.0 s`,
    )
  })

  it('is violated by a first grant below what the store knows', () => {
    const story = new Story().write(A, 900, 1).at(1000).grant(B, 1)
    expect(onlySentence('I7', story)).toContain('the store had accepted token 900 of worker-a')
  })

  it('is violated by a counter that goes back', () => {
    const story = drawn(drawn(new Story(), 900).at(1000), 1)
    expect(onlySentence('I7', story)).toBe(
      'the counter fence stood at 1 at 1.0 s after it had stood at 900 at 0.0 s',
    )
  })

  it('counters do not count for each other', () => {
    const story = drawn(drawn(drawn(new Story(), 900, 'fence:1'), 1, 'fence:2'), 2, 'fence:2')
    expect(verdictOf('I7', story)).toEqual({ kind: 'held', facts: 1 })
  })

  it('is vacuous with a single grant', () => {
    expect(verdictOf('I7', new Story().grant(A, 41)).kind).toBe('vacuous')
  })
})
