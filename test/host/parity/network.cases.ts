/** Servers and clients in one process, on the loopback of Node and of the world. */

import type { ParityCase } from './case.ts'

const NET = `import net from 'node:net'; import { once } from 'node:events'
      `
const HTTP = `import http from 'node:http'; import net from 'node:net'; import { once } from 'node:events'
      const serve = async (f) => { const s = http.createServer(f).listen(0, '127.0.0.1'); await once(s, 'listening'); return [s, { host: '127.0.0.1', port: s.address().port }] }
      const text = async (r) => { r.setEncoding('utf8'); let all = ''; for await (const t of r) all += t; return all }
      `

export const NETWORK: readonly ParityCase[] = [
  {
    claim: 'net: many connections at once, each served, close waits for all',
    source: `${NET}let open = 0; const s = net.createServer((c) => { open++; c.on('data', (d) => c.end(String(d) + '!')) }).listen(0, '127.0.0.1'); await once(s, 'listening')
      const ask = async (n) => { const c = net.connect(s.address().port, '127.0.0.1'); c.write('q' + n); let all = ''; for await (const d of c) all += d; return all }
      console.log(await Promise.all([1, 2, 3, 4, 5].map(ask)), open); s.close(() => console.log('closed'))`,
  },
  {
    claim: 'net: unreferenced servers and sockets keep nothing alive',
    source: `${NET}const s = net.createServer((c) => c.unref()).listen(0, '127.0.0.1'); await once(s, 'listening'); s.unref(); const c = net.connect(s.address().port, '127.0.0.1'); await once(c, 'connect'); c.unref(); console.log('last line'); process.on('exit', (code) => console.log('exit', code))`,
  },
  {
    claim: 'net: a line protocol over readline',
    source: `${NET}import readline from 'node:readline'
      const s = net.createServer(async (c) => { for await (const line of readline.createInterface({ input: c })) c.write(line.split('').reverse().join('') + '\\n'); c.end() }).listen(0, '127.0.0.1'); await once(s, 'listening')
      const c = net.connect(s.address().port, '127.0.0.1'); c.end('abc\\nde\\n'); for await (const line of readline.createInterface({ input: c })) console.log(line); s.close()`,
  },
  {
    claim: 'net: an uncaught error of a socket ends the process with 1',
    source: `${NET}process.on('exit', (code) => console.log('exit', code)); net.connect(1, '127.0.0.1')`,
  },
  {
    claim: 'http: bodies of a megabyte both ways, whole',
    source: `${HTTP}const [s, at] = await serve(async (q, r) => { let n = 0; for await (const d of q) n += d.length; r.end(Buffer.alloc(n, 'x')) })
      const q = http.request({ ...at, method: 'POST' }); q.end(Buffer.alloc(1 << 20)); const [r] = await once(q, 'response'); console.log(r.headers['content-length'], (await text(r)).length); s.close(); s.closeAllConnections()`,
  },
  {
    claim: 'http: concurrent requests over an agent of two sockets',
    source: `${HTTP}let most = 0, now = 0; const [s, at] = await serve((q, r) => { most = Math.max(most, ++now); setTimeout(() => { now--; r.end(q.url) }, 10) }); const agent = new http.Agent({ maxSockets: 2, keepAlive: true })
      const get = async (path) => { const [r] = await once(http.get({ ...at, path, agent }), 'response'); return text(r) }
      console.log(await Promise.all(['/1', '/2', '/3', '/4', '/5'].map(get)), most); agent.destroy(); s.close(() => console.log('closed'))`,
  },
  {
    claim: 'http: a graceful close lets the request in flight finish and refuses new ones',
    source: `${HTTP}const [s, at] = await serve((q, r) => setTimeout(() => r.end('late'), 60)); const q = http.get({ ...at, agent: false }); await once(s, 'request'); s.close(() => console.log('closed'))
      const [bad] = await once(http.get({ ...at, agent: false }).on('response', () => console.log('no')), 'close').then(() => ['gone'], (e) => [e.code]); console.log(bad); const [r] = await once(q, 'response'); console.log(await text(r))`,
  },
  {
    claim: 'http: raw bytes that are no HTTP are answered with 400, pipelined requests in order',
    source: `${HTTP}const [s, at] = await serve((q, r) => setTimeout(() => r.end(q.url), q.url === '/slow' ? 30 : 1)); s.on('clientError', (e, c) => { console.log(e.code); c.end('HTTP/1.1 400 Bad Request\\r\\n\\r\\n') })
      const talk = async (bytes) => { const c = net.connect(at.port, at.host); c.write(bytes); return text(c) }
      console.log(JSON.stringify(await talk('nonsense\\r\\n\\r\\n'))); const both = await talk('GET /slow HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET /fast HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'); console.log(both.indexOf('/slow') < both.indexOf('/fast'), both.match(/200 OK/g).length); s.close()`,
  },
  {
    claim: 'http: an upgrade hands the socket over on both sides',
    source: `${HTTP}const [s, at] = await serve(() => {}); s.on('upgrade', (q, c, head) => { c.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: upgrade\\r\\nUpgrade: x\\r\\n\\r\\n'); c.on('data', (d) => c.end('echo ' + d)) })
      const q = http.get({ ...at, headers: { Connection: 'upgrade', Upgrade: 'x' } }); const [r, c, head] = await once(q, 'upgrade'); console.log(r.statusCode, head.length); c.write('hi'); console.log(await text(c)); s.close()`,
  },
  {
    claim: 'http: a response that breaks off is an error with a code',
    source: `${HTTP}const [s, at] = await serve((q, r) => { r.writeHead(200, { 'Content-Length': 100 }); r.write('part'); setTimeout(() => r.destroy(), 20) }); const [r] = await once(http.get(at), 'response'); try { await text(r) } catch (e) { console.log(e.code, e.message, r.complete) } s.close()`,
  },
  {
    claim: 'http: back-pressure of a response reaches the one who writes it',
    source: `${HTTP}import { pipeline } from 'node:stream/promises'; import { Readable } from 'node:stream'
      const [s, at] = await serve((q, r) => pipeline(Readable.from((function* () { for (let k = 0; k < 50; k++) yield Buffer.alloc(9000, 48 + (k % 10)) })()), r).then(() => console.log('sent')))
      const [r] = await once(http.get(at), 'response'); let n = 0; for await (const d of r) { n += d.length; await new Promise(setImmediate) } console.log(n); s.close()`,
  },
]
