import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

/** The bound: TTL 30 s, sweep 5 s, handling 1 s, latency 0.5 s. */
const BOUND_MS = 36_500

describe('I6, nothing stuck', () => {
  it('holds when an entry is taken over in time', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).at(35_000).grant(B, 42).claim(B, [1])
    expect(verdictOf('I6', story.at(36_000).acknowledge(B, 1))).toEqual({ kind: 'held', facts: 1 })
  })

  it('is violated by an entry that nobody takes up again', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).ends(60_000)
    expect(onlySentence('I6', story)).toBe(
      'message 1 of run-u-1, handed to worker-a at 0.0 s, was pending and no owner was at work on 131 from 0.0 s to the end, 60.0 s: longer than 36.5 s',
    )
  })

  it('is violated by one that is taken up too late', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).at(50_000).grant(B, 42).claim(B, [1])
    expect(onlySentence('I6', story.acknowledge(B, 1))).toContain('until 50.0 s')
  })

  it('is violated by an owner that renews and does nothing', () => {
    const story = new Story().grant(A, 41).hand(A, [1])
    for (let ms = 10_000; ms < 60_000; ms += 10_000) story.at(ms).renew(A)
    expect(verdictOf('I6', story.ends(60_000)).kind).toBe('violated')
  })

  it('an owner at work on earlier entries of the stream lets a later one wait', () => {
    const story = new Story().grant(A, 41).hand(A, [1, 2, 3])
    for (const seq of [1, 2]) {
      story
        .at(seq * 20_000)
        .renew(A)
        .begins(A, seq)
        .write(A, 41, seq)
        .acknowledge(A, seq)
    }
    expect(verdictOf('I6', story.at(50_000).acknowledge(A, 3)).kind).toBe('held')
  })

  it('work by one who holds no lease does not count', () => {
    const story = new Story().grant(A, 41).hand(A, [1])
    expect(verdictOf('I6', story.at(33_000).claim(B, [1]).ends(60_000)).kind).toBe('violated')
  })

  it('is vacuous when the trace ends before the bound', () => {
    const story = new Story().grant(A, 41).hand(A, [1]).ends(BOUND_MS)
    expect(verdictOf('I6', story).kind).toBe('vacuous')
  })
})
