/** What is read from a trace before any rule looks at it. */

import { describe, expect, it } from 'vitest'
import { keysOf } from '../../../src/judge/facts/command-keys.ts'
import { messagesOf } from '../../../src/judge/facts/entries.ts'
import { aliveAt, grantsOf, ownerAndToken } from '../../../src/judge/facts/grants.ts'
import { awakeThrough, livesOf, stoodStillUs } from '../../../src/judge/facts/lives.ts'
import { sec } from '../../../src/judge/words.ts'
import { History } from '../../../src/trace/history.ts'
import { A, B, SETTING, Story } from '../story.ts'

describe('keys of a command', () => {
  it.each([
    ['SET k v NX PX 5', ['k']],
    ['del a b', ['a', 'b']],
    ['MSET a 1 b 2', ['a', 'b']],
    ['EVAL return 2 a b x', ['a', 'b']],
    ['EVAL return 0 x', []],
    ['EVAL return many x', []],
    ['XREADGROUP GROUP g c COUNT 1 STREAMS a b > >', ['a', 'b']],
    ['XREADGROUP GROUP g c', []],
    ['XGROUP CREATE s g $ MKSTREAM', ['s']],
    ['PING', []],
    ['', []],
  ])('%s', (line, keys) => {
    expect(keysOf(line.split(' '))).toEqual(keys)
  })
})

describe('messages', () => {
  const of = (story: Story) => messagesOf(new History(story.events), SETTING.messages!)
  const write = { op: 'write', key: 'runs:131' } as const

  it('an XADD makes an entry known, whatever options it has', () => {
    for (const options of [['*'], ['MAXLEN', '~', '1000', '*'], ['NOMKSTREAM', '5-0'], ['5-*']]) {
      const argv = ['XADD', 'runs:131', ...options, 'run', 'r', 'seq', '3', 'text', '*']
      const { entries, published } = of(new Story().redis(A, argv, '5-0', write))
      expect(entries).toMatchObject([{ id: '5-0', run: 'r', seq: 3, resource: '131' }])
      expect(published).toHaveLength(1)
    }
  })

  it('an entry handed out again is the same one, also when only its id is told', () => {
    const claim = ['XAUTOCLAIM', 'runs:131', 'workers', B, '0', '0-0', 'JUSTID']
    const story = new Story().hand(A, [1]).redis(B, claim, ['0-0', ['1-0'], []], write)
    const { entries, deliveries } = of(story)
    expect(entries).toHaveLength(1)
    expect(deliveries.map(({ entry, to, how }) => [entry === entries[0], to, how])).toEqual([
      [true, A, 'read'],
      [true, B, 'claimed'],
    ])
  })

  it('another group, another stream and an acknowledgement that did nothing are none of ours', () => {
    const other = ['XREADGROUP', 'GROUP', 'audit', A, 'STREAMS', 'runs:131', '>']
    const reply = [['runs:131', [['1-0', ['run', 'r', 'seq', '1']]]]]
    expect(of(new Story().redis(A, other, reply, write)).deliveries).toEqual([])
    const nothing = new Story().hand(A, [1]).redis(A, ['XACK', 'runs:131', 'workers', '1-0'], 0)
    expect(of(nothing).acknowledgements).toEqual([])
  })
})

describe('grants and lives', () => {
  it('a grant lives until the instant of its lapse, that included, although it is told later', () => {
    const story = new Story().grant(A, 41).at(40_000).lapses()
    const [grant] = grantsOf(new History(story.events), SETTING.leases!)
    expect(grant?.over).toMatchObject({ how: 'lapsed', t: 30_000_000 })
    expect([29_999_999, 30_000_000, 30_000_001].map((t) => aliveAt(grant!, { i: 99, t }))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('a value that is no lease makes no grant', () => {
    for (const value of ['', '41', '|41', 'a|', 'a|x', 'a| ', 'a|1.5']) {
      expect(ownerAndToken(value, '|')).toBeNull()
    }
    expect(ownerAndToken('a|b|7', '|')).toEqual({ owner: 'a|b', token: 7 })
  })

  it('counts how long a life stood still, and whether it was awake all along', () => {
    const story = new Story()
      .started(A)
      .at(10)
      .verb('process.frozen', A)
      .at(30)
      .verb('process.thawed', A)
      .at(50)
      .signalled(A, 'SIGTERM')
    const [life] = livesOf(new History(story.events))
    expect(stoodStillUs(life!, 20_000, 90_000)).toBe(10_000)
    expect(awakeThrough(life!, 31_000, 50_000)).toBe(true)
    expect(awakeThrough(life!, 31_000, 51_000)).toBe(false)
    expect(awakeThrough(life!, 5000, 11_000)).toBe(false)
  })

  it('says times to the millisecond', () => {
    const said = [0, 36_200_000, 5_107_795, 330_000, 30_000_000].map(sec)
    expect(said).toEqual(['0.0 s', '36.2 s', '5.108 s', '0.33 s', '30.0 s'])
  })
})
