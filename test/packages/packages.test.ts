import { describe, expect, test } from 'vitest'
import { CASES } from './cases.mjs'
import { problemOf, runCase } from './run.mjs'

describe('packages run unmodified in a world, with reconnects', () => {
  for (const tested of CASES) {
    test(`${tested.name}: does its work, twice to the same digest`, async () => {
      const [first, second] = await Promise.all([runCase(tested), runCase(tested)])
      expect(first.problem).toBeNull()
      expect(second.digest).toBe(first.digest)
    })
  }

  test('pg: another seed gives another login and another digest', async () => {
    const tested = CASES.find(({ name }) => name === 'pg')
    if (tested === undefined) throw new Error('there is no case pg')
    const [one, other] = [await runCase(tested), await runCase(tested, undefined, 'another')]
    expect([one.problem, other.problem]).toEqual([null, null])
    expect(other.digest).not.toBe(one.digest)
  })
})

describe('a case is not good', () => {
  const output = (text: string, stream = 'stdout') => ({
    kind: 'process.output',
    process: 'a',
    stream,
    text,
  })
  const exited = (code: number) => ({ kind: 'process.exited', process: 'a', code })

  test.each([
    ['when somebody writes to stderr', [output('x', 'stderr'), output('ok'), exited(0)], /stderr/],
    ['when its program fails', [output('ok'), exited(1)], /code 0, got code 1/],
    ['when its program does not end', [output('ok')], /still ran/],
    ['when its last line is another', [output('ok'), output('more'), exited(0)], /got 'more'/],
    ['when it says nothing', [exited(0)], /got 'undefined'/],
  ])('%s', (_, events, told) => {
    expect(problemOf('a', events, { why: 'idle' })).toMatch(told)
    expect(problemOf('a', [output('ok'), exited(0)], { why: 'stopped' })).toBeNull()
  })

  test('when the peer that it needs does not come back', async () => {
    const tested = CASES.find(({ name }) => name === 'hono')
    if (tested === undefined) throw new Error('there is no case hono')
    const { problem } = await runCase({ ...tested, verbs: tested.verbs.slice(0, 1) })
    expect(problem).toMatch(/still ran/)
  })
})
