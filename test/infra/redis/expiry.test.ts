import { expect, it } from 'vitest'
import { START_MS, World } from './world.ts'

it('a key lives through the millisecond of its expiry and is gone in the next', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 30_000)
  world.nowMs += 30_000
  expect(world.run('PTTL', 'k')).toBe(0)
  expect(world.run('GET', 'k')).toBe('v')
  world.nowMs += 1
  expect(world.run('GET', 'k')).toBe(null)
  expect(world.run('PTTL', 'k')).toBe(-2)
})

it('SET NX takes a key from the first millisecond after its expiry', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'a', 'PX', 100)
  world.nowMs += 100
  expect(world.run('SET', 'k', 'b', 'NX', 'PX', 100)).toBe(null)
  world.nowMs += 1
  expect(world.run('SET', 'k', 'b', 'NX', 'PX', 100)).toEqual({ ok: 'OK' })
})

it('a lapse is told once, by whoever looks first', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 10)
  world.nowMs += 11
  world.run('EXISTS', 'k')
  world.run('GET', 'k')
  expect(world.effects).toEqual([
    { op: 'set', key: 'k', value: 'v', expireAtMs: START_MS + 10 },
    { op: 'expired', key: 'k', value: null, expireAtMs: null },
  ])
})

it('TTL rounds to the nearest second, PTTL tells the millisecond', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 10_499)
  expect(world.run('TTL', 'k')).toBe(10)
  expect(world.run('PTTL', 'k')).toBe(10_499)
  world.run('PEXPIRE', 'k', 10_500)
  expect(world.run('TTL', 'k')).toBe(11)
})

it('a key whose time is over is not counted by KEYS, but by DBSIZE until somebody looks', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 10)
  world.nowMs += 11
  expect(world.run('DBSIZE')).toBe(1)
  expect(world.run('KEYS', '*')).toEqual([])
  expect(world.run('DBSIZE')).toBe(0)
})

it('effects tell every write: value, expiry, removal, other types', async () => {
  const world = await World.create()
  world.run('INCR', 'n')
  world.run('PEXPIRE', 'n', 500)
  world.run('INCR', 'n')
  world.run('PERSIST', 'n')
  world.run('DEL', 'n', 'nope')
  world.run('HSET', 'h', 'f', 'v')
  world.run('XADD', 's', '1-1', 'f', 'v')
  const expireAtMs = START_MS + 500
  expect(world.effects).toEqual([
    { op: 'set', key: 'n', value: '1', expireAtMs: null },
    { op: 'expire', key: 'n', value: '1', expireAtMs },
    { op: 'set', key: 'n', value: '2', expireAtMs },
    { op: 'expire', key: 'n', value: '2', expireAtMs: null },
    { op: 'del', key: 'n', value: null, expireAtMs: null },
    { op: 'write', key: 'h', value: null, expireAtMs: null },
    { op: 'write', key: 's', value: null, expireAtMs: null },
  ])
})

it('writes inside a script are told like any other', async () => {
  const world = await World.create()
  world.run('EVAL', "redis.call('set',KEYS[1],ARGV[1],'px',ARGV[2]) return 1", 1, 'k', 'v', 50)
  expect(world.effects).toEqual([{ op: 'set', key: 'k', value: 'v', expireAtMs: START_MS + 50 }])
})

it('WATCH: a key that lapses meanwhile breaks the transaction', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 10)
  world.run('WATCH', 'k')
  world.nowMs += 11
  world.run('MULTI')
  world.run('PING')
  expect(world.run('EXEC')).toBe(null)
})

it('WATCH: a key that had lapsed before does not', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 10)
  world.nowMs += 11
  world.run('WATCH', 'k')
  world.run('GET', 'k')
  world.run('MULTI')
  world.run('PING')
  expect(world.run('EXEC')).toEqual([{ ok: 'PONG' }])
})
