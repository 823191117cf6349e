import { describe, expect, test } from 'vitest'
import { StripError, stripTypes } from '../../src/host/strip.ts'

function failure(source: string): StripError {
  try {
    stripTypes(source, 'src/x.ts')
  } catch (error) {
    if (error instanceof StripError) return error
    throw error
  }
  throw new Error('it was stripped')
}

describe('stripTypes', () => {
  test('takes types out and leaves every line and column where it was', () => {
    const source = `import { type A, b } from './b.ts'
export interface X { a: number }
export const f = <T,>(value: T, other?: string): T => value as T
class C implements X { declare a: number; private n: number = 1; get(this: C): number { return this.n! } }
export { type A, b, C }
`
    const code = stripTypes(source, 'x.ts')
    expect(code.split('\n').map((line) => line.length)).toEqual(
      source.split('\n').map((line) => line.length),
    )
    expect(code.split('\n')[2]?.indexOf('value', 30)).toBe(
      source.split('\n')[2]?.indexOf('value', 30),
    )
    expect(code).not.toMatch(/interface|number|string|private|implements/)
  })

  test('the same text gives the same code, from memory', () => {
    const source = `const x: number = ${1}`
    expect(stripTypes(source, 'a.ts')).toBe(stripTypes(source, 'b.ts'))
  })

  const REFUSED: readonly (readonly [what: string, source: string, remedy: RegExp])[] = [
    ['an enum', 'let a = 1\n  enum E { A }', /as const/],
    [
      'a parameter property',
      'let a = 1\n  class C { constructor(readonly x: number) {} }',
      /Declare the field/,
    ],
    [
      'a namespace with values',
      'let a = 1\n  namespace N { export const x = 1 }',
      /file of its own/,
    ],
    ['import =', 'let a = 1\n  import fs = require("fs")', /import x from/],
    ['export =', 'let a = 1\n  export = a', /export default/],
  ]
  for (const [what, source, remedy] of REFUSED) {
    test(`refuses ${what}: file, line, what is there and what to write`, () => {
      const error = failure(source)
      expect([error.file, error.line]).toEqual(['src/x.ts', 2])
      expect(error.column).toBeGreaterThan(2)
      expect(error.message).toMatch(remedy)
      expect(error.snippet).toContain('^')
    })
  }

  test('refuses what is no TypeScript with its place', () => {
    expect(failure('const a = 1\nconst b: = 2')).toMatchObject({ line: 2, column: 10 })
  })
})
