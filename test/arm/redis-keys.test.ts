import { describe, expect, test } from 'vitest'
import { isForAll, keysOf, mayBlock, onlyReads } from '../../src/arm/redis-keys.ts'

const words = (line: string): string[] => line.split(' ')

describe('keys of a command', () => {
  test.each([
    ['GET k', ['k']],
    ['SET k v PX 5', ['k']],
    ['DEL a b c', ['a', 'b', 'c']],
    ['MSET a 1 b 2', ['a', 'b']],
    ['EVAL script 2 a b arg', ['a', 'b']],
    ['EVAL script 0 arg', []],
    ['EVAL script many a', []],
    ['XREADGROUP GROUP g c COUNT 1 STREAMS s1 s2 > >', ['s1', 's2']],
    ['XREAD STREAMS', []],
    ['XGROUP CREATE s g 0 MKSTREAM', ['s']],
    ['RENAME a b', ['a', 'b']],
    ['PING', []],
  ])('%s: %j', (line, keys) => {
    expect(keysOf(words(line))).toEqual(keys)
  })

  test('of an unknown one are unknown, so that the server is asked', () => {
    expect(keysOf(['LPOS', 'k', 'x'])).toBeNull()
  })
})

test.each([
  ['FLUSHALL', true],
  ['CONFIG SET a b', true],
  ['CONFIG GET a', false],
  ['CLIENT KILL id 1', true],
  ['CLIENT setname x', false],
  ['SCRIPT flush', true],
  ['SCRIPT LOAD x', false],
  ['GET k', false],
])('%s concerns all users of a server: %s', (line, forAll) => {
  expect(isForAll(words(line))).toBe(forAll)
})

test.each([
  ['XREADGROUP GROUP g c BLOCK 5 STREAMS s >', true],
  ['XREADGROUP GROUP g c STREAMS BLOCK >', false],
  ['XREAD BLOCK 0 STREAMS s $', true],
  ['BLPOP k 0', true],
  ['EVAL BLOCK 0', false],
])('%s may block: %s', (line, blocks) => {
  expect(mayBlock(words(line))).toBe(blocks)
})

test('only what surely changes nothing is not looked at', () => {
  expect(['GET', 'XLEN', 'EXISTS'].every((name) => onlyReads([name]))).toBe(true)
  expect(['SET', 'EVAL', 'XREADGROUP', 'GETDEL', 'UNHEARD'].some((name) => onlyReads([name]))).toBe(
    false,
  )
})
