import { describe, expect, test } from 'vitest'
import { commandMatches, eventMatches, fieldMatches } from '../../src/scenario/match.ts'
import type { TraceEvent } from '../../src/trace/events.ts'

const reply: TraceEvent = {
  i: 3,
  t: 10,
  kind: 'redis.reply',
  id: 1,
  process: 'a',
  incarnation: 1,
  server: 'redis',
  command: 'XACK',
  reply: 1,
}

describe('fields', () => {
  test.each([
    ['x', 'x', true],
    ['x', 'y', false],
    [1, 1, true],
    ['1', 1, false],
    [null, null, true],
    ['b', { oneOf: ['a', 'b'] }, true],
    ['c', { oneOf: ['a', 'b'] }, false],
    ['lease:131', { startsWith: 'lease:' }, true],
    [131, { startsWith: '1' }, false],
    ['a|5', { includes: '|' }, true],
    [['x', 'y'], { includes: 'y' }, true],
    [['xy'], { includes: 'y' }, false],
  ])('%j against %j is %s', (value, wanted, result) => {
    expect(fieldMatches(value, wanted)).toBe(result)
  })
})

describe('events', () => {
  test('kind, fields and command must all match', () => {
    expect(eventMatches(reply, { kind: 'redis.reply', command: ['XACK'] })).toBe(true)
    expect(eventMatches(reply, { kind: 'redis.reply', command: ['XADD'] })).toBe(false)
    expect(eventMatches(reply, { kind: 'redis.reply', where: { process: 'b' } })).toBe(false)
    expect(eventMatches(reply, { kind: 'redis.command' })).toBe(false)
    expect(eventMatches(reply, { kind: 'redis.reply', where: { toString: 'x' } })).toBe(false)
  })

  test('a JSON pattern never matches a line that is not a JSON object', () => {
    const line = (text: string): TraceEvent => ({
      i: 0,
      t: 0,
      kind: 'process.output',
      process: 'a',
      incarnation: 1,
      stream: 'stdout',
      text,
    })
    const pattern = { kind: 'process.output', json: { event: 'x' } }
    expect(eventMatches(line('{"event":"x"}'), pattern)).toBe(true)
    for (const text of ['{"event":"x"', '["event"]', 'null', 'x', '']) {
      expect(eventMatches(line(text), pattern), text).toBe(false)
    }
    expect(eventMatches(reply, { kind: 'redis.reply', json: { event: 'x' } })).toBe(false)
  })

  test('the name of a command does not count as one of its arguments', () => {
    expect(commandMatches(['GET', 'k'], ['GET'], ['k'])).toBe(true)
    expect(commandMatches(['get', 'k'], ['GET'], undefined)).toBe(true)
    expect(commandMatches(['GET', 'k'], undefined, ['GET'])).toBe(false)
  })
})
