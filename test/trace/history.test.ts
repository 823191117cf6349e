import { describe, expect, it } from 'vitest'
import type { TraceEvent } from '../../src/trace/events.ts'
import type { View } from '../../src/trace/history.ts'
import { deliveredFrom, expiryAt, History, parseLease } from '../../src/trace/history.ts'
import { TraceScript } from './trace-script.ts'

const KEY = 'lease:shard:131'

describe('History', () => {
  it('shows events that are added later to the views it already has', () => {
    const history = new History()
    expect(history.output.said()).toHaveLength(0)
    for (const event of new TraceScript().said('a', 'lease.held', { shard: 1 }).events) {
      history.add(event)
    }
    expect(history.output.said('a', 'lease.held')[0]?.fields.shard).toBe(1)
  })

  it('keeps one view of a kind, also of a kind that is not its own', () => {
    class Counting implements View {
      count = 0
      see(_event: TraceEvent): void {
        this.count += 1
      }
    }
    const history = new History(new TraceScript().said('a', 'x').said('a', 'y').events)
    expect(history.view(Counting).count).toBe(2)
    expect(history.view(Counting)).toBe(history.view(Counting))
  })

  it('an empty trace ends at 0 and has nothing in it', () => {
    const history = new History([])
    expect(history.endUs).toBe(0)
    expect(history.lives.ended).toBeNull()
    expect(history.leases.termAt(KEY, 0)).toBeNull()
  })
})

describe('output', () => {
  it('a line that only looks like JSON is output and not belief', () => {
    const script = new TraceScript()
    for (const text of ['{"event":', '{"event":7}', 'hello', '[]']) {
      script.put({ kind: 'process.output', process: 'a', incarnation: 1, stream: 'stdout', text })
    }
    const { output } = new History(script.events)
    expect(output.lines('a')).toHaveLength(4)
    expect(output.said()).toHaveLength(0)
  })

  it('stderr is never belief', () => {
    const script = new TraceScript().put({
      kind: 'process.output',
      process: 'a',
      incarnation: 1,
      stream: 'stderr',
      text: '{"event":"lease.held"}',
    })
    expect(new History(script.events).output.said()).toHaveLength(0)
  })
})

describe('redis', () => {
  it('joins a command with its answer, also if others come between', () => {
    const script = new TraceScript()
    const from = { process: 'a', incarnation: 1, server: 'redis' }
    script.put({ kind: 'redis.command', id: 99, ...from, conn: 1, argv: ['XREADGROUP'] })
    script.redis('b', ['GET', 'k'], null)
    script.put({ kind: 'redis.reply', id: 99, ...from, command: 'XREADGROUP', reply: 'late' })
    const exchanges = new History(script.events).redis.exchanges()
    expect(exchanges.map(({ answer }) => answer?.reply)).toEqual(['late', null])
  })

  it('an unanswered command has a null answer', () => {
    const script = new TraceScript().put({
      kind: 'redis.command',
      id: 9,
      process: 'a',
      incarnation: 1,
      server: 'redis',
      conn: 1,
      argv: ['GET', 'k'],
    })
    expect(new History(script.events).redis.exchanges()[0]?.answer).toBeNull()
  })

  it('reads the entries of one stream out of an XREADGROUP reply', () => {
    const reply = [
      ['s1', [['1-0', ['seq', '1']]]],
      ['s2', [['2-0', ['seq', '2', 'text', 'hi']]]],
    ]
    const [entry] = deliveredFrom(reply, 's2')
    expect(entry?.id).toBe('2-0')
    expect(entry?.fields.get('text')).toBe('hi')
    expect(deliveredFrom(null, 's2')).toEqual([])
    expect(deliveredFrom({ error: 'NOGROUP' }, 's2')).toEqual([])
  })
})

describe('leases', () => {
  const set = (value: string, expireAtMs: number | null) =>
    ({ op: 'set', key: KEY, value, expireAtMs }) as const

  it('a lapse ends a term, and the next holder begins another', () => {
    const script = new TraceScript()
    script.at(0).redis('a', ['EVAL'], 1, set('a|1', 30_000))
    script.at(31_000).lapsed(KEY).redis('b', ['EVAL'], 2, set('b|2', 61_000))
    const { leases } = new History(script.events)
    const [first, second] = leases.terms(KEY)
    expect(first?.ended?.how).toBe('lapsed')
    expect(second).toMatchObject({ value: 'b|2', by: 'b', ended: null })
    expect(leases.termAt(KEY, 29_000_000)?.value).toBe('a|1')
    expect(leases.termAt(KEY, 30_500_000)).toBeNull()
    expect(leases.termAt(KEY, 31_000_000)?.value).toBe('b|2')
  })

  it('a lapse that the server never told ends the term at its expiry', () => {
    const script = new TraceScript()
    script.at(0).redis('a', ['SET'], { ok: 'OK' }, set('a|1', 30_000))
    script.at(40_000).redis('b', ['SET'], { ok: 'OK' }, set('b|2', 70_000))
    const [first] = new History(script.events).leases.terms(KEY)
    expect(first?.ended).toMatchObject({ how: 'lapsed', t: 30_000_000 })
  })

  it('writing over a live lease is told apart from a lapse, with its doer', () => {
    const script = new TraceScript()
    script.at(0).redis('a', ['SET'], { ok: 'OK' }, set('a|1', 30_000))
    script.at(10).redis('b', ['SET'], { ok: 'OK' }, set('b|2', 30_010))
    const [first] = new History(script.events).leases.terms(KEY)
    expect(first?.ended).toMatchObject({ how: 'overwritten', by: 'b' })
  })

  it('an extension keeps the term and moves its expiry from then on', () => {
    const script = new TraceScript()
    script.at(0).redis('a', ['SET'], { ok: 'OK' }, set('a|1', 30_000))
    script.at(10_000).redis('a', ['EVAL'], 1, { op: 'expire', key: KEY, expireAtMs: 40_000 })
    const [term] = new History(script.events).leases.terms(KEY)
    expect(term && expiryAt(term, 9_000_000)).toBe(30_000_000)
    expect(term && expiryAt(term, 10_000_000)).toBe(40_000_000)
    expect(term?.extensions).toHaveLength(1)
  })

  it('parses owner and token of a value, and refuses what is none', () => {
    expect(parseLease('worker|a|7')).toEqual({ owner: 'worker|a', token: 7 })
    for (const value of ['', '7', '|7', 'a|', 'a|x', 'a|1.5']) expect(parseLease(value)).toBeNull()
  })
})

describe('http and lives', () => {
  it('joins requests with their answers, and keeps those without one', () => {
    const script = new TraceScript()
      .post('a', 'store', '/plant', { shard: 1 }, 200)
      .post('a', 'store', '/messages', { seq: 1 })
      .post('a', 'gateway', '/messages', {}, 202)
    const exchanges = new History(script.events).http.exchanges('store')
    expect(exchanges.map(({ response }) => response?.status ?? null)).toEqual([200, null])
  })

  it('finds faults by their step and the thaw of a process', () => {
    const script = new TraceScript()
      .at(5)
      .bit('freeze-a', 'freeze', 'a')
      .verb('process.frozen', 'a')
    script.at(40).verb('process.thawed', 'a')
    const { lives } = new History(script.events)
    expect(lives.biteOf('freeze-a')?.t).toBe(5000)
    expect(lives.biteOf('other')).toBeNull()
    expect(lives.thawOf('a')?.t).toBe(40_000)
  })
})
