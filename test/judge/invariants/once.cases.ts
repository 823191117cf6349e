import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

describe('I5, once', () => {
  it('holds for one effect, and for one dead letter', () => {
    const story = new Story().hand(A, [1, 2]).write(A, 1, 1).acknowledge(A, 1).bury(A, 2)
    expect(verdictOf('I5', story.acknowledge(A, 2))).toEqual({ kind: 'held', facts: 2 })
  })

  it('is violated by two effects', () => {
    const story = new Story().hand(A, [1]).at(100).write(A, 1, 1).at(200).write(B, 2, 1)
    expect(verdictOf('I5', story)).toMatchObject({
      violations: [{ actors: [A, B], tokens: [1, 2] }],
    })
    expect(onlySentence('I5', story)).toBe(
      'message 1 of run-u-1 took effect by worker-a at 0.1 s and took effect by worker-b at 0.2 s: once too often',
    )
  })

  it('is violated by an effect and a dead letter', () => {
    const story = new Story().hand(A, [1]).write(A, 1, 1).bury(B, 1)
    expect(onlySentence('I5', story)).toContain('and was put away as dead by worker-b')
  })

  it.each([null, 41])('is violated by an acknowledgement without an effect', (token) => {
    const story = new Story().hand(A, [1]).at(100).acknowledge(A, 1, token)
    expect(onlySentence('I5', story)).toBe(
      'worker-a acknowledged message 1 of run-u-1 at 0.1 s, handed to worker-a at 0.0 s, and it never took effect: it is lost',
    )
  })

  it('acknowledged first and done afterwards is not lost', () => {
    const story = new Story().hand(A, [1]).acknowledge(A, 1).write(A, 1, 1)
    expect(verdictOf('I5', story).kind).toBe('held')
  })

  it('is vacuous when messages are only pending', () => {
    expect(verdictOf('I5', new Story().hand(A, [1])).kind).toBe('vacuous')
  })
})
