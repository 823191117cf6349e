/** Emitters, streams and what bears back on their sources. */

import type { ParityCase } from './case.ts'

const STREAM = `import { Readable, Writable, Transform, Duplex, PassThrough, pipeline, finished, addAbortSignal } from 'node:stream'
      import * as promises from 'node:stream/promises'
      `
const EVENTS = `import { EventEmitter, on, once, errorMonitor, captureRejectionSymbol, getEventListeners, setMaxListeners } from 'node:events'
      `

export const STREAMS: readonly ParityCase[] = [
  {
    claim: 'events.once: value, several values, error, abort',
    source: `${EVENTS}const e = new EventEmitter()
      setTimeout(() => e.emit('a', 1, 2), 1); console.log(await once(e, 'a'))
      setTimeout(() => e.emit('error', new Error('bad')), 1); await once(e, 'a').catch((x) => console.log(x.message))
      setTimeout(() => e.emit('error', 'value'), 1); console.log(await once(e, 'error'))
      const ac = new AbortController(); setTimeout(() => ac.abort(), 1); await once(e, 'a', { signal: ac.signal }).catch((x) => console.log(x.name, x.code)); console.log(e.listenerCount('a'), e.listenerCount('error'))`,
  },
  {
    claim: 'events.on: a queue, a break, an error, an abort',
    source: `${EVENTS}const e = new EventEmitter()
      setTimeout(() => { e.emit('x', 1); e.emit('x', 2); e.emit('x', 3) }, 1)
      for await (const [v] of on(e, 'x')) { console.log(v); if (v === 3) break }
      console.log(e.listenerCount('x'))
      setTimeout(() => { e.emit('x', 4); e.emit('error', new Error('bad')) }, 1)
      try { for await (const [v] of on(e, 'x')) console.log(v) } catch (x) { console.log(x.message) }
      const ac = new AbortController(); setTimeout(() => ac.abort(), 1)
      try { for await (const _ of on(e, 'x', { signal: ac.signal })); } catch (x) { console.log(x.code) }`,
  },
  {
    claim: 'an emitter: prepend, once, newListener, removal within emit, monitor',
    source: `${EVENTS}const e = new EventEmitter(); e.on('newListener', (n) => console.log('new', n)); e.on('removeListener', (n) => console.log('gone', n))
      e.on('a', () => { console.log(1); e.removeAllListeners('a') }); e.on('a', () => console.log(2)); e.prependListener('a', () => console.log(0)); e.once('a', () => console.log(3)); console.log(e.emit('a'), e.emit('a'), e.eventNames())
      e.on(errorMonitor, (x) => console.log('monitor', x.message)); try { e.emit('error', new Error('m')) } catch (x) { console.log('thrown', x.message) }
      try { e.emit('error', { no: 'error' }) } catch (x) { console.log(x.code) } console.log(getEventListeners(e, errorMonitor).length)`,
  },
  {
    claim: 'captureRejections sends a rejection to error, or to its own method',
    source: `${EVENTS}const e = new EventEmitter({ captureRejections: true }); e.on('a', async () => { throw new Error('async') }); e.on('error', (x) => console.log('error', x.message)); e.emit('a')
      class Own extends EventEmitter { constructor() { super({ captureRejections: true }) } [captureRejectionSymbol](x, name) { console.log('own', x.message, name) } }
      const o = new Own(); o.on('b', async () => { throw new Error('b') }); o.emit('b')`,
  },
  {
    claim: 'too many listeners are warned of once',
    source: `${EVENTS}process.on('warning', (w) => console.log(w.name, w.count, w.type)); const e = new EventEmitter(); for (let k = 0; k < 13; k++) e.on('x', () => {})
      const quiet = new EventEmitter(); setMaxListeners(20, quiet); for (let k = 0; k < 13; k++) quiet.on('x', () => {})`,
  },
  {
    claim: 'a full writable says false and tells drain',
    source: `${STREAM}const w = new Writable({ highWaterMark: 4, write(c, e, done) { setTimeout(() => { console.log('wrote', String(c)); done() }, 5) } })
      console.log(w.write('ab'), w.write('cd'), w.write('e'), w.writableLength, w.writableNeedDrain); w.on('drain', () => { console.log('drain', w.writableLength); w.end('z') }).on('finish', () => console.log('finish')).on('close', () => console.log('close'))`,
  },
  {
    claim: 'cork and writev pack writes together',
    source: `${STREAM}const w = new Writable({ decodeStrings: false, writev(all, done) { console.log(all.map((x) => x.chunk).join('|')); done() } }); w.cork(); w.write('a'); w.write('b'); w.cork(); w.write('c'); w.uncork(); process.nextTick(() => { w.uncork(); w.end('d', () => console.log('end')) })`,
  },
  {
    claim: 'a paused reader holds its source back',
    source: `${STREAM}let n = 0; const r = new Readable({ highWaterMark: 3, objectMode: true, read() { n++; this.push(n > 8 ? null : n) } })
      r.on('data', (d) => { console.log('data', d, r.readableLength); if (d === 2) { r.pause(); setTimeout(() => { console.log('asked', n, r.isPaused()); r.resume() }, 10) } }).on('end', () => console.log('end')).on('close', () => console.log('close'))`,
  },
  {
    claim: 'readable, read(n), unshift and setEncoding over a cut character',
    source: `${STREAM}const r = new PassThrough(); r.setEncoding('utf8'); const euro = Buffer.from('€x'); r.write(euro.subarray(0, 1)); r.write(euro.subarray(1)); r.end('tail')
      r.once('readable', () => { console.log(r.read(1), r.read(2)); r.unshift('back-'); let c; while ((c = r.read()) !== null) console.log(c) }); r.on('end', () => console.log('end')).on('readable', () => r.read())`,
  },
  {
    claim: 'a pipeline carries bytes through a transform under back-pressure',
    source: `${STREAM}const up = new Transform({ highWaterMark: 5, transform(c, e, done) { setImmediate(() => done(null, String(c).toUpperCase())) }, flush(done) { done(null, '!') } })
      const out = []; const slow = new Writable({ highWaterMark: 2, write(c, e, done) { out.push(String(c)); setTimeout(done, 1) } })
      await promises.pipeline(Readable.from(['ab', 'cd', 'ef', 'gh']), up, slow); console.log(out.join(','))`,
  },
  {
    claim: 'an error in a pipeline destroys all of it',
    source: `${STREAM}const a = Readable.from(['1', '2', '3']), b = new Transform({ transform(c, e, done) { done(String(c) === '2' ? new Error('two') : null, c) } }), c = new PassThrough()
      c.resume(); for (const [k, s] of [a, b, c].entries()) s.on('close', () => console.log('close', k)).on('error', (e) => console.log('error', k, e.message))
      pipeline(a, b, c, (e) => console.log('pipeline', e.message, a.destroyed, b.destroyed, c.destroyed))`,
  },
  {
    claim: 'finished: premature close, abort, and what is over already',
    source: `${STREAM}const r = new Readable({ read() {} }); finished(r, (e) => console.log(e.code)); r.destroy()
      const d = Readable.from([]); d.resume(); d.on('close', () => finished(d, (e) => console.log('over', e)))
      const ac = new AbortController(); const s = addAbortSignal(ac.signal, new Readable({ read() {} })); s.on('error', (e) => console.log(e.name)); ac.abort()
      await promises.finished(new Readable({ read() { this.destroy(new Error('read')) } }).resume()).catch((e) => console.log(e.message))`,
  },
  {
    claim: 'stream operators: map, filter, take, reduce, with concurrency',
    source: `${STREAM}const s = () => Readable.from([1, 2, 3, 4, 5, 6])
      console.log(await s().filter((x) => x % 2).map(async (x) => x * 10, { concurrency: 2 }).toArray(), await s().drop(2).take(3).toArray(), await s().reduce((a, b) => a + b, 0), await s().some((x) => x > 5), await s().find((x) => x > 3)); await s().take(2).forEach((x) => console.log(x))`,
  },
  {
    claim: 'a duplex: two halves, allowHalfOpen, Duplex.from',
    source: `${STREAM}const d = new Duplex({ allowHalfOpen: false, read() {}, write(c, e, done) { this.push(c); done() }, final(done) { console.log('final'); this.push(null); done() } })
      d.on('data', (c) => console.log(String(c))).on('end', () => console.log('end')).on('finish', () => console.log('finish')).on('close', () => console.log('close')); d.write('x'); d.end()
      const f = Duplex.from(async function* (src) { for await (const c of src) yield String(c) + '?' }); f.end('q'); for await (const c of f) console.log(String(c))`,
  },
  {
    claim: 'web streams: reader, tee, transform, desired size, cancel',
    source: `const r = new ReadableStream({ pull(c) { c.enqueue('x' + c.desiredSize); if (++this.n > 2) c.close() }, n: 0, cancel(why) { console.log('cancel', why) } }, { highWaterMark: 2 })
      const [a, b] = r.tee(); for await (const x of a.pipeThrough(new TransformStream({ transform(x, c) { c.enqueue(x + '!') } }))) console.log(x)
      const reader = b.getReader(); console.log(await reader.read(), b.locked); reader.releaseLock()
      const never = new ReadableStream({ cancel(why) { console.log('cancel', why) } }); await never.cancel('enough')
      const w = new WritableStream({ write(x) { console.log('w', x) }, close() { console.log('closed') } }).getWriter(); w.write(1); console.log(w.desiredSize); await w.close()`,
  },
  {
    claim: 'stdout keeps the order of console and write, with callbacks',
    source: `console.log('a'); process.stdout.write('b'); process.stdout.write('c\\n', () => console.log('written')); console.log('d'); process.stdout.write(new Uint8Array([101, 10])); process.stdout.write('Zg==', 'base64'); console.log()`,
  },
]
