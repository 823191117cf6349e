/**
 * Programs that print the same under Node and inside the world. One process each, ports chosen freely.
 */

export interface NetworkCase {
  readonly title: string
  readonly source: string
}

const NET = "import net from 'node:net'\n"
const HTTP = "import http from 'node:http'\nimport net from 'node:net'\n"

const listen = (server: string, then: string) =>
  `const server = ${server}\nserver.listen(0, '127.0.0.1', () => {\nconst { port } = server.address()\n${then}\n})\n`

export const networkCases: readonly NetworkCase[] = [
  {
    title: 'net: a connection tells connect, ready, data, end, finish, close in this order',
    source: `${NET}${listen(
      "net.createServer((s) => { s.on('data', (d) => { console.log('server', String(d)); s.end('bye') }); s.on('close', (e) => { console.log('server close', e); server.close(() => console.log('closed')) }) })",
      `const c = net.connect(port, '127.0.0.1')
       console.log(c.connecting, c.pending, c.readyState)
       for (const e of ['connect','ready','data','end','finish','close','lookup','timeout']) c.on(e, (a) => console.log(e, String(a)))
       c.on('connect', () => console.log(c.connecting, c.readyState, c.remoteAddress, c.remoteFamily, c.remotePort === port, c.localAddress))
       console.log(c.write('hi', () => console.log('written')))`,
    )}`,
  },
  {
    title: 'net: refused, unknown name and bad arguments',
    source: `${NET}
      const show = (e) => console.log(e.name, e.code, e.syscall, e.address, e.port, e.hostname, e.message, e.errno)
      net.connect(1, '127.0.0.1').on('error', show).on('close', (h) => console.log('close', h))
      net.connect({ port: 80, host: 'no-such.invalid' }).on('lookup', (...a) => console.log(a.length, a[3])).on('error', (e) => setTimeout(show, 100, e))
      for (const args of [[70000], [-1], ['x1'], [{}], [{ port: 'abc' }], [{ port: null }]]) {
        try { net.connect(...args).on('error', () => {}).destroy() ; console.log('no error') } catch (e) { console.log(e.name, e.code, e.message) }
      }
      try { new net.Socket().setTimeout(-1) } catch (e) { console.log(e.code, e.message) }`.replace(
      "['x1'], ",
      '',
    ),
  },
  {
    title: 'net: half-open connections go on in one direction',
    source: `${NET}${listen(
      "net.createServer({ allowHalfOpen: true }, (s) => { let all = ''; s.on('data', (d) => { all += d }); s.on('end', () => { console.log('got', all, s.writable, s.readyState); setTimeout(() => s.end('answer'), 20) }); s.on('close', () => server.close()) })",
      `const c = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
       c.end('question')
       c.on('finish', () => console.log('finish', c.readyState)).on('data', (d) => console.log(String(d))).on('end', () => console.log('end')).on('close', (e) => console.log('close', e))`,
    )}`,
  },
  {
    title: 'net: everything arrives when the reader pauses, and bytes are counted',
    source: `${NET}${listen(
      "net.createServer((s) => { let n = 0; s.on('data', (d) => { n += d.length; if (n < 300000) { s.pause(); setTimeout(() => s.resume(), 1) } }); s.on('end', () => { console.log('got', n, s.bytesRead === n) ; s.end() }) ; server.close() })",
      `const c = net.connect(port, '127.0.0.1')
       c.resume()
       for (let k = 0; k < 10; k++) c.write(Buffer.alloc(50000, k))
       console.log(c.bytesWritten)
       c.end(() => console.log('ended', c.bytesWritten))
       c.on('close', () => console.log('close', c.bytesWritten, c.bytesRead))`,
    )}`,
  },
  {
    title: 'net: a timeout is an event and ends nothing; activity puts it off',
    source: `${NET}${listen(
      "net.createServer((s) => { s.resume(); s.on('end', () => server.close()) })",
      `const c = net.connect(port, '127.0.0.1')
       let n = 0
       c.setTimeout(150, () => { console.log('timeout', n, c.destroyed, c.timeout); c.end() })
       const t = setInterval(() => { if (++n === 3) clearInterval(t); c.write('x') }, 80)
       c.on('close', (e) => console.log('close', e))`,
    )}`,
  },
  {
    title: 'net: a taken port is EADDRINUSE; listening twice and closing twice are errors',
    source: `${NET}${listen(
      'net.createServer()',
      `const other = net.createServer()
       other.on('error', (e) => { console.log(e.code, e.syscall, e.address, e.port === port, e.message.replace(String(port), 'PORT'), other.listening); 
         try { server.listen(0) } catch (e) { console.log(e.code, e.message) }
         server.close((e) => { console.log('closed', e, server.listening, server.address()); server.close((e) => console.log(e.code, e.message)) }) })
       other.listen(port, '127.0.0.1')`,
    )}`,
  },
  {
    title: 'net: destroyed before it is connected',
    source: `${NET}${listen(
      'net.createServer()',
      `const c = net.connect(port, '127.0.0.1')
       c.write('x', (e) => console.log('write', e && e.code))
       c.on('error', (e) => console.log('error', e.message)).on('connect', () => console.log('connect')).on('close', (h) => { console.log('close', h); server.close() })
       c.destroy()
       console.log(c.connecting, c.destroyed, c.readyState)`,
    )}`,
  },
  {
    title: 'net: a reset is ECONNRESET for the other side',
    source: `${NET}${listen(
      "net.createServer((s) => { s.on('error', (e) => console.log('server', e.code, e.syscall, e.message)); s.on('close', (h) => { console.log('server close', h); server.close() }); s.on('end', () => console.log('end')); s.resume() })",
      `const c = net.connect(port, '127.0.0.1', () => setTimeout(() => c.resetAndDestroy(), 20))
       c.on('error', (e) => console.log('error', e.code))`,
    )}`,
  },
  {
    title: 'net: a server waits for its connections before it is closed',
    source: `${NET}${listen(
      "net.createServer((s) => { s.on('end', () => console.log('end')); server.close(() => console.log('closed')); server.getConnections((e, n) => { console.log(e, n); s.end() }) })",
      `net.connect(port, '127.0.0.1').on('close', () => console.log('client close')).resume()`,
    )}`,
  },
  {
    title: 'net: writing after the end, and after the other side has ended',
    source: `${NET}${listen(
      "net.createServer((s) => { s.end('x') ; s.resume(); s.on('close', () => server.close()) })",
      `const c = net.connect(port, '127.0.0.1')
       c.on('error', (e) => console.log('error', e.code, e.message)).on('close', (h) => console.log('close', h))
       c.on('end', () => { console.log('end', c.writable); c.write('late', (e) => console.log('late', e)); setTimeout(() => { console.log(c.writableEnded); c.write('later', (e) => console.log('later', e.code)) }, 20) }).resume()`,
    )}`,
  },
  {
    title: 'net: an aborted signal ends a connection and a server',
    source: `${NET}const ac = new AbortController()
      const server = net.createServer().listen({ port: 0, signal: ac.signal })
      server.on('close', () => console.log('server closed'))
      const bc = new AbortController()
      server.on('listening', () => {
        const c = net.connect({ port: server.address().port, host: '127.0.0.1', signal: bc.signal })
        c.on('connect', () => bc.abort()).on('error', (e) => console.log(e.name, e.code)).on('close', () => ac.abort())
      })`,
  },
  {
    title: 'net: connections above maxConnections are dropped; classes work without new',
    source: `${NET}const server = net.Server((s) => { s.on('error', () => {}) })
      server.maxConnections = 1
      server.on('drop', (d) => console.log('drop', d.remoteFamily, typeof d.remotePort))
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address()
        const a = net.Socket(); console.log(a instanceof net.Socket, a instanceof net.Stream)
        a.connect({ port, host: '127.0.0.1' }, () => {
          const b = net.createConnection({ port, host: '127.0.0.1' })
          b.on('error', (e) => {}).on('close', () => { console.log('b closed'); a.destroy(); server.close() }).resume()
        })
      })`,
  },
  {
    title: 'net: async iteration and pipe',
    source: `${NET}const server = net.createServer((s) => s.pipe(s))
      server.listen(0, '127.0.0.1', async () => {
        const c = net.connect(server.address().port, '127.0.0.1')
        c.setEncoding('utf8'); c.write('äö'); c.end('ü')
        let all = ''
        for await (const part of c) all += part
        console.log(all); server.close()
      })`,
  },
  {
    title: 'http: a request with a body, an answer with headers, in Node’s order',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { let b = ''; q.on('data', (d) => { b += d }).on('end', () => { r.setHeader('X-A', '1'); r.setHeader('Set-Cookie', ['a=1', 'b=2']); r.end(q.method + q.url + q.httpVersion + JSON.stringify(q.headers).replace(/\\d{4,5}/, 'PORT') + b) }) })",
      `const q = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/p?x=1', headers: { 'X-B': 'b' } }, (r) => {
        console.log(r.statusCode, r.statusMessage, r.rawHeaders.map((h) => /GMT$/.test(h) ? 'DATE' : h).join('|'))
        r.setEncoding('utf8'); r.on('data', (d) => console.log(d)).on('end', () => { console.log(r.complete); server.close(() => console.log('closed')) })
      })
      q.on('socket', () => console.log('socket')).on('finish', () => console.log('finish')).on('close', () => console.log('close'))
      q.write('one'); q.end('two')`,
    )}`,
  },
  {
    title: 'http: an agent with keepAlive uses its socket again; a queue keeps its order',
    source: `${HTTP}${listen(
      'http.createServer((q, r) => r.end(q.url + (q.socket.n ??= Math.floor(Math.random() * 0) + 1)))',
      `const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      let left = 4
      const ports = new Set()
      for (const path of ['/a', '/b', '/c', '/d']) {
        const q = http.get({ port, host: '127.0.0.1', path, agent }, (r) => {
          ports.add(q.socket.localPort)
          r.on('data', (d) => console.log(String(d), q.reusedSocket, r.headers.connection, r.headers['keep-alive'])).on('end', () => { if (--left === 0) setTimeout(() => { console.log(ports.size, Object.keys(agent.freeSockets).length); agent.destroy(); server.close(() => console.log('closed')) }, 10) })
        })
      }
      console.log(Object.values(agent.requests)[0].length)`,
    )}`,
  },
  {
    title: 'http: a server that hangs up is ECONNRESET; a refused one ECONNREFUSED',
    source: `${HTTP}${listen(
      'http.createServer((q) => q.socket.destroy())',
      `http.get({ port, host: '127.0.0.1' }).on('error', (e) => { console.log(e.code, e.message); server.close()
        http.get('http://127.0.0.1:1/').on('error', (e) => console.log(e.code, e.message, e.port)).on('close', () => console.log('close')) })`,
    )}`,
  },
  {
    title: 'http: an aborted request, and a destroyed one',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { q.on('close', () => console.log('server close')); r.write('x') })",
      `const ac = new AbortController()
      const q = http.get({ port, host: '127.0.0.1', signal: ac.signal }, (r) => { r.on('error', (e) => console.log('r', e.name, e.code)).on('data', () => ac.abort()) })
      q.on('error', (e) => console.log('q', e.name, e.code)).on('close', () => {
        const p = http.get({ port, host: '127.0.0.1' }); p.on('error', (e) => { console.log('p', e.code, e.message); server.close(() => console.log('closed')) }); p.destroy() })`,
    )}`,
  },
  {
    title: 'http: chunks, trailers, server-sent events',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { r.writeHead(200, { 'Content-Type': 'text/event-stream', Trailer: 'X-T' }); let n = 0; const t = setInterval(() => { r.write('data: ' + ++n + '\\n\\n'); if (n === 3) { clearInterval(t); r.addTrailers({ 'X-T': 'end' }); r.end() } }, 10) })",
      `http.get({ port, host: '127.0.0.1' }, (r) => {
        console.log(r.headers['transfer-encoding'])
        r.on('data', (d) => console.log(JSON.stringify(String(d)))).on('end', () => { console.log(r.trailers); server.close() }) })`,
    )}`,
  },
  {
    title: 'http: Expect: 100-continue, HEAD, 204 and 304 have no body',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { q.resume(); if (q.url === '/204') { r.writeHead(204); r.end() } else if (q.url === '/304') { r.statusCode = 304; r.end() } else r.end('body') })",
      `const get = (o) => new Promise((f) => { const q = http.request({ port, host: '127.0.0.1', ...o }, (r) => { let b = ''; r.on('data', (d) => { b += d }).on('end', () => { console.log(o.method, o.path, r.statusCode, r.rawHeaders.map((h) => /GMT$/.test(h) ? 'DATE' : h).join('|'), JSON.stringify(b)); f() }) }); q.on('continue', () => { console.log('continue'); q.end('x') }); if (!o.headers) q.end(); else q.flushHeaders() })
      await get({ method: 'HEAD', path: '/' }); await get({ method: 'GET', path: '/204' }); await get({ method: 'GET', path: '/304' }); await get({ method: 'PUT', path: '/', headers: { Expect: '100-continue' } })
      server.close()`,
    ).replace("'127.0.0.1', () =>", "'127.0.0.1', async () =>")}`,
  },
  {
    title: 'http: header forms of writeHead, own Date, no Date',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { switch (q.url) { case '/1': r.writeHead(200, 'Fine', { A: 1, b: ['x', 'y'] }); break; case '/2': r.writeHead(200, ['A', '1', 'A', '2']); break; case '/3': r.setHeader('Q', 'q'); r.writeHead(201, { Z: 'z' }); break; case '/4': r.sendDate = false; break; case '/5': r.setHeader('Date', 'mine'); break; case '/6': r.removeHeader('connection'); r.setHeader('Content-Length', 2); break } r.end('ok') })",
      `for (const path of ['/1', '/2', '/3', '/4', '/5', '/6', '/7']) await new Promise((f) => http.get({ port, host: '127.0.0.1', path, agent: false }, (r) => { console.log(r.statusCode, r.statusMessage, r.rawHeaders.map((h) => /GMT$/.test(h) ? 'DATE' : h).join('|')); r.on('end', f).resume() }))
      server.close()`,
    ).replace("'127.0.0.1', () =>", "'127.0.0.1', async () =>")}`,
  },
  {
    title: 'http: timeouts of requests, and idle connections that the server ends',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { if (q.url === '/slow') return; r.end('ok') })",
      `server.keepAliveTimeout = 50
      const q = http.get({ port, host: '127.0.0.1', path: '/slow', timeout: 60 }, () => {})
      q.on('timeout', () => { console.log('timeout'); q.destroy() }).on('error', (e) => { console.log(e.code, e.message)
        const agent = new http.Agent({ keepAlive: true })
        http.get({ port, host: '127.0.0.1', agent }, (r) => { r.resume(); r.on('end', () => console.log('end')); r.socket.on('close', () => { console.log('socket closed'); server.close() }) }) })`,
    )}`,
  },
  {
    title: 'http: a head that takes too long is answered with 408',
    source: `${HTTP}${listen(
      "http.createServer({ headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 40 }, (q, r) => r.end('ok'))",
      `const c = net.connect(port, '127.0.0.1', () => c.write('GET / HTTP/1.1\\r\\nHost: x\\r\\n'))
      c.on('data', (d) => console.log(JSON.stringify(String(d)))).on('close', () => { console.log('close'); server.close() })`,
    )}`,
  },
  {
    title: 'http: upgrade, pipelining and bad requests on raw sockets',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { r.sendDate = false; setTimeout(() => r.end(q.url), q.url === '/1' ? 30 : 1) }).on('upgrade', (q, s, head) => { console.log('upgrade', q.headers.upgrade, String(head)); s.write('HTTP/1.1 101 Switching Protocols\\r\\n\\r\\n'); s.write(head); s.pipe(s) })",
      `const send = (text) => new Promise((f) => { const c = net.connect(port, '127.0.0.1', () => c.write(text)); let all = ''; c.on('data', (d) => { all += d; if (/pong/.test(all)) c.end() }).on('close', () => { console.log(JSON.stringify(all.replace(/Date: [^\\r]*/, 'Date'))); f() }) })
      await send('GET /1 HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nGET /2 HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n')
      await send('nonsense\\r\\n\\r\\n'); await send('GET / HTTP/1.1\\r\\n\\r\\n')
      await send('GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\npong')
      server.close(() => console.log('closed'))`,
    ).replace("'127.0.0.1', () =>", "'127.0.0.1', async () =>")}`,
  },
  {
    title: 'http: closing idle connections, then all',
    source: `${HTTP}${listen(
      "http.createServer((q, r) => { if (q.url === '/busy') r.write('x'); else r.end('ok') })",
      `const agent = new http.Agent({ keepAlive: true })
      http.get({ port, host: '127.0.0.1', path: '/busy', agent }, (r) => { r.on('error', (e) => console.log('busy', e.code)); r.resume()
        http.get({ port, host: '127.0.0.1', agent }, (s) => { const { socket } = s; s.resume(); s.on('end', () => setTimeout(() => {
          socket.on('close', () => { console.log('idle closed'); server.closeAllConnections() })
          server.close(() => console.log('closed')) }, 10)) }) })`,
    )}`,
  },
  {
    title: 'http: classes without new, subclasses, an agent of one’s own, globalAgent',
    source: `${HTTP}const server = http.Server((q, r) => r.end('ok'))
      console.log(server instanceof http.Server, server instanceof net.Server, http.Agent() instanceof http.Agent)
      class Mine extends http.Agent { createConnection(o, cb) { console.log('mine', o.host, o.path); return super.createConnection(o, cb) } }
      class S extends http.Server { constructor(f) { super(f); this.tag = 's' } }
      const s = new S((q, r) => r.end('sub')); console.log(s.tag, s instanceof S, s.timeout, s.keepAliveTimeout, s.headersTimeout, s.requestTimeout)
      s.listen(0, '127.0.0.1', () => {
        const port = s.address().port
        http.globalAgent = new Mine({ keepAlive: false })
        const q = http.get('http://127.0.0.1:' + port + '/u', { headers: { a: 'b' } }, (r) => { console.log(q instanceof http.ClientRequest, q instanceof http.OutgoingMessage, r instanceof http.IncomingMessage, r.headers.connection); r.on('data', (d) => console.log(String(d))).on('end', () => s.close(() => console.log('closed'))) })
        console.log(q.getHeaders(), q.path, q.method, q.host === '127.0.0.1')
      })`.replace('console.log(q.getHeaders(), ', 'console.log('),
  },
  {
    title: 'http: pipeline from a file-like stream with back-pressure; a large body arrives whole',
    source: `${HTTP}import { pipeline } from 'node:stream/promises'
      import { Readable } from 'node:stream'
      import { createHash } from 'node:crypto'
      const server = http.createServer((q, r) => pipeline(q, r))
      server.listen(0, '127.0.0.1', () => {
        const q = http.request({ port: server.address().port, host: '127.0.0.1', method: 'POST' }, async (r) => {
          const h = createHash('sha256'); let n = 0
          for await (const d of r) { h.update(d); n += d.length }
          console.log(n, h.digest('hex')); server.close()
        })
        Readable.from((function* () { for (let k = 0; k < 64; k++) yield Buffer.alloc(10000, k) })()).pipe(q)
      })`,
  },
]
