/**
 * ioredis through a door that ends its connections at 3 s, is killed at 5 s and opened again at 8 s:
 * commands, a pipeline, a transaction, a script, a blocking read, and what it does at each of these.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import Redis from 'ioredis'

const redis = new Redis({
  host: 'door',
  maxRetriesPerRequest: null,
  retryStrategy: (attempt) => Math.min(attempt * 100, 500),
})
const reader = redis.duplicate()
const told = []
for (const event of ['connect', 'ready', 'close', 'reconnecting']) {
  redis.on(event, () => told.push(event))
}
for (const client of [redis, reader]) client.on('error', (error) => told.push(error.code))

assert.equal(await redis.set('key', 'välue', 'PX', 60_000), 'OK')
assert.deepEqual(await redis.getBuffer('key'), Buffer.from('välue'))
await redis.hset('hash', { a: 1, b: 'two' })
assert.deepEqual({ ...(await redis.hgetall('hash')) }, { a: '1', b: 'two' })
await assert.rejects(redis.incr('hash'), /WRONGTYPE/)

const pipeline = redis.pipeline()
for (let n = 0; n < 100; n += 1) pipeline.incrby('sum', n)
const answers = await pipeline.exec()
assert.equal(answers.length, 100)
assert.equal(answers.at(-1)[1], 4950)
assert.deepEqual(await redis.multi().incr('sum').get('sum').exec(), [
  [null, 4951],
  [null, '4951'],
])
redis.defineCommand('add', {
  numberOfKeys: 1,
  lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
})
assert.equal(await redis.add('sum', 9), 4960)

const first = reader.xread('BLOCK', 0, 'STREAMS', 'jobs', '$')
await pause(1000)
await redis.xadd('jobs', '*', 'n', '1')
const [[stream, [[id, fields]]]] = await first
assert.deepEqual([stream, fields], ['jobs', ['n', '1']])
console.log('entry', id)

// Ended by the other side; ioredis makes another connection.
await once(redis, 'close')
assert.equal(await redis.get('sum'), '4960')

// Under way when the door goes; asked again by ioredis when it is back.
const second = reader.xread('BLOCK', 0, 'STREAMS', 'jobs', id)
await once(redis, 'close')
const goneAt = Date.now()
const waited = redis.incr('sum')
assert.equal(await waited, 4961)
assert.ok(Date.now() - goneAt >= 3000, `answered after ${Date.now() - goneAt} ms`)
await redis.xadd('jobs', '*', 'n', '2')
assert.deepEqual((await second)[0][1][0][1], ['n', '2'])
assert.ok(told.includes('ECONNREFUSED'))
assert.equal(told.filter((event) => event === 'ready').length, 3)
console.log(told.join(' '))

await redis.quit()
reader.disconnect()
console.log('ok')
