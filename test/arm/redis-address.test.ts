import { describe, expect, test } from 'vitest'
import { parseRedisAddress } from '../../src/arm/redis-address.ts'
import { meetServer } from '../../src/arm/run-real.ts'
import { maskAddress } from '../../src/wire/mask-address.ts'

describe('an address of a Redis', () => {
  test('is taken apart; the password is decoded, and masked where it is shown', () => {
    expect(parseRedisAddress('rediss://me:p%40ss@db.example:7000/2')).toEqual({
      tls: true,
      host: 'db.example',
      port: 7000,
      user: 'me',
      password: 'p@ss',
      database: 2,
      shown: 'rediss://me:***@db.example:7000/2',
    })
  })

  test('needs no more than a host', () => {
    const address = parseRedisAddress('redis://[::1]')
    expect(address).toMatchObject({ tls: false, host: '::1', port: 6379, user: null, database: 0 })
  })

  test.each([
    ['127.0.0.1:6379', 'no address of a Redis'],
    ['http://host', 'no address of a Redis'],
    ['redis://', 'no address of a Redis'],
    ['redis://host:99999', 'no address of a Redis'],
    ['redis://host/name', 'no database number'],
    ['redis://host?db=1', 'no database number'],
    ['redis://:%ZZ@host', 'cannot be read'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => parseRedisAddress(text)).toThrow(why)
  })

  test('no refusal holds the password', () => {
    for (const text of ['http://me:s3cret@host', 'redis://:s3cret@h/x', 'me:s3cret@h']) {
      try {
        parseRedisAddress(text)
        expect.fail('it was not refused')
      } catch (error) {
        expect(JSON.stringify(error) + (error as Error).message).not.toContain('s3cret')
      }
    }
  })

  test('what is masked is what stands between the user and the last @', () => {
    expect(maskAddress('redis://u:a@b:c@host:1')).toBe('redis://u:***@host:1')
    expect(maskAddress('redis://host:1')).toBe('redis://host:1')
  })
})

test('on Windows the real arm is refused, whatever the address', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' })
  try {
    await expect(meetServer('redis://127.0.0.1:1')).rejects.toThrow(
      'The real arm does not run on Windows.',
    )
  } finally {
    Object.defineProperty(process, 'platform', platform)
  }
})
