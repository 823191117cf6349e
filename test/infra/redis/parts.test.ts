/** The small parts on their own: patterns, whole numbers, ids. */
import { describe, expect, it } from 'vitest'
import { untilZero } from '../../../src/infra/redis/c-text.ts'
import { globMatches } from '../../../src/infra/redis/glob.ts'
import { addInt64, parseInt64 } from '../../../src/infra/redis/integers.ts'
import { lowInt32, toInt32, toInt64, toUint64 } from '../../../src/infra/redis/lua/c-integers.ts'
import { integerText } from '../../../src/infra/redis/lua/integer-format.ts'
import { generalFormat } from '../../../src/infra/redis/lua/number-text.ts'
import { unsignedLong } from '../../../src/infra/redis/lua/text-to-number.ts'
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

describe('numbers of scripts as C has them', () => {
  it('what does not fit becomes the smallest integer; an int keeps the low bits of a long', () => {
    for (const odd of [2 ** 63, -(2 ** 64), 1e300, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(toInt64(odd)).toBe(-(2n ** 63n))
      expect(lowInt32(odd)).toBe(0)
      expect(toInt32(odd)).toBe(-(2 ** 31))
    }
    expect([lowInt32(2 ** 32 + 3), lowInt32(2 ** 31), lowInt32(-1.9)]).toEqual([3, -(2 ** 31), -1])
    expect([toUint64(-1), toUint64(2 ** 63), toUint64(2 ** 64)]).toEqual([
      2n ** 64n - 1n,
      2n ** 63n,
      0n,
    ])
  })

  it('%d and %x write 64 bits, with the flags of C', () => {
    const plain = { flags: '', width: '', precision: undefined }
    expect(integerText(2 ** 40, { ...plain, kind: 'd' })).toBe('1099511627776')
    expect(integerText(-1, { ...plain, kind: 'x' })).toBe('ffffffffffffffff')
    expect(integerText(-(2 ** 40), { ...plain, flags: '0', width: '16', kind: 'd' })).toBe(
      '-001099511627776',
    )
    expect(integerText(2 ** 40, { ...plain, flags: '#', kind: 'X' })).toBe('0X10000000000')
  })

  it('%g goes to the even digit from half-way', () => {
    expect(generalFormat(12345678901234.5, 14)).toBe('12345678901234')
    expect(generalFormat(12345678901235.5, 14)).toBe('12345678901236')
    expect(generalFormat(2 ** -25, 17)).toBe('2.9802322387695312e-08')
    expect([generalFormat(2.5, 1), generalFormat(25, 1), generalFormat(1e16, 17)]).toEqual([
      '2',
      '2e+01',
      '10000000000000000',
    ])
  })

  it('tonumber with a base counts down from 2^64 behind a minus, and ends there', () => {
    expect(unsignedLong('-1', 16)).toBe(2 ** 64)
    expect([unsignedLong('0xff', 16), unsignedLong('12', 2), unsignedLong('zz', 36)]).toEqual([
      255,
      null,
      1295,
    ])
    expect(unsignedLong('9'.repeat(40), 11)).toBe(2 ** 64)
  })

  it('text ends at a zero byte', () => {
    expect([untilZero('a\0b'), untilZero('ab'), untilZero('\0')]).toEqual(['a', 'ab', ''])
  })
})
