/**
 * Counting the rounds of loops: every form of loop is counted, and does what it did.
 */

import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { loopSite, ROUND, withRoundsCounted } from '../../../src/host/modules/loops.ts'

interface Seen {
  readonly value: unknown
  readonly rounds: number
  readonly cost: number
  readonly lines: readonly number[]
}

function run(code: string): Seen {
  let rounds = 0
  let total = 0
  const lines = new Set<number>()
  const context = vm.createContext({
    [ROUND]: (site: number, cost: number) => {
      rounds += 1
      total += cost
      lines.add(loopSite(site)?.line ?? 0)
    },
  })
  const value = vm.runInContext(withRoundsCounted(code, '/mine/a.js', false), context)
  return { value, rounds, cost: total, lines: [...lines] }
}

describe('loops', () => {
  test.each([
    ['for with a block', 'let n = 0; for (let i = 0; i < 5; i++) { n += i } n', 10, 5],
    ['for with a statement', 'let n = 0; for (let i = 0; i < 5; i++) n += i; n', 10, 5],
    ['for with no body', 'let i = 0; for (; i < 5; i++); i', 5, 5],
    ['while', 'let i = 0; while (i < 5) i++\ni', 5, 5],
    ['do with a statement', 'let i = 0; do i++; while (i < 5)\ni', 5, 5],
    ['do without a semicolon', 'let i = 0\ndo i++\nwhile (i < 5)\ni', 5, 5],
    ['do with no body', 'let i = 0; do;while (++i < 5); i', 5, 5],
    ['for … of', 'let n = 0; for (const x of [1, 2, 3]) n += x; n', 6, 3],
    ['for … in', 'let n = ""; for (const k in { a: 1, b: 2 }) n += k; n', 'ab', 2],
    [
      'loops in one another',
      'let n = 0; for (const a of [1, 2]) for (const b of [1, 2]) n += a * b; n',
      9,
      6,
    ],
    ['a label', 'let n = 0; out: for (;;) while (true) { if (++n === 4) break out } n', 4, 5],
    ['continue', 'let n = 0; for (let i = 0; i < 4; i++) { if (i % 2) continue; n++ } n', 2, 4],
    ['an if without braces', 'let i = 0; if (true) while (i < 2) i++; else i = 9\ni', 2, 2],
    [
      'a loop in a generator',
      'let n = 0; for (const x of (function* () { while (n < 3) yield n })()) n++; n',
      3,
      6,
    ],
  ])('%s', (_, code, value, rounds) => {
    expect(run(code)).toMatchObject({ value, rounds })
  })

  test('a loop is named by its line, and lines stay where they are', () => {
    const code = 'let i = 0\n\nwhile (i < 2) {\n  i++\n}\nnew Error().stack.split("\\n")[1]'
    const seen = run(code)
    expect(seen.lines).toEqual([3])
    expect(seen.value).toMatch(/:6:1$/)
  })

  test('a round that awaits costs more, one that only makes an async function does not', () => {
    const code = 'async function f() { for (const x of [1]) await x }; f()'
    expect(run(code).cost).toBe(20)
    expect(run('for (const x of [1]) { (async () => { await x })() }').cost).toBe(1)
  })
})

test('packages, files without loops and files that cannot be read stay as they are', () => {
  const loop = 'for (;;) break'
  expect(withRoundsCounted(loop, '/mine/node_modules/a/b.js', false)).toBe(loop)
  expect(withRoundsCounted('const a = 1', '/mine/a.js', false)).toBe('const a = 1')
  expect(withRoundsCounted('for (;;', '/mine/a.js', false)).toBe('for (;;')
})

test('modules are read as modules: imports with attributes, top-level await, import.meta', () => {
  const code =
    'import a from "./a.json" with { type: "json" }\nfor await (const b of a) import.meta.x = b'
  expect(withRoundsCounted(code, '/mine/a.mjs', true)).toContain(ROUND)
})
