import { expect, it } from 'vitest'
import { OrderedById } from '../../../src/infra/redis/ordered.ts'
import { START_MS, World } from './world.ts'

async function withPending(): Promise<World> {
  const world = await World.create()
  world.run('XGROUP', 'CREATE', 's', 'g', '$', 'MKSTREAM')
  world.run('XADD', 's', '1-1', 'f', 'v')
  world.run('XREADGROUP', 'GROUP', 'g', 'amy', 'STREAMS', 's', '>')
  return world
}

it('XADD *: the id is the millisecond, and counts on within it', async () => {
  const world = await World.create()
  expect(world.run('XADD', 's', '*', 'f', 'v')).toBe(`${START_MS}-0`)
  expect(world.run('XADD', 's', '*', 'f', 'v')).toBe(`${START_MS}-1`)
  world.nowMs += 1
  expect(world.run('XADD', 's', '*', 'f', 'v')).toBe(`${START_MS + 1}-0`)
})

it('XAUTOCLAIM: an entry idle for exactly the minimum is claimed, one millisecond less is not', async () => {
  const world = await withPending()
  world.nowMs += 29_999
  expect(world.run('XAUTOCLAIM', 's', 'g', 'bob', 30_000, '0')).toEqual(['0-0', [], []])
  world.nowMs += 1
  expect(world.run('XAUTOCLAIM', 's', 'g', 'bob', 30_000, '0')).toEqual([
    '0-0',
    [['1-1', ['f', 'v']]],
    [],
  ])
  expect(world.run('XPENDING', 's', 'g', '-', '+', 10)).toEqual([['1-1', 'bob', 0, 2]])
})

it('XCLAIM: the same holds', async () => {
  const world = await withPending()
  world.nowMs += 99
  expect(world.run('XCLAIM', 's', 'g', 'bob', 100, '1-1')).toEqual([])
  world.nowMs += 1
  expect(world.run('XCLAIM', 's', 'g', 'bob', 100, '1-1', 'JUSTID')).toEqual(['1-1'])
  expect(world.run('XPENDING', 's', 'g', '-', '+', 10)).toEqual([['1-1', 'bob', 0, 1]])
})

it('XPENDING IDLE and XINFO CONSUMERS tell the virtual milliseconds', async () => {
  const world = await withPending()
  world.nowMs += 500
  expect(world.run('XPENDING', 's', 'g', 'IDLE', 501, '-', '+', 10)).toEqual([])
  expect(world.run('XPENDING', 's', 'g', 'IDLE', 500, '-', '+', 10)).toEqual([
    ['1-1', 'amy', 500, 1],
  ])
  expect(world.run('XINFO', 'CONSUMERS', 's', 'g')).toEqual([
    ['name', 'amy', 'pending', 1, 'idle', 500],
  ])
})

it('BLOCK: the deadline is exact, and the answer is nothing', async () => {
  const world = await World.create()
  expect(world.run('XREAD', 'BLOCK', 2000, 'STREAMS', 's', '$')).toBe('blocked')
  expect(world.engine.nextDeadlineUs()).toBe((START_MS + 2000) * 1000)
  world.nowMs += 1999
  world.tick()
  expect(world.woken()).toEqual([])
  world.nowMs += 1
  world.tick()
  expect(world.woken()).toEqual([{ session: world.session, reply: null }])
  expect(world.engine.nextDeadlineUs()).toBe(null)
})

it('BLOCK 0 waits without end and is served by the next entry', async () => {
  const world = await World.create()
  const other = world.engine.open()
  world.run('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  expect(world.engine.nextDeadlineUs()).toBe(null)
  world.runOn(other, 'XADD', 's', '1-1', 'f', 'v')
  expect(world.woken()).toEqual([{ session: world.session, reply: [['s', [['1-1', ['f', 'v']]]]] }])
  expect(world.woken()).toEqual([])
})

it('blocked readers of a group are served in the order in which they came, one entry each', async () => {
  const world = await World.create()
  const [bob, writer] = [world.engine.open(), world.engine.open()]
  world.run('XGROUP', 'CREATE', 's', 'g', '$', 'MKSTREAM')
  world.run('XREADGROUP', 'GROUP', 'g', 'amy', 'COUNT', 1, 'BLOCK', 0, 'STREAMS', 's', '>')
  world.runOn(bob, 'XREADGROUP', 'GROUP', 'g', 'bob', 'COUNT', 1, 'BLOCK', 0, 'STREAMS', 's', '>')
  world.runOn(writer, 'XADD', 's', '1-1', 'f', 'v')
  expect(world.woken().map(({ session }) => session)).toEqual([world.session])
  world.runOn(writer, 'XADD', 's', '1-2', 'f', 'v')
  expect(world.woken().map(({ session }) => session)).toEqual([bob])
})

it('a closed session is served nothing', async () => {
  const world = await World.create()
  const other = world.engine.open()
  world.run('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  world.engine.close(world.session)
  world.runOn(other, 'XADD', 's', '1-1', 'f', 'v')
  expect(world.woken()).toEqual([])
})

it('a blocked session must not be given another command', async () => {
  const world = await World.create()
  world.run('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  expect(() => world.run('PING')).toThrow('is blocked')
})

it('OrderedById: agrees with a sorted list through inserts and deletes anywhere', () => {
  const ordered = new OrderedById<number>()
  const model = new Map<bigint, number>()
  let state = 1
  for (let i = 0; i < 20_000; i++) {
    state = (state * 48271) % 2147483647
    const id = BigInt(state % 3000)
    if (state % 5 < 2) expect(ordered.delete(id)).toBe(model.delete(id))
    else {
      ordered.set(id, i)
      model.set(id, i)
    }
    if (state % 997 === 0) {
      const drop = Math.min(3, ordered.size)
      for (const [first] of [...model].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, drop)) {
        model.delete(first)
      }
      ordered.dropFirst(drop)
    }
  }
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1))
  expect([...ordered.entries()]).toEqual(sorted)
  for (const [id, value] of sorted) expect(ordered.get(id)).toBe(value)
})
