import { describe, expect, it } from 'vitest'
import { A, B, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

describe('I8, only your own', () => {
  it('holds for renewal and release by the holder', () => {
    const story = new Story().grant(A, 41).at(10_000).renew(A, `${A}|41`).at(11_000).release(A)
    expect(verdictOf('I8', story)).toEqual({ kind: 'held', facts: 2 })
  })

  it('is violated by a renewal of another’s lease', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(B, 42).at(32_000).renew(A, `${A}|41`)
    expect(verdictOf('I8', story)).toMatchObject({ violations: [{ actors: [A, B] }] })
    expect(onlySentence('I8', story)).toBe(
      'worker-a renewed the lease of 131 at 32.0 s, which had been granted to worker-b with token 42 at 31.0 s',
    )
  })

  it('is violated by a release of another’s lease', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(B, 42).at(32_000).release(A)
    expect(onlySentence('I8', story)).toContain('worker-a released the lease of 131')
  })

  it('is violated by a renewal that was meant for an earlier epoch of the same holder', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(A, 43).at(32_000).renew(A, `${A}|41`)
    expect(onlySentence('I8', story)).toBe(
      'worker-a, with token 41, renewed the lease of 131 at 32.0 s, which had been granted to it anew with token 43 at 31.0 s',
    )
  })

  it('is violated by a renewal that brings a lapsed lease back', () => {
    const story = new Story().grant(A, 41).at(31_000).grant(A, 41)
    expect(onlySentence('I8', story)).toContain('back at 31.0 s, which had been over since 30.0 s')
  })

  it('is vacuous when nothing was renewed or released', () => {
    expect(verdictOf('I8', new Story().grant(A, 41)).kind).toBe('vacuous')
  })
})
