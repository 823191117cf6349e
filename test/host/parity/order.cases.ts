/**
 * Order of ticks, promises, immediates and timers; ends and exit codes. Times in these programs are
 * 20 ms apart at least where order hangs on them: real Node runs on a busy machine.
 */

import type { ParityCase } from './case.ts'

export const ORDER: readonly ParityCase[] = [
  {
    claim: 'ticks, promises and immediates made by an immediate',
    source: `setImmediate(() => {
        setImmediate(() => console.log('immediate'))
        process.nextTick(() => console.log('tick'))
        Promise.resolve().then(() => console.log('promise'))
        queueMicrotask(() => { console.log('microtask'); process.nextTick(() => console.log('tick of microtask')) })
        console.log('body') })`,
  },
  {
    claim: 'two immediates of one round: the drain lies between them',
    as: 'main.cjs',
    source: `for (const name of ['a', 'b', 'c']) setImmediate(() => { console.log(name); process.nextTick(console.log, 'tick', name); Promise.resolve(name).then((x) => console.log('then', x)) })`,
  },
  {
    claim: 'a tick in a tick runs before every promise',
    as: 'main.cjs',
    source: `Promise.resolve().then(() => console.log('promise'))
      process.nextTick(() => { console.log(1); process.nextTick(() => { console.log(2); process.nextTick(() => console.log(3)) }) })`,
  },
  {
    claim: 'thenables, async returns and rejections take their turns',
    source: `const log = console.log
      const thenable = { then(f) { log('then called'); f('thenable') } }
      Promise.resolve(thenable).then(log)
      ;(async () => thenable)().then((v) => log('async', v))
      ;(async () => { throw new Error('x') })().catch((e) => log(e.message)).finally(() => log('finally'))
      let p = Promise.resolve(); for (let k = 0; k < 6; k++) p = p.then(() => log('turn', k))
      new Promise((f) => f(Promise.resolve('nested'))).then(log)`,
  },
  {
    claim: 'Promise.all, allSettled, race and any settle in order',
    source: `const after = (ms, v, bad) => new Promise((f, r) => setTimeout(bad ? r : f, ms, v))
      const all = [Promise.all([after(40, 'a'), after(1, 'b'), 'c']), Promise.allSettled([after(1, 'd'), after(20, 'e', true)]), Promise.race([after(60, 'f'), after(20, 'g')]), Promise.any([after(1, 'h', true), after(90, 'i')])]
      for (const [k, p] of all.entries()) p.then((v) => console.log(k, JSON.stringify(v)))
      Promise.any([Promise.reject(1)]).catch((e) => console.log(e.name, e.errors))`,
  },
  {
    claim: 'async generators: return, throw, finally, and for await',
    source: `async function* numbers() { try { for (let n = 0; ; n++) { await null; yield n } } finally { console.log('closed') } }
      for await (const n of numbers()) { console.log(n); if (n === 2) break }
      const it = numbers(); await it.next(); console.log(await it.return('end'))
      const other = numbers(); await other.next(); await other.throw(new Error('in')).catch((e) => console.log(e.message))
      for await (const x of [Promise.resolve('p'), 'q']) console.log(x)`,
  },
  {
    claim: 'a timer set in a timer comes after those that were set before',
    source: `setTimeout(() => { console.log('a'); setTimeout(() => console.log('d'), 30) }, 30)
      setTimeout(() => console.log('b'), 30); setTimeout(() => console.log('c'), 31)`,
  },
  {
    claim: 'strange delays are one millisecond; arguments are passed on',
    source: `for (const delay of [0, -5, NaN, undefined, null, '1', 2 ** 31, 0.5]) setTimeout((...a) => console.log(String(delay), a), delay, 1, 'two')
      process.on('warning', (w) => console.log(w.name))`,
  },
  {
    claim: 'a timer can be cleared by number, by text, by itself and twice',
    source: `const a = setTimeout(() => console.log('never'), 10); clearTimeout(+a); clearTimeout(a)
      const b = setTimeout(() => console.log('never'), 10); clearTimeout(String(+b)); clearTimeout(undefined); clearTimeout(null); clearTimeout({}); clearTimeout(99999)
      const c = setInterval(() => { console.log('once'); clearTimeout(c); clearInterval(c) }, 5)
      setImmediate(() => clearImmediate(d)); const d = setImmediate(() => console.log('same round'))
      const e = setTimeout(() => {}, 5); console.log(e.hasRef(), e.unref().hasRef(), e.ref().hasRef(), typeof e[Symbol.toPrimitive]())`,
  },
  {
    // Of one instant: where a millisecond passes between the two, they are made anew.
    claim: 'an error in one timer leaves the next to run when it is caught',
    source: `process.on('uncaughtException', (e, origin) => console.log(e.message, origin))
      const fail = () => { Promise.resolve().then(() => console.log('promise of a')); process.nextTick(() => console.log('tick of a')); throw new Error('a') }
      let a, b
      do { clearTimeout(a); clearTimeout(b); a = setTimeout(fail, 20); b = setTimeout(() => console.log('b'), 20) } while (a._idleStart !== b._idleStart)
      setTimeout(() => { throw new Error('c') }, 40); setTimeout(() => console.log('d'), 60)`,
    differs: {
      out: 'a uncaughtException\ntick of a\npromise of a\nb\nc uncaughtException\nd\n',
      why: 'After a throw Node goes on with the timers of the same instant before it drains; in the world every event is drained before the next.',
    },
  },
  {
    claim: 'errors in ticks and immediates, one after the other',
    source: `process.on('uncaughtException', (e) => console.log('caught', e.message))
      process.nextTick(() => { throw new Error('tick 1') }); process.nextTick(() => console.log('tick 2'))
      setImmediate(() => { throw new Error('immediate 1') }); setImmediate(() => console.log('immediate 2'))
      queueMicrotask(() => { throw new Error('microtask') })`,
  },
  {
    claim: 'a rejection handled too late is told twice',
    source: `process.on('unhandledRejection', (e) => console.log('unhandled', e)).on('rejectionHandled', (p) => console.log('handled', p instanceof Promise))
      const p = Promise.reject('x'); setTimeout(() => p.catch(() => console.log('catch')), 20)`,
  },
  {
    claim: 'unhandled rejections come after the ticks of their turn, in order',
    source: `process.on('unhandledRejection', (e) => console.log('unhandled', e))
      setTimeout(() => { Promise.reject(1); process.nextTick(() => console.log('tick')); Promise.reject(2); setImmediate(() => console.log('immediate')); queueMicrotask(() => console.log('microtask')) }, 5)`,
  },
  {
    claim: 'uncaughtExceptionMonitor sees the error and stops nothing',
    source: `process.on('uncaughtExceptionMonitor', (e, o) => console.log('seen', e.message, o)); process.on('exit', (c) => console.log('exit', c)); Promise.reject(new Error('lost'))`,
  },
  {
    claim: 'a capture callback takes the place of listeners',
    source: `process.setUncaughtExceptionCaptureCallback((e) => console.log('captured', e.message))
      console.log(process.hasUncaughtExceptionCaptureCallback())
      setTimeout(() => { throw new Error('x') }, 1); setTimeout(() => { process.setUncaughtExceptionCaptureCallback(null); console.log(process.hasUncaughtExceptionCaptureCallback()) }, 30)`,
  },
  ...[
    ['0', 0],
    ['255', 255],
    ['256 wraps', 256],
    ['-1 wraps', -1],
  ].map(([what, code]) => ({
    claim: `process.exit(${what})`,
    source: `process.on('exit', (c) => console.log('exit', c, process.exitCode)); setTimeout(() => process.exit(${code}), 1)`,
  })),
  {
    claim: 'exitCode: wrong values are refused, text of digits is taken',
    source: `for (const v of ['a', 1.5, {}, true]) try { process.exitCode = v; console.log('taken', v) } catch (e) { console.log(e.code) }
      process.exitCode = '4'; console.log(process.exitCode)`,
  },
  {
    claim: 'process.exit in a listener of exit, and an error in it',
    source: `process.on('exit', () => { console.log('one'); process.exit(9) }); process.on('exit', () => console.log('two'))`,
  },
  {
    claim: 'an error thrown by a listener of exit ends with 1',
    as: 'main.cjs',
    source: `process.on('exit', () => { console.log('exit'); throw new Error('in exit') })`,
  },
  {
    claim: 'what is scheduled by exit listeners never runs',
    source: `process.on('exit', () => { setTimeout(() => console.log('no'), 0); setImmediate(() => console.log('no')); process.nextTick(() => console.log('no')); console.log('last') })`,
  },
  {
    claim: 'beforeExit comes again after each revival',
    source: `let n = 0; process.on('beforeExit', (code) => { console.log('before', code); if (n++ < 2) setTimeout(() => console.log('revived'), 1) })`,
  },
  {
    claim: 'AsyncLocalStorage: nested, exit, bind, snapshot, enterWith, events',
    source: `import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
      import { EventEmitter } from 'node:events'
      const s = new AsyncLocalStorage(); const show = (n) => console.log(n, s.getStore())
      s.run(1, () => { s.run(2, () => show('inner')); show('outer'); s.exit(() => show('exit')); globalThis.bound = AsyncResource.bind(() => show('bound')); globalThis.snap = AsyncLocalStorage.snapshot() })
      bound(); snap(() => show('snapshot')); s.enterWith('e'); show('entered')
      const e = new EventEmitter(); s.run('on', () => e.on('x', () => show('emitter'))); s.run('emit', () => e.emit('x'))
      const r = s.run('r', () => new AsyncResource('T')); r.runInAsyncScope(() => show('resource'))
      await s.run('aw', async () => { await null; show('await'); await new Promise((f) => setTimeout(f, 2)); show('after timer') }); show('outside')`,
  },
  {
    claim: 'timers/promises: interval, scheduler, immediate, abort while waiting',
    source: `import { scheduler, setImmediate as soon, setInterval as every, setTimeout as sleep } from 'node:timers/promises'
      let n = 0; for await (const v of every(5, 'tick')) { console.log(v); if (++n === 3) break }
      console.log(await soon('soon'), await sleep(1, 'slept')); await scheduler.wait(5); await scheduler.yield()
      const ac = new AbortController(); const p = sleep(1000, null, { signal: ac.signal }); ac.abort(new Error('why')); await p.catch((e) => console.log(e.name, e.code, e.message, e.cause.message))
      await sleep(1, 0, { signal: AbortSignal.abort() }).catch((e) => console.log(e.code)); await sleep(1, 0, { ref: 1 }).catch((e) => console.log(e.code))
      for await (const _ of every(1, 0, { signal: AbortSignal.timeout(40) })) { if (n++ > 5) { console.log('ticking'); break } }`,
  },
  {
    claim: 'AbortSignal: listeners, onabort, any, throwIfAborted, order',
    source: `const ac = new AbortController(); const { signal } = ac
      signal.onabort = () => console.log('onabort'); signal.addEventListener('abort', (e) => console.log(e.type, e.target === signal, e.isTrusted)); signal.addEventListener('abort', () => console.log('never'), { signal: AbortSignal.abort() })
      const any = AbortSignal.any([signal, new AbortController().signal]); any.addEventListener('abort', () => console.log('any', any.reason))
      ac.abort('first'); ac.abort('second'); console.log(signal.reason)
      try { signal.throwIfAborted() } catch (e) { console.log('thrown', e) }
      const t = AbortSignal.timeout(10); t.addEventListener('abort', () => console.log(t.reason.name, t.reason.code)); setTimeout(() => {}, 40)
      const d = new AbortController(); d.abort(); console.log(d.signal.reason.name, d.signal.reason.code, d.signal.reason instanceof DOMException)`,
  },
  {
    claim: 'EventTarget: once, handleEvent, removal, preventDefault, CustomEvent',
    source: `const t = new EventTarget(); const h = { handleEvent(e) { console.log('object', this === h, e.type) } }
      t.addEventListener('a', h); t.addEventListener('a', h); t.addEventListener('a', (e) => { e.preventDefault(); e.stopImmediatePropagation() }); t.addEventListener('a', () => console.log('never'))
      console.log(t.dispatchEvent(new Event('a', { cancelable: true }))); t.removeEventListener('a', h); console.log(t.dispatchEvent(new Event('a')))
      t.addEventListener('c', (e) => console.log(e.detail), { once: true }); t.dispatchEvent(new CustomEvent('c', { detail: { x: 1 } })); t.dispatchEvent(new CustomEvent('c'))`,
  },
]
