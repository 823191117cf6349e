import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

describe('I2, one grant', () => {
  it('holds after a lapse, and after the holder gave it back', () => {
    const story = new Story()
      .grant(A, 41)
      .at(31_000)
      .grant(B, 42)
      .at(32_000)
      .release(B)
      .grant(A, 43)
    expect(verdictOf('I2', story)).toEqual({ kind: 'held', facts: 3 })
  })

  it('an extension moves the time until which nobody else may be granted', () => {
    const story = new Story().grant(A, 41).at(20_000).renew(A).at(31_000).grant(B, 42)
    expect(onlySentence('I2', story)).toContain('token 41 of worker-a was good until 50.0 s')
  })

  it('is violated by writing over a live lease', () => {
    const story = new Story().grant(A, 41).at(5000).grant(B, 42)
    expect(verdictOf('I2', story)).toMatchObject({
      violations: [{ actors: [A, B], tokens: [41, 42], resource: '131' }],
    })
    expect(onlySentence('I2', story)).toBe(
      'worker-b was granted token 42 at 5.0 s although token 41 of worker-a was good until 30.0 s: it was written over',
    )
  })

  it('is violated when another deleted the lease in between', () => {
    const story = new Story().grant(A, 41).at(4000).release(B).at(5000).grant(B, 42)
    expect(onlySentence('I2', story)).toContain(': worker-b had deleted it at 4.0 s')
  })

  it('is violated when the server let the lease go before its time', () => {
    const story = new Story().grant(A, 41).at(4000).lapses().at(5000).grant(B, 42)
    expect(onlySentence('I2', story)).toContain(': the server had let it lapse at 4.0 s')
  })

  it('is violated after a lease that never lapses', () => {
    const story = new Story().grant(A, 41, null).at(90_000).grant(B, 42)
    expect(onlySentence('I2', story)).toContain('token 41 of worker-a never lapses')
  })

  it('a newer token over its own lease is a renewal, an equal value too', () => {
    const story = new Story().grant(A, 41).at(1000).grant(A, 42).at(2000).grant(A, 42)
    expect(verdictOf('I2', story).kind).toBe('held')
  })

  it('leases that probes write themselves do not count', () => {
    const story = new Story().grant(A, 41, 30_000, 'staged').at(1).grant(B, 42, 30_000, 'staged')
    expect(verdictOf('I2', story).kind).toBe('vacuous')
  })
})
