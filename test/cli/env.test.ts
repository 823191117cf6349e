import { describe, expect, it } from 'vitest'
import { callerFolder, chooseArm, readEnvironment, wantsColour } from '../../src/cli/env.ts'
import { nearest } from '../../src/cli/suggest.ts'

describe('addresses', () => {
  it('MOCK=1 wins over every address and says so', () => {
    const environment = readEnvironment({ MOCK: '1', REDIS_URL: 'redis://r', ETCD_URL: 'http://e' })
    expect(chooseArm(environment, undefined)).toEqual({
      redisUrl: null,
      notice: 'MOCK=1 wins: REDIS_URL, ETCD_URL are set and not used; everything runs in memory.',
    })
  })

  it('without an address there is nothing to say', () => {
    const memory = { redisUrl: null, notice: null }
    expect(chooseArm(readEnvironment({ REDIS_URL: '' }), undefined)).toEqual(memory)
    expect(chooseArm(readEnvironment({ REDIS_URL: 'redis://r' }), 'sim')).toEqual(memory)
  })

  it('REDIS_URL alone asks for the real arm', () => {
    const redisUrl = 'redis://:secret@r'
    expect(chooseArm(readEnvironment({ REDIS_URL: redisUrl }), undefined)).toEqual({
      redisUrl,
      notice: null,
    })
  })

  it.each([
    [{}, 'real', 'The real arm needs a real Redis.'],
    [{ MOCK: '1' }, 'real', 'The real arm needs a real Redis.'],
    [{ REDIS_URL: 'redis://r' }, 'other', 'There is no such arm.'],
    [
      { REDIS_URL: 'redis://r', DATABASE_URL: 'postgres://d' },
      undefined,
      'The real arm has no use for DATABASE_URL yet.',
    ],
  ])('%j with --arm %s is refused', (variables, asked, message) => {
    expect(() => chooseArm(readEnvironment(variables), asked)).toThrow(message)
  })

  it.each([
    ['redis://user:secret@host:6379', 'redis://user:***@host:6379'],
    ['redis://:secret@host', 'redis://:***@host'],
    ['redis://:with@sign:and:colon@host', 'redis://:***@host'],
    ['user:secret@host', 'user:***@host'],
    ['redis://host:6379/0', 'redis://host:6379/0'],
    ['postgres://user@host/db?password=secret', 'postgres://user@host/db?password=***'],
  ])('%s is echoed as %s', (url, masked) => {
    expect(readEnvironment({ REDIS_URL: url }).urls[0]?.masked).toBe(masked)
  })
})

describe('the folder that one stands in', () => {
  it.each([
    ['/p', { INIT_CWD: '/p/labs/x/mine' }, '/p/labs/x/mine'],
    ['/p/labs/x', { INIT_CWD: '/p' }, '/p/labs/x'],
    ['/p', { INIT_CWD: '/project' }, '/p'],
    ['/p', {}, '/p'],
  ])('in %s with %j it is %s', (cwd, variables, folder) => {
    expect(callerFolder(cwd, variables)).toBe(folder)
  })
})

describe('colour', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s, %j: %s', (isTerminal, variables, colour) => {
    expect(wantsColour(isTerminal, variables)).toBe(colour)
  })
})

describe('nearest', () => {
  it.each([
    ['strat', 'start'],
    ['grad', 'grade'],
    ['bnech', 'bench'],
    ['sharding', 'day-10-sharding-lease'],
    ['zzz', null],
    ['', null],
  ])('of %s is %s', (word, near) => {
    expect(nearest(word, ['start', 'grade', 'bench', 'day-10-sharding-lease'])).toBe(near)
  })
})
