import { describe, expect, it } from 'vitest'
import { A, B, RUN, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

describe('I4, order', () => {
  it('holds when effects follow the stream, across workers', () => {
    const story = new Story().hand(A, [1, 2, 3]).write(A, 1, 1).claim(B, [2, 3])
    expect(verdictOf('I4', story.write(B, 2, 2).write(B, 2, 3))).toEqual({ kind: 'held', facts: 3 })
  })

  it('is violated by a message that overtakes another', () => {
    const story = new Story().hand(A, [1, 2]).at(200).write(A, 1, 2).at(300).write(A, 1, 1)
    expect(verdictOf('I4', story)).toMatchObject({ violations: [{ actors: [A], tokens: [1] }] })
    expect(onlySentence('I4', story)).toBe(
      'worker-a let message 2 of run-u-1 take effect at 0.2 s before message 1, which was enqueued earlier and took effect at 0.3 s',
    )
  })

  it('is violated by a message that takes effect while an earlier one never does', () => {
    const story = new Story().hand(A, [1, 2]).at(200).write(A, 1, 2)
    expect(onlySentence('I4', story)).toContain('enqueued earlier and never took effect')
  })

  it('is violated also when the earlier one was published and never handed out', () => {
    const story = new Story().publish(1).publish(2).hand(A, [2]).write(A, 1, 2)
    expect(onlySentence('I4', story)).toContain('never took effect')
  })

  it('is violated by messages that are begun side by side, whatever comes of it', () => {
    const story = new Story().hand(A, [1, 2]).begins(A, 1).at(50).begins(A, 2)
    expect(onlySentence('I4', story.at(200).write(A, 1, 1).write(A, 1, 2))).toBe(
      'worker-a began message 2 of run-u-1 at 0.05 s before message 1, begun at 0.0 s, had taken effect',
    )
  })

  it('one begun after the other’s effect, or dead letter, or by a successor, is not side by side', () => {
    const begun = () => new Story().hand(A, [1, 2]).begins(A, 1)
    const after = begun().write(A, 1, 1).begins(A, 2).write(A, 1, 2)
    const dead = begun().bury(A, 1).begins(A, 2).write(A, 1, 2)
    const taken = begun().claim(B, [1, 2]).begins(B, 1).write(B, 2, 1).begins(B, 2).write(B, 2, 2)
    for (const story of [after, dead, taken]) expect(verdictOf('I4', story).kind).toBe('held')
  })

  it('a dead letter holds nobody up from then on', () => {
    const dead = new Story().hand(A, [1, 2]).bury(A, 1).write(A, 1, 2)
    const late = new Story().hand(A, [1, 2]).write(A, 1, 2).bury(A, 1)
    expect(verdictOf('I4', dead).kind).toBe('held')
    expect(verdictOf('I4', late).kind).toBe('violated')
  })

  it('the order is that of the stream, not that of the numbers', () => {
    const story = () => new Story().hand(A, [1, 2], RUN, ['20-0', '9-0'])
    expect(verdictOf('I4', story().write(A, 1, 2).write(A, 1, 1)).kind).toBe('held')
    expect(verdictOf('I4', story().write(A, 1, 1).write(A, 1, 2)).kind).toBe('violated')
  })

  it('conversations do not wait for each other', () => {
    const story = new Story().hand(A, [1], 'run-u-2', ['1-1']).hand(A, [1]).write(A, 1, 1)
    expect(verdictOf('I4', story).kind).toBe('held')
  })

  it('is vacuous when nothing took effect', () => {
    expect(verdictOf('I4', new Story().hand(A, [1])).kind).toBe('vacuous')
  })
})
