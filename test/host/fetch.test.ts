/** `fetch` and its classes: the same programs under Node's own and under the realm's undici. */

import { describe, expect, test } from 'vitest'
import { runInNode, runOne, runPrograms } from './run-program.ts'

const SERVER = `
import http from 'node:http'
import zlib from 'node:zlib'
const server = http.createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { pathname } = new URL(request.url, 'http://x')
  if (pathname === '/silent') return
  if (pathname === '/gone') return request.socket.destroy()
  if (pathname === '/half') { response.writeHead(200, { 'content-length': 10 }); response.write('1234'); return setTimeout(() => request.socket.destroy(), 20) }
  if (pathname === '/moved') return response.writeHead(302, { location: '/echo' }).end()
  if (pathname === '/gzip') { response.setHeader('content-encoding', 'gzip'); return response.end(zlib.gzipSync('packed')) }
  if (pathname === '/events') {
    response.setHeader('content-type', 'text/event-stream')
    let n = 0
    const timer = setInterval(() => { response.write('data: ' + ++n + '\\n\\n'); if (n === 3) { clearInterval(timer); response.end() } }, 30)
    return
  }
  const { 'user-agent': agent, 'content-type': type, connection } = request.headers
  response.setHeader('x-port', request.socket.remotePort)
  response.end(JSON.stringify({ method: request.method, url: request.url, agent, type, connection, body }))
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const base = 'http://127.0.0.1:' + server.address().port
const fails = async (promise) => {
  try { console.log('no error', await promise) }
  catch (error) { console.log(error.name, error.message, error.cause?.name, error.cause?.code) }
}
`

const CASES: readonly { readonly claim: string; readonly source: string }[] = [
  {
    claim: 'requests carry method, headers and body, and answers are read as text, JSON and bytes',
    source: `${SERVER}
      const first = await fetch(base + '/echo?a=1', { method: 'POST', body: JSON.stringify({ a: 1 }), headers: new Headers({ 'Content-Type': 'application/json' }) })
      console.log(first.status, first.ok, first.type, first.url === base + '/echo?a=1', await first.json())
      const second = await fetch(new Request(base + '/echo', { method: 'PUT', body: new URLSearchParams({ q: 'ä b' }) }))
      console.log(first.headers.get('x-port') === second.headers.get('x-port'), await second.clone().text(), (await second.arrayBuffer()).byteLength)
      console.log(await (await fetch(base + '/gzip')).text(), (await (await fetch(base + '/moved')).json()).url)
      console.log(await (await fetch('data:text/plain,hello')).text(), await (await (await fetch(base + '/gzip')).blob()).text())
      server.close(); server.closeAllConnections()`,
  },
  {
    claim: 'a body that comes in parts is read in parts, and one can be sent in parts',
    source: `${SERVER}
      const { body, headers } = await fetch(base + '/events')
      console.log(headers.get('content-type'), body instanceof ReadableStream)
      for await (const part of body.pipeThrough(new TextDecoderStream())) console.log(JSON.stringify(part))
      async function* parts() { for (const part of ['one', ' ', 'two']) { yield new TextEncoder().encode(part); await new Promise((r) => setTimeout(r, 10)) } }
      console.log((await (await fetch(base + '/echo', { method: 'POST', body: ReadableStream.from(parts()), duplex: 'half' })).json()).body)
      const reader = (await fetch(base + '/events')).body.getReader()
      console.log(new TextDecoder().decode((await reader.read()).value).trim())
      await reader.cancel()
      server.close(); server.closeAllConnections()`,
  },
  {
    claim:
      'a connection refused, cut or silent, an unknown name and an abort are the errors of Node',
    source: `${SERVER}
      await fails(fetch(base + '/gone'))
      await fails(fetch(base + '/half').then((answer) => answer.text()))
      await fails(fetch(base + '/silent', { signal: AbortSignal.timeout(100) }))
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 50)
      await fails(fetch(base + '/silent', { signal: controller.signal }))
      await fails(fetch('http://no-such.invalid/'))
      await fails(fetch('no address'))
      await fails(fetch(base + '/moved', { redirect: 'error' }))
      const { port } = server.address()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await new Promise((noticed) => setTimeout(noticed, 100))
      await fails(fetch('http://127.0.0.1:' + port))`,
  },
  {
    claim: 'forms, files and answers made by hand go through text and back',
    source: `
      const form = new FormData()
      form.append('name', 'value')
      form.append('file', new File(['content'], 'file.txt', { type: 'text/plain', lastModified: 0 }))
      form.append('file', new Blob(['more']))
      const back = await new Response(form).formData()
      for (const [key, value] of back) console.log(key, typeof value === 'string' ? value : [value.name, value.type, value.size, value instanceof File, await value.text()])
      console.log(Response.json({ a: 1 }).headers.get('content-type'), (await Response.json([1]).json()) instanceof Array, Response.error().type, Response.redirect('http://x/', 301).status)
      const request = new Request('http://x/', { method: 'post', headers: [['A', '1'], ['a', '2']], body: 'text' })
      console.log(request.method, request.headers.get('a'), [...request.headers], await request.text(), request.bodyUsed)
      for (const make of [() => new Request('nothing'), () => new Response('x', { status: 204 }), () => new Headers({ 'a b': '1' }), () => new Request('http://x/', { body: 'x' })]) {
        try { make(); console.log('made') } catch (error) { console.log(error.name, error instanceof TypeError) }
      }
      console.log(fetch.name, fetch.length, [Request, Response, Headers, FormData].map((Class) => Class.name).join(), Object.prototype.toString.call(new Headers()))`,
  },
]

describe('fetch: as Node’s own', () => {
  for (const { claim, source } of CASES) {
    test(claim, async () => {
      const [inNode, inWorld] = await Promise.all([runInNode(source), runOne(source)])
      expect(inWorld.err).toBe('')
      expect(inWorld.out).toBe(inNode.out)
      expect([inWorld.code, inNode.code]).toEqual([0, 0])
    })
  }
})

test('fetch: time is virtual, two runs are one, and nothing of it is loaded before its first use', async () => {
  const source = `${SERVER}
    console.log(Reflect.ownKeys(globalThis).some((key) => /undici/i.test(String(key))))
    await fails(fetch(base + '/silent', { signal: AbortSignal.timeout(90_000) }))
    const form = new FormData()
    form.append('a', 'b')
    console.log((await (await fetch(base, { method: 'POST', body: form })).json()).type, Math.round(performance.now() / 1000))
    process.exit()`
  const [one, two] = [await runOne(source), await runOne(source)]
  expect(one.out).toMatch(/^false\nTimeoutError .*\nmultipart\/form-data; boundary=\S+ 90\n$/)
  expect(one.digest).toBe(two.digest)
  expect((await runOne(source, { seed: 'other' })).out).not.toBe(one.out)
})

test('fetch: https is refused with what to use', async () => {
  const { out } = await runOne(`${SERVER}
    try { await fetch(base.replace('http:', 'https:')) } catch (error) { console.log(error.cause.code, error.cause.message) }
    process.exit()`)
  expect(out).toMatch(/^ERR_NOT_IN_WORLD tls\.connect does not exist inside the world.*http:\/\//)
})

test('fetch: an undici of the program’s own has classes of its own and the same dispatcher', async () => {
  const { out, err } = await runOne(`${SERVER}
    import { Agent, Response as Other, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
    let counted = 0
    setGlobalDispatcher(new Agent().compose((dispatch) => (options, handler) => { counted += 1; return dispatch(options, handler) }))
    await (await fetch(base)).text()
    console.log(counted, Other === Response)
    process.exit()`)
  expect(err).toBe('')
  expect(out).toBe('1 false\n')
})

test('blobs of node:buffer and of stream/consumers are the realm’s, which wait for no other thread', async () => {
  const { out, err } = await runOne(`
    import * as buffer from 'node:buffer'
    import { blob } from 'node:stream/consumers'
    import { Readable } from 'node:stream'
    const read = await blob(Readable.from(['ab', Buffer.from('c')], { objectMode: false }))
    console.log(buffer.Blob === Blob, buffer.File === File, read instanceof Blob, await read.text(), Date.now() % 1000)`)
  expect(err).toBe('')
  expect(out).toBe('true true true abc 0\n')
})

test('fetch: a file under test has it too, although it may import nothing from outside its folder', async () => {
  const { stdout, stderr } = await runPrograms({
    processes: { main: { source: `import '#exercises/x.ts'`, as: 'app/main.mjs' } },
    files: {
      'target/x.ts': `import http from 'node:http'
        const server = http.createServer((_, response) => response.end('answer')).listen(80)
        await new Promise((listening) => server.on('listening', listening))
        const text: string = await (await fetch('http://main/')).text()
        console.log(text)
        process.exit()`,
    },
    overlay: (dir) => ({
      labDir: dir,
      targetDir: `${dir}/target`,
      exerciseDirs: [`${dir}/target`],
      exercises: { 'x.ts': `${dir}/target/x.ts` },
    }),
  })
  expect([stdout.main, stderr.main]).toEqual(['answer\n', ''])
})
