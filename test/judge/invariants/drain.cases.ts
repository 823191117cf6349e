import { describe, expect, it } from 'vitest'
import { A, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

/** A holds 131, has message 1 in hand, and is told to end at 10 s. */
const told = () =>
  new Story().started(A).grant(A, 41).hand(A, [1]).begins(A, 1).at(10_000).signalled(A, 'SIGTERM')

describe('I12, drain', () => {
  it('holds when the message in hand is finished, then the lease goes, then the process', () => {
    const story = told()
      .at(12_000)
      .write(A, 41, 1)
      .acknowledge(A, 1)
      .release(A)
      .at(12_100)
      .exited(A)
    expect(verdictOf('I12', story)).toEqual({ kind: 'held', facts: 1 })
  })

  it('is violated by a handler that begins after the signal', () => {
    expect(onlySentence('I12', told().at(11_000).begins(A, 2).exited(A))).toBe(
      'worker-a began message 2 of run-u-1 at 11.0 s, after SIGTERM at 10.0 s',
    )
  })

  it('is violated by a read after the signal, not by one that was under way', () => {
    expect(verdictOf('I12', told().at(10_200).hand(A, [2]).exited(A)).kind).toBe('held')
    expect(onlySentence('I12', told().at(11_000).hand(A, [2]).exited(A))).toContain(
      'took message 2 of run-u-1 at 11.0 s',
    )
  })

  it('is violated by a claim after the signal', () => {
    const story = told().at(11_000).grant(A, 42, 30_000, '7').exited(A)
    expect(onlySentence('I12', story)).toContain('claimed 7 at 11.0 s')
  })

  it('is violated by an effect after the lease was given up', () => {
    const story = told().at(11_000).release(A).at(12_000).write(A, 41, 1).exited(A)
    expect(onlySentence('I12', story)).toBe(
      'worker-a wrote message 1 of run-u-1 at 12.0 s while it drained, after its lease of 131, token 41, had been given up at 11.0 s',
    )
  })

  it('is violated by an effect after the lease lapsed during the drain', () => {
    expect(onlySentence('I12', told().at(32_000).write(A, 41, 1).exited(A))).toContain(
      'had lapsed at 30.0 s',
    )
  })

  it('is violated by a process that had to be killed', () => {
    expect(onlySentence('I12', told().at(35_000).killed(A))).toBe(
      'worker-a was killed at 35.0 s, 25.0 s after SIGTERM: it had not ended by itself',
    )
  })

  it('is violated by a process that is still there when the grace is over', () => {
    expect(onlySentence('I12', told().ends(40_000))).toContain('was still there at 35.0 s')
    expect(verdictOf('I12', told().ends(34_000)).kind).toBe('held')
  })

  it('is not applicable when nobody was told to end', () => {
    expect(verdictOf('I12', new Story().started(A)).kind).toBe('not-applicable')
  })
})
