/** The small parts on their own: patterns, whole numbers, ids. */
import { describe, expect, it } from 'vitest'
import { globMatches } from '../../../src/infra/redis/glob.ts'
import { addInt64, parseInt64 } from '../../../src/infra/redis/integers.ts'
import { idText, MAX_ID, parseId } from '../../../src/infra/redis/stream-id.ts'

describe('globMatches', () => {
  it.each([
    ['*', '', true],
    ['a*b*c', 'aXbYbc', true],
    ['a*b*c', 'aXbYb', false],
    ['h[^e]llo', 'hello', false],
    ['h[a-c]llo', 'hbllo', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['?', '', false],
  ])('%s against %s is %s', (pattern, text, expected) => {
    expect(globMatches(pattern, text)).toBe(expected)
  })

  it('a pattern of many stars ends quickly', () => {
    expect(globMatches('*a'.repeat(30), `${'a'.repeat(2000)}b`)).toBe(false)
  })
})

describe('whole numbers of 64 bits', () => {
  it.each([
    ['0', 0],
    ['-1', -1],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', null],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', null],
    ...['', '-', '01', '-0', '+1', ' 1', '1 ', '1.0', '0x1'].map((text) => [text, null] as const),
  ] as [string, number | bigint | null][])('%j reads as %s', (text, value) => {
    expect(parseInt64(Buffer.from(text))).toBe(value)
  })

  it('a sum is exact or refused', () => {
    expect(addInt64(9007199254740991, 1)).toBe(9007199254740992n)
    expect(addInt64(9223372036854775807n, 1)).toBe(null)
    expect(addInt64(9223372036854775807n, -9223372036854775807n)).toBe(0)
  })
})

describe('entry ids', () => {
  const read = (text: string) => parseId(Buffer.from(text), 7n)?.id ?? null

  it('are read whole and in part, and written back', () => {
    expect(idText(read('5-3') as bigint)).toBe('5-3')
    expect(idText(read('5') as bigint)).toBe('5-7')
    expect(read('+')).toBe(MAX_ID)
    expect(idText(MAX_ID)).toBe('18446744073709551615-18446744073709551615')
  })

  it.each(['', 'x', '1-', '-1', '1-x', '1-2-3', '18446744073709551616', '1-18446744073709551616'])(
    '%j is none',
    (text) => {
      expect(read(text)).toBe(null)
    },
  )
})
