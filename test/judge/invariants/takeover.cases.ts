import { describe, expect, it } from 'vitest'
import { A, B, SETTING, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

/** A dies at 12 s, last renewed at 10 s: its lease lapses at 40 s. */
const dies = () =>
  new Story().started(A).started(B).grant(A, 41).at(10_000).renew(A).at(12_000).killed(A)

describe('I11, takeover', () => {
  it('holds when the next one claims within a sweep', () => {
    const story = dies().at(45_000).grant(B, 42).ends(50_000)
    expect(verdictOf('I11', story)).toEqual({ kind: 'held', facts: 3 })
  })

  it('is violated when it claims later', () => {
    expect(onlySentence('I11', dies().at(52_000).grant(B, 42).ends(53_000))).toBe(
      'the lease of 131, token 41 of worker-a, lapsed at 40.0 s and was granted to worker-b at 52.0 s although worker-b was awake and had room for it: the bound was 45.5 s',
    )
  })

  it('is violated when nobody claims at all', () => {
    expect(onlySentence('I11', dies().ends(60_000))).toContain('was still free at 60.0 s')
  })

  it('a lease given back is to be taken up within a sweep too', () => {
    const story = new Story().started(A).started(B).grant(A, 41).at(1000).release(A).ends(20_000)
    expect(onlySentence('I11', story)).toContain('was deleted by worker-a at 1.0 s')
  })

  it.each([
    [null, 'for ever'],
    [30_000_000, 'until 30000.0 s'],
  ])('is violated by a lease that lasts for too long: %s', (ttlMs, text) => {
    expect(onlySentence('I11', new Story().grant(A, 41, ttlMs))).toBe(
      `worker-a took 131 with token 41 ${text} at 0.0 s: if it dies, nobody can take over within 30.0 s and a sweep`,
    )
  })

  it('is violated by an extension that lasts for too long', () => {
    const story = new Story().grant(A, 41).at(10_000).renew(A, '', 300_000)
    expect(onlySentence('I11', story)).toContain('until 310.0 s at 10.0 s')
  })

  it('nobody is blamed who is frozen, full or not entitled', () => {
    const frozen = dies().at(41_000).verb('process.frozen', B).ends(60_000)
    expect(verdictOf('I11', frozen).kind).toBe('held')
    const full = dies().grant(B, 7, 90_000, 'x').ends(60_000)
    const setting = (share: number, resources: string[] | null) => ({
      workers: { [B]: { share, resources } },
      leases: { ...SETTING.leases!, ttlMs: 90_000 },
    })
    expect(verdictOf('I11', full, setting(1, null)).kind).toBe('held')
    expect(verdictOf('I11', full, setting(2, null)).kind).toBe('violated')
    expect(verdictOf('I11', dies().ends(60_000), setting(2, ['7'])).kind).toBe('held')
  })

  it('is vacuous without a grant', () => {
    expect(verdictOf('I11', new Story().started(A)).kind).toBe('vacuous')
  })
})
