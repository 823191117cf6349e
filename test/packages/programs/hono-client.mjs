/** Asks the Hono server by node:http and by fetch; follows its events while it dies at 5 s. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const base = 'http://server'

async function ask(path, { method = 'GET', body, headers } = {}) {
  const request = http.request(base + path, { method, headers })
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const part of response.setEncoding('utf8')) text += part
  return { status: response.statusCode, headers: response.headers, text }
}

await pause(100)
const hello = await ask('/hello/node')
assert.deepEqual([hello.status, JSON.parse(hello.text)], [200, { hello: 'node' }])
assert.match(hello.headers['content-type'], /^application\/json/)
assert.equal(hello.headers['x-served'], '1')
assert.equal((await ask('/nowhere')).status, 404)
assert.deepEqual(await ask('/broken').then(({ status, text }) => [status, text]), [
  500,
  'failed: as asked',
])

const echo = {
  method: 'POST',
  body: '{"a":[1,"ü"]}',
  headers: { 'content-type': 'application/json' },
}
const byHttp = await ask('/echo?q=x', echo)
const byFetch = await fetch(`${base}/echo?q=x`, echo)
assert.deepEqual([byHttp.status, byFetch.status], [201, 201])
assert.deepEqual(JSON.parse(byHttp.text), await byFetch.json())

const parts = []
for await (const part of (await fetch(`${base}/parts`)).body)
  parts.push(Buffer.from(part).toString())
assert.deepEqual(parts, ['one ', 'two ', 'three'])

/** The events from now on, until the server ends them or is gone. */
async function follow() {
  const { body, headers } = await fetch(`${base}/events`)
  assert.match(headers.get('content-type'), /^text\/event-stream/)
  const ids = []
  try {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      const event = /event: tick\ndata: (\d+)\nid: (\d+)\n\n/.exec(part)
      assert.equal(Number(event[1]), Number(event[2]) * 10)
      ids.push(Number(event[2]))
    }
    return { ids, end: 'ended' }
  } catch (error) {
    return { ids, end: error.message }
  }
}

const cut = await follow()
console.log('events until', cut.ids.at(-1), cut.end)
assert.equal(cut.end, 'terminated')
assert.ok(cut.ids.length >= 5 && cut.ids.length < 30)

let attempts = 0
let again
while (again === undefined) {
  attempts += 1
  again = await fetch(`${base}/hello/again`).catch((error) => {
    assert.equal(error.cause.code, 'ECONNREFUSED')
  })
  if (again === undefined) await pause(250)
}
console.log('back after', attempts, 'attempts')
assert.ok(attempts > 3)
assert.equal(again.headers.get('x-served'), '1')
const whole = await follow()
assert.deepEqual([whole.ids.length, whole.end], [30, 'ended'])
console.log('ok')
process.exit()
