import { describe, expect, it } from 'vitest'
import { A, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const running = () => new Story().started('store').started(A).grant(A, 41)

describe('I13, health', () => {
  it('holds when an outage leaves liveness alone', () => {
    const story = running().at(1000).net('net.refused', A, 'redis:6379').at(2000).alive(A, 200)
    expect(verdictOf('I13', story)).toEqual({ kind: 'held', facts: 1 })
  })

  it('is violated when a refused connection fails liveness', () => {
    const story = running().at(1000).net('net.refused', A, 'redis:6379').at(2000).alive(A, 503)
    expect(onlySentence('I13', story)).toBe(
      'worker-a answered 503 to /healthz at 2.0 s because redis was out since 1.0 s: a restart does not mend that',
    )
  })

  it('is violated when the death or freeze of a dependency fails liveness', () => {
    const dead = running().at(1000).killed('store').at(2000).alive(A, 500)
    const frozen = running().at(1000).verb('process.frozen', 'store').at(2000).alive(A, 500)
    for (const story of [dead, frozen]) {
      expect(onlySentence('I13', story)).toContain('because store was out since 1.0 s')
    }
  })

  it('an outage ends with the next connection', () => {
    const story = running().net('net.refused', A, 'redis:6379').net('net.opened', A, 'redis:6379')
    expect(verdictOf('I13', story.at(1000).alive(A, 500)).kind).toBe('vacuous')
  })

  it('is violated by a loop that stands still with work waiting and is called alive', () => {
    const story = running().hand(A, [1]).at(12_000).alive(A, 200)
    expect(onlySentence('I13', story)).toBe(
      'worker-a answered 200 to /healthz at 12.0 s although its loop stood still since 0.0 s with messages of 131 waiting',
    )
  })

  it('holds when such a loop fails liveness, or has not stood still for long', () => {
    expect(verdictOf('I13', running().hand(A, [1]).at(12_000).alive(A, 500))).toEqual({
      kind: 'held',
      facts: 1,
    })
    expect(verdictOf('I13', running().hand(A, [1]).at(9000).alive(A, 200)).kind).toBe('vacuous')
  })

  it('a message that nobody has read yet is work too, from when it was published', () => {
    const story = running().at(5000).publish(1)
    expect(onlySentence('I13', story.at(16_000).alive(A, 200))).toContain('stood still since 5.0 s')
    const later = running()
      .alive(A, 200)
      .at(60_000)
      .publish(1)
      .hand(A, [1])
      .at(61_000)
      .alive(A, 200)
    expect(verdictOf('I13', later).kind).toBe('vacuous')
  })

  it('a loop without work may rest', () => {
    const story = running().hand(A, [1]).acknowledge(A, 1).at(60_000).alive(A, 200)
    expect(verdictOf('I13', story).kind).toBe('vacuous')
  })

  it('is not applicable when nobody asks', () => {
    expect(verdictOf('I13', running()).kind).toBe('not-applicable')
    expect(verdictOf('I13', running().alive(A, 200), { health: null }).kind).toBe('not-applicable')
  })
})
