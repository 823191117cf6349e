import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { freePort, mentions, realEnvironment, servedPort } from '../../src/arm/real-names.ts'

const places = new Map([
  ['redis:6379', '127.0.0.1:1111'],
  ['store:7310', '127.0.0.1:2222'],
])

describe('the environment of a real process', () => {
  test('names the proxies, the port that is free and the run’s prefix, and nothing else', () => {
    const env = { REDIS_URL: 'redis://redis:6379', STORE_URL: 'http://store:7310/x', PORT: '3010' }
    expect(realEnvironment(env, places, 3333, 'leaselab:1:')).toEqual({
      REDIS_URL: 'redis://127.0.0.1:1111',
      STORE_URL: 'http://127.0.0.1:2222/x',
      PORT: '3333',
      KEY_PREFIX: 'leaselab:1:',
    })
  })

  test('keeps a prefix of the scenario’s own behind the run’s', () => {
    expect(realEnvironment({ KEY_PREFIX: 'koda:dev:' }, places, null, 'leaselab:1:')).toEqual({
      KEY_PREFIX: 'leaselab:1:koda:dev:',
    })
  })

  test.each([
    ['redis://redis:6379', true],
    ['redis://user:word@redis:6379/0', true],
    ['redis:6379', true],
    ['a:1,redis:6379', true],
    ['redis://redis:63790', false],
    ['redis://my-redis:6379', false],
    ['call redis:6379 now', false],
  ])('%s names redis:6379: %s', (value, named) => {
    expect(mentions({ X: value }, 'redis:6379')).toBe(named)
  })

  test('only a whole number is a port that somebody serves', () => {
    expect(servedPort({ program: 'x', env: { PORT: '7310' } })).toBe(7310)
    expect(servedPort({ program: 'x', env: { PORT: 'no' } })).toBeNull()
    expect(servedPort({ program: 'x' })).toBeNull()
  })
})

test('a free port is answered once, is below those of outgoing connections, and can be used', async () => {
  const ports = [await freePort(), await freePort(), await freePort()]
  expect(new Set(ports).size).toBe(3)
  for (const port of ports) expect(port).toBeLessThan(32_768)
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(ports[0], resolve))
  server.close()
})
