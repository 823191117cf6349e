import { expect, it } from 'vitest'
import { MAX_INSTRUCTIONS } from '../../../src/infra/redis/lua.ts'
import { World } from './world.ts'

const RENEW =
  "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) else return 0 end"

it('all 256 bytes pass both ways', async () => {
  const world = await World.create()
  const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
  const text = all.toString('latin1')
  expect(world.run('EVAL', 'return ARGV[1]', 0, all)).toBe(text)
  world.run('EVAL', "redis.call('set',KEYS[1],ARGV[1])", 1, all, all)
  expect(world.run('GET', all)).toBe(text)
  const built = "local s = '' for i = 0, 255 do s = s .. string.char(i) end return s == ARGV[1]"
  expect(world.run('EVAL', built, 0, all)).toBe(1)
})

it('a lease is extended by its holder only', async () => {
  const world = await World.create()
  world.run('SET', 'lease', 'a|1', 'PX', 30_000)
  world.nowMs += 10_000
  expect(world.run('EVAL', RENEW, 1, 'lease', 'b|2', 30_000)).toBe(0)
  expect(world.run('PTTL', 'lease')).toBe(20_000)
  expect(world.run('EVAL', RENEW, 1, 'lease', 'a|1', 30_000)).toBe(1)
  expect(world.run('PTTL', 'lease')).toBe(30_000)
})

it('a script that never ends is stopped, even when it catches its errors; the next one runs', async () => {
  const world = await World.create()
  const stopped = { error: expect.stringMatching(/^ERR script stopped: it ran too long script: /) }
  expect(MAX_INSTRUCTIONS).toBeLessThanOrEqual(100_000_000)
  const sha = String(world.run('SCRIPT', 'LOAD', 'return 8'))
  expect(world.run('EVAL', 'while true do end', 0)).toEqual(stopped)
  expect(world.run('EVAL', 'while true do pcall(function() while true do end end) end', 0)).toEqual(
    stopped,
  )
  expect(world.run('EVALSHA', sha, 0)).toBe(8)
  expect(world.run('EVAL', 'return 7', 0)).toBe(7)
}, 30_000)

it('a script that wants too much memory gets an error, and the next one runs', async () => {
  const world = await World.create()
  const greedy =
    "local s = string.rep('x', 1048576) local t = {} while true do t[#t+1] = s .. #t end"
  expect(world.run('EVAL', greedy, 0)).toMatchObject({ error: expect.stringContaining('memory') })
  expect(world.run('EVAL', 'return 7', 0)).toBe(7)
}, 30_000)

it('what a script wrote before it failed stays written', async () => {
  const world = await World.create()
  world.run('EVAL', "redis.call('set','k','v') error('later')", 0)
  expect(world.run('GET', 'k')).toBe('v')
})

it('time stands still within a script', async () => {
  const world = await World.create()
  world.run('SET', 'k', 'v', 'PX', 1)
  const spin =
    "local t = redis.call('time') for i = 1, 100000 do end local u = redis.call('time') return {t[1] == u[1] and t[2] == u[2], redis.call('exists','k')}"
  expect(world.run('EVAL', spin, 0)).toEqual([1, 1])
})

it('math.random begins as in a redis-server that has just started', async () => {
  const world = await World.create()
  const draw = 'return {tostring(math.random()), tostring(math.random())}'
  expect(world.run('EVAL', draw, 0)).toEqual(['0.39646477363839', '0.84048536971234'])
})

it('nothing tells one run from another: addresses and memory are the same in two fresh machines', async () => {
  const probe = 'return {tostring({}), tostring(redis.call), tostring(collectgarbage("count"))}'
  const [one, two] = [await World.create(), await World.create()]
  expect(one.run('EVAL', probe, 0)).toEqual(two.run('EVAL', probe, 0))
})

it('scripts cannot reach files, environment, processes or each other', async () => {
  const world = await World.create()
  for (const name of ['os', 'io', 'require', 'package', 'debug', 'dofile', 'loadfile', 'print']) {
    expect(world.run('EVAL', `return ${name}`, 0)).toMatchObject({
      error: expect.stringContaining(`nonexistent global variable '${name}'`),
    })
  }
  for (const write of ["rawset(_G,'x',1)", 'x = 1', 'string.rep = 1', 'redis.call = 1']) {
    expect(world.run('EVAL', write, 0)).toMatchObject({
      error: expect.stringContaining('Attempt to modify a readonly table'),
    })
  }
})

it('cmsgpack and struct are refused by name', async () => {
  const world = await World.create()
  expect(world.run('EVAL', 'return cmsgpack.pack(1)', 0)).toMatchObject({
    error: expect.stringContaining('cmsgpack is not part of this server'),
  })
  expect(world.run('EVAL', "return struct.pack('b',1)", 0)).toMatchObject({
    error: expect.stringContaining('struct is not part of this server'),
  })
})
