import { describe, expect, test } from 'vitest'
import type { Unplaced } from '../../src/trace/events.ts'
import { Recorder } from '../../src/trace/recorder.ts'

const line = (text: string, stream: 'stdout' | 'stderr' = 'stdout'): Unplaced => ({
  kind: 'process.output',
  process: 'a',
  incarnation: 1,
  stream,
  text,
})

const failure = (stack: string): Unplaced => ({
  kind: 'process.error',
  process: 'a',
  incarnation: 1,
  name: 'TypeError',
  message: stack,
  stack,
  file: stack,
  line: 1,
  column: 1,
})

function digestOf(events: readonly Unplaced[], times: readonly number[] = []): string {
  let at = 0
  const recorder = new Recorder(() => times[at++] ?? 0)
  for (const event of events) recorder.record(event)
  return recorder.digest()
}

describe('digest', () => {
  test('is the same for the same events and changes with a byte, a time and an order', () => {
    const base = digestOf([line('x'), line('y')], [1, 2])
    expect(digestOf([line('x'), line('y')], [1, 2])).toBe(base)
    expect(digestOf([line('x'), line('z')], [1, 2])).not.toBe(base)
    expect(digestOf([line('x'), line('y')], [1, 3])).not.toBe(base)
    expect(digestOf([line('y'), line('x')], [1, 2])).not.toBe(base)
    expect(digestOf([line('x')], [1])).not.toBe(base)
  })

  test('leaves out what depends on where files lie: stacks and stderr, but not that they came', () => {
    expect(digestOf([failure('/here/a.ts')])).toBe(digestOf([failure('/there/a.ts')]))
    expect(digestOf([line('/here', 'stderr')])).toBe(digestOf([line('/there', 'stderr')]))
    expect(digestOf([failure('/here')])).not.toBe(digestOf([]))
  })

  test('can be read in the middle without changing what follows', () => {
    const recorder = new Recorder(() => 0)
    recorder.record(line('x'))
    recorder.digest()
    recorder.record(line('y'))
    expect(recorder.digest()).toBe(digestOf([line('x'), line('y')]))
  })
})

test('events are placed without gaps and reach every sink with their JSON', () => {
  const recorder = new Recorder(() => 7)
  const seen: string[] = []
  recorder.addSink((event, json) => {
    expect(JSON.parse(json)).toEqual(event)
    seen.push(`${event.i}@${event.t}`)
  })
  recorder.record(line('x'))
  recorder.record(line('y'))
  expect(seen).toEqual(['0@7', '1@7'])
})
