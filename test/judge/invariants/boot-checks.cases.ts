import { describe, expect, it } from 'vitest'
import type { StartedWith } from '../../../src/judge/setting.ts'
import { A, SETTING, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const ready = (story = new Story()) => story.said(A, 'worker.ready')
const startedWith = (started: StartedWith) => ({
  boot: { ...SETTING.boot!, started: { [A]: started } },
})
const count = (stored: string) => new Story().started(A).redis(A, ['GET', 'shard-count'], stored)
const policy = (value: string) =>
  new Story()
    .started(A)
    .redis(A, ['CONFIG', 'GET', 'maxmemory-policy'], ['maxmemory-policy', value])
const read = (story: Story) => story.over(2).hand(A, [1])

describe('I16, boot checks', () => {
  it('holds when all is as it must be', () => {
    const story = read(ready(count('256')))
      .over(1)
      .redis(A, ['GET', 'x'], null)
    expect(verdictOf('I16', story)).toEqual({ kind: 'held', facts: 3 })
  })

  it.each([
    [
      { drainMs: 25_000, graceMs: 25_000 },
      'its drain of 25000 ms does not fit into a grace of 25000 ms',
    ],
    [{ drainMs: 20_000, graceMs: 25_000, preStopMs: 5000 }, 'less 5000 ms of preStop'],
    [{ keyPrefix: '' }, 'its key prefix is empty'],
  ])('is violated by a start with %j', (started, text) => {
    const story = ready(new Story().started(A).at(1000))
    expect(onlySentence('I16', story, startedWith(started))).toContain(text)
  })

  it('holds when a program that was set up wrongly refuses', () => {
    const story = new Story().started(A).at(10).exited(A)
    expect(verdictOf('I16', story, startedWith({ keyPrefix: '' }))).toEqual({
      kind: 'held',
      facts: 1,
    })
  })

  it('is violated by a program that goes on with another shard count', () => {
    const sentence =
      'worker-a went on at 0.0 s although the stored shard count is 128 and not its own 256, as it could know at 0.0 s: it had to refuse to start'
    expect(onlySentence('I16', ready(count('128')))).toBe(sentence)
    expect(onlySentence('I16', read(count('128')))).toBe(sentence)
    expect(verdictOf('I16', count('128').exited(A)).kind).toBe('held')
  })

  it('is violated by a program that goes on although Redis evicts', () => {
    expect(onlySentence('I16', ready(policy('allkeys-lru')))).toContain(
      'maxmemory-policy is allkeys-lru',
    )
    expect(verdictOf('I16', ready(policy('noeviction'))).kind).toBe('held')
  })

  it('is violated by a command on the connection of the blocking read', () => {
    const story = read(new Story().started(A)).at(5000).redis(A, ['PEXPIRE', 'lease:131', '1'], 1)
    expect(onlySentence('I16', story)).toBe(
      'worker-a sent PEXPIRE at 5.0 s over connection 2, on which it reads blocking (at 0.0 s): such a command queues behind the read',
    )
  })

  it('what a client says when it connects may come over that connection', () => {
    const story = read(new Story().started(A).over(2).redis(A, ['INFO'], '')).redis(
      A,
      ['CLIENT'],
      1,
    )
    expect(verdictOf('I16', story).kind).toBe('held')
  })

  it('is not applicable when nothing tells of it', () => {
    const { boot } = startedWith({})
    expect(verdictOf('I16', new Story(), { boot }).kind).toBe('not-applicable')
    expect(verdictOf('I16', new Story(), { boot: null }).kind).toBe('not-applicable')
  })
})
