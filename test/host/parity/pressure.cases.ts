/**
 * Back-pressure over a connection: a reader who stands still stops the writer, in Node after some
 * megabytes (the system's buffers, which grow), in the world after 64 KiB. So the programs print
 * whether and what, never how much.
 */

import type { ParityCase } from './case.ts'

/** `pair(f)`: the two ends of a connection; `still(f)`: when `f()` has not changed for a while. */
const PAIR = `import net from 'node:net'; import { once } from 'node:events'; import { createHash } from 'node:crypto'; import { setTimeout as sleep } from 'node:timers/promises'
      const server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true }).listen(0, '127.0.0.1'); await once(server, 'listening')
      const near = net.connect({ port: server.address().port, host: '127.0.0.1' }); const [far] = await once(server, 'connection'); server.close()
      const MIB = 1 << 20; const hashOf = async (stream) => { const h = createHash('sha1'); let n = 0; for await (const d of stream) { h.update(d); n += d.length } return n + ' ' + h.digest('hex') }
      const still = async (f) => { for (let last = -1; last !== f(); await sleep(200)) last = f() }
      `

export const PRESSURE: readonly ParityCase[] = [
  {
    claim:
      'a paused reader makes write answer false and holds drain back; all arrives after resume',
    source: `${PAIR}const TOTAL = 512; let sent = 0; const h = createHash('sha1')
      const writer = (async () => { for (; sent < TOTAL; sent++) { const d = Buffer.alloc(32 * 1024, sent); h.update(d); if (!near.write(d)) await once(near, 'drain') } near.end() })()
      await still(() => sent); console.log('stopped before the end', sent < TOTAL, near.writableNeedDrain, near.writableLength > 0, near.writableLength <= 48 * 1024)
      const read = await hashOf(far); await writer; console.log(read === TOTAL * 32 * 1024 + ' ' + h.digest('hex'), near.writableNeedDrain, near.bytesWritten === TOTAL * 32 * 1024); far.end()`,
  },
  {
    claim: 'small writes are done with at once, though nobody reads',
    source: `${PAIR}for (let k = 0; k < 20; k++) console.log(near.write('x'.repeat(100), () => k === 19 && console.log('done'))); await sleep(50); console.log(near.writableLength); near.end(); far.resume(); far.end()`,
  },
  {
    claim: 'who does not wait for drain keeps all of it in its own buffer, and calls back in order',
    source: `${PAIR}let done = 0; const order = []; for (let k = 0; k < 32; k++) near.write(Buffer.alloc(MIB, k), () => { done++; order.push(k) })
      await still(() => done); console.log(done < 32, near.writableLength > MIB, order.every((n, k) => n === k)); near.end(); const read = await hashOf(far); console.log(read.split(' ')[0] / MIB, done, order.every((n, k) => n === k)); far.end()`,
  },
  {
    claim: 'pipe asks its source for no more while the reader stands still',
    source: `${PAIR}import { Readable } from 'node:stream'; let asked = 0; const source = new Readable({ read() { asked++; this.push(asked > 2000 ? null : Buffer.alloc(16 * 1024, asked)) } })
      source.pipe(near); await still(() => asked); console.log('asked for all', asked > 2000, source.isPaused()); console.log((await hashOf(far)).split(' ')[0] / 1024, asked); far.end()`,
  },
  {
    claim: 'pipeline of three over two connections passes the pressure on to the source',
    source: `${PAIR}import { pipeline } from 'node:stream/promises'; import { Readable } from 'node:stream'
      const second = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1'); await once(second, 'listening'); const on = net.connect({ port: second.address().port, host: '127.0.0.1' }); const [last] = await once(second, 'connection'); second.close()
      let asked = 0; const source = Readable.from((function* () { for (; asked < 2000; asked++) yield Buffer.alloc(16 * 1024, asked) })())
      const ways = Promise.all([pipeline(source, near), pipeline(far, on)]); await still(() => asked); console.log('asked for all', asked === 2000); console.log((await hashOf(last)).split(' ')[0] / 1024); last.end(); await ways; far.end(); console.log('both done')`,
  },
  {
    claim: 'end with more than there is room for: finish waits for the reader',
    source: `${PAIR}near.on('finish', () => console.log('finish')); near.end(Buffer.alloc(32 * MIB)); await sleep(300); console.log('reads'); console.log((await hashOf(far)).split(' ')[0] / MIB); far.end(); await once(near, 'close'); console.log('close')`,
  },
  {
    claim: 'pause and resume in turns: every byte once, in order',
    source: `${PAIR}let next = 0, good = true; far.on('data', (d) => { for (const b of d) good &&= b === next++ % 251; far.pause(); setTimeout(() => far.resume(), 1) }).on('end', () => { console.log(next, good); far.end() }); far.resume()
      const all = Buffer.from(Array.from({ length: 700_000 }, (_, k) => k % 251)); for (let k = 0; k < all.length; k += 10_000) if (!near.write(all.subarray(k, k + 10_000))) await once(near, 'drain'); near.end()`,
  },
  {
    claim:
      'a reader that goes away under a writer who waits: an error, and the callbacks are called',
    source: `${PAIR}let called = 0; for (let k = 0; k < 32; k++) near.write(Buffer.alloc(MIB), () => called++); await still(() => called); near.on('error', (e) => console.log(/^(ECONNRESET|EPIPE)$/.test(e.code))); far.destroy(); await once(near, 'close'); await sleep(10); console.log(called)`,
  },
  {
    claim: 'a writer that gives up while it waits: its callbacks are called, close comes',
    source: `${PAIR}let called = 0; for (let k = 0; k < 32; k++) near.write(Buffer.alloc(MIB), () => called++); await still(() => called); far.on('error', () => {}); near.destroy(); await once(near, 'close'); await sleep(10); console.log(called, near.errored); far.destroy()`,
  },
  {
    claim: 'http: a slow client makes response.write answer false, drain comes, the body is whole',
    source: `import http from 'node:http'; import { once } from 'node:events'; import { setTimeout as sleep } from 'node:timers/promises'
      let written = 0; const s = http.createServer(async (q, r) => { for (; written < 1000; written++) if (!r.write(Buffer.alloc(16 * 1024))) await once(r, 'drain'); r.end() }).listen(0, '127.0.0.1'); await once(s, 'listening')
      const [r] = await once(http.get({ port: s.address().port, host: '127.0.0.1', agent: false }), 'response'); for (let last = -1; last !== written; await sleep(200)) last = written
      console.log('all written', written === 1000); let n = 0; for await (const d of r) n += d.length; console.log(n / 1024, written); s.close()`,
  },
  {
    claim: 'http: a slow server holds an upload back',
    source: `import http from 'node:http'; import { once } from 'node:events'; import { Readable } from 'node:stream'; import { setTimeout as sleep } from 'node:timers/promises'
      let go; const gate = new Promise((r) => { go = r }); const s = http.createServer(async (q, r) => { await gate; let n = 0; for await (const d of q) n += d.length; r.end(String(n / 1024)) }).listen(0, '127.0.0.1'); await once(s, 'listening')
      let asked = 0; const q = http.request({ port: s.address().port, host: '127.0.0.1', method: 'POST', agent: false }); Readable.from((function* () { for (; asked < 2000; asked++) yield Buffer.alloc(16 * 1024) })()).pipe(q)
      for (let last = -1; last !== asked; await sleep(200)) last = asked; console.log('asked for all', asked === 2000); go(); const [r] = await once(q, 'response'); r.setEncoding('utf8'); let all = ''; for await (const t of r) all += t; console.log(all, asked); s.close()`,
  },
]
