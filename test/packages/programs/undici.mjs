/** Undici's request, stream, fetch and pool; its server is killed at 20 s and is back at 23 s. */

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, Client, errors, fetch, Pool, request, setGlobalDispatcher, stream } from 'undici'

const base = 'http://server'

await pause(100)
const { statusCode, headers, body } = await request(`${base}/a?b=c`, {
  method: 'POST',
  body: 'text',
})
const first = await body.json()
assert.deepEqual([statusCode, headers['content-type']], [200, 'application/json'])
assert.deepEqual([first.method, first.url, first.body], ['POST', '/a?b=c', 'text'])

// One connection is kept for those that come one after another, until nothing has come for 4 s.
const ask = async (client, path = '/') =>
  (await client.request({ path, method: 'GET' })).body.json()
const client = new Client(base)
const kept = [await ask(client), await ask(client), await ask(client)]
assert.equal(new Set(kept.map(({ connection }) => connection)).size, 1)
await pause(6000)
assert.notEqual((await ask(client)).connection, kept[0].connection)
await client.close()

const pool = new Pool(base, { connections: 3 })
const many = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(pool, `/${n}`)))
assert.deepEqual(
  many.map(({ url }) => url),
  Array.from({ length: 12 }, (_, n) => `/${n}`),
)
assert.equal(new Set(many.map(({ connection }) => connection)).size, 3)

let bytes = 0
await stream(`${base}/long`, { method: 'GET' }, () => {
  return new Writable({
    write(part, _encoding, done) {
      bytes += part.length
      setTimeout(done, 1)
    },
  })
})
assert.equal(bytes, 200_000)
assert.equal((await (await fetch(`${base}/long`)).text()).length, 200_000)

const silentSince = Date.now()
await assert.rejects(
  request(`${base}/silent`, { headersTimeout: 2000 }),
  errors.HeadersTimeoutError,
)
const waitedMs = Date.now() - silentSince
assert.ok(waitedMs >= 1900 && waitedMs < 4500, `${waitedMs} ms`)
const controller = new AbortController()
setTimeout(() => controller.abort(), 300)
await assert.rejects(request(`${base}/silent`, { signal: controller.signal }), {
  name: 'AbortError',
})
await assert.rejects(request(`${base}/drop`), errors.SocketError)
console.log('at', Date.now() - first.time, 'ms')

setGlobalDispatcher(new Agent({ connections: 1, connect: { timeout: 1000 } }))
const refused = []
for (let n = 0; Date.now() - first.time < 30_000; n += 1) {
  try {
    await ask(pool, `/poll/${n}`)
  } catch (error) {
    refused.push(error.code)
  }
  await pause(500)
}
console.log(refused.join(' '))
assert.ok(refused.includes('ECONNREFUSED'))
assert.ok(refused.length >= 5 && refused.length <= 8)
assert.equal((await (await fetch(base)).json()).url, '/')
await pool.close()
console.log('ok')
process.exit()
