/**
 * Programs that must print and exit the same in Node and in the host. Not among them, as Node leaves
 * it open: `setTimeout(0)` against `setImmediate` from the main module.
 */

import type { Since } from './parity/case.ts'

export interface Case {
  readonly claim: string
  /** File name; its extension decides how the program is read. Default main.mjs. */
  readonly as?: string
  readonly source: string
  readonly since?: Since
}

export const CASES: readonly Case[] = [
  {
    claim: 'CommonJS: ticks run before promises, both before timers',
    as: 'main.cjs',
    source: `
      setTimeout(() => console.log('timer'), 1)
      Promise.resolve().then(() => console.log('promise'))
      queueMicrotask(() => console.log('microtask'))
      process.nextTick(() => console.log('tick'))
      console.log('main')`,
  },
  {
    claim: 'ES module: promises of the top level run before ticks',
    source: `
      process.nextTick(() => console.log('tick'))
      Promise.resolve().then(() => console.log('promise'))
      console.log('main')`,
  },
  {
    claim: 'ticks made in promises and promises made in ticks run dry before the next timer',
    as: 'main.cjs',
    source: `
      setTimeout(() => {
        process.nextTick(() => { console.log('tick 1'); Promise.resolve().then(() => console.log('promise in tick')) })
        Promise.resolve().then(() => { console.log('promise 1'); process.nextTick(() => console.log('tick in promise')) })
      }, 5)
      setTimeout(() => console.log('second timer'), 5)`,
  },
  {
    claim: 'timers of one deadline fire in the order in which they were set',
    source: `for (let k = 0; k < 5; k += 1) setTimeout((n) => console.log(n), 10, k)`,
  },
  {
    claim: 'timers fire by deadline, whatever the order of setting',
    source: `for (const ms of [250, 50, 150, 100, 200]) setTimeout(() => console.log(ms), ms)`,
  },
  {
    claim: 'immediates made by an immediate wait for the next round',
    source: `
      setImmediate(() => { console.log('a'); setImmediate(() => console.log('c')) })
      setImmediate(() => console.log('b'))`,
  },
  {
    claim: 'an immediate made in a timer runs before a later timer',
    source: `
      setTimeout(() => { setImmediate(() => console.log('immediate')); setTimeout(() => console.log('timer'), 0) }, 1)`,
  },
  {
    claim: 'a cleared immediate of the same round does not run',
    source: `
      let second
      setImmediate(() => { console.log('first'); clearImmediate(second) })
      second = setImmediate(() => console.log('second'))
      setImmediate(() => console.log('third'))`,
  },
  {
    claim: 'an interval can clear itself',
    source: `
      let n = 0
      const interval = setInterval(() => { n += 1; console.log(n); if (n === 3) clearInterval(interval) }, 10)`,
  },
  {
    claim: 'await takes as many turns as in Node',
    source: `
      const log = (text) => console.log(text)
      async function a() { log('a1'); await b(); log('a2') }
      async function b() { log('b1') }
      a().then(() => log('a3'))
      Promise.resolve().then(() => log('p1')).then(() => log('p2')).then(() => log('p3'))
      const thenable = { then(resolve) { log('then'); resolve() } }
      ;(async () => { await thenable; log('after thenable') })()`,
  },
  {
    claim: 'a thousand awaits in a row finish before the next timer',
    source: `
      setTimeout(async () => { for (let k = 0; k < 1000; k += 1) await null; console.log('done') }, 5)
      setTimeout(() => console.log('next'), 6)`,
  },
  {
    claim: 'timers/promises: values, order and abort',
    source: `
      import { setImmediate as soon, setInterval as every, setTimeout as sleep } from 'node:timers/promises'
      console.log(await sleep(5, 'value'), await soon('soon'))
      let n = 0
      for await (const value of every(3, 'beat')) { console.log(value); n += 1; if (n === 3) break }
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 2)
      try { await sleep(50, null, { signal: controller.signal }) } catch (error) { console.log(error.name, error.code) }`,
  },
  {
    claim: 'util.promisify of setTimeout and setImmediate',
    source: `
      import { promisify } from 'node:util'
      console.log(await promisify(setTimeout)(2, 'x'), await promisify(setImmediate)('y'))`,
  },
  {
    claim: 'AbortSignal.timeout aborts with a TimeoutError and does not keep the process',
    source: `
      AbortSignal.timeout(100_000)
      const signal = AbortSignal.timeout(5)
      signal.addEventListener('abort', () => console.log(signal.aborted, signal.reason.name))
      setTimeout(() => {}, 20)`,
  },
  {
    claim: 'Timeout objects: this, arguments, refresh, close, primitive',
    source: `
      const timer = setTimeout(function (a, b) { console.log(this === timer, a, b, this.hasRef()) }, 4, 'a', 'b')
      const closed = setTimeout(() => console.log('closed fires'), 2)
      closed.close()
      const byId = setTimeout(() => console.log('by id fires'), 2)
      clearTimeout(+byId)
      console.log(typeof +byId, timer.constructor.name, timer.unref().ref() === timer)
      const again = setTimeout(() => console.log('refreshed'), 60)
      setTimeout(() => again.refresh(), 40)
      setTimeout(() => console.log('at 80'), 80)`,
  },
  {
    claim: 'a wrong callback is a TypeError with a code',
    source: `
      for (const call of [() => setTimeout('x', 1), () => setImmediate(), () => queueMicrotask(1), () => process.nextTick({})]) {
        try { call() } catch (error) { console.log(error instanceof TypeError, error.name, error.code, error.message) }
      }`,
  },
  {
    claim: 'unreferenced timers do not keep the process',
    source: `
      setTimeout(() => console.log('never'), 10).unref()
      setInterval(() => console.log('never'), 1000).unref()
      process.on('exit', (code) => console.log('exit', code))`,
  },
  {
    claim: 'beforeExit may revive, exit may not',
    source: `
      let n = 0
      process.on('beforeExit', (code) => { n += 1; console.log('before', code); if (n < 3) setTimeout(() => console.log('more'), 1) })
      process.on('exit', (code) => { console.log('exit', code); setTimeout(() => console.log('never'), 1) })`,
  },
  {
    claim: 'process.exitCode is the code of a natural end',
    source: `process.exitCode = 7; process.on('exit', (code) => console.log(code, process.exitCode))`,
  },
  {
    claim: 'a listener of exit can change the code',
    source: `process.on('exit', () => { process.exitCode = 9 })`,
  },
  {
    claim: 'process.exit ends at once: no finally, no later timer',
    source: `
      setTimeout(() => console.log('never'), 1)
      process.on('exit', (code) => console.log('exit', code))
      try { process.exit(3) } finally { setTimeout(() => console.log('never'), 0) }`,
  },
  {
    claim: 'process.exit in an async function ends at once',
    source: `
      async function main() { try { await null; process.exit(4) } catch { console.log('never') } finally { await null; console.log('never') } }
      await main()
      console.log('never')`,
  },
  {
    claim: 'process.exit takes the code that was set before, and refuses what is no code',
    source: `
      try { process.exitCode = 'x' } catch (error) { console.log(error.code) }
      try { process.exitCode = 1.5 } catch (error) { console.log(error.code) }
      process.exitCode = 5
      process.exit()`,
  },
  {
    claim: 'an uncaught error exits with 1 after the exit listeners',
    source: `
      process.on('exit', (code) => console.log('exit', code))
      setTimeout(() => { throw new Error('boo') }, 1)
      setTimeout(() => console.log('never'), 2)`,
  },
  {
    claim: 'uncaughtException listeners keep the process alive, an interval goes on',
    source: `
      process.on('uncaughtException', (error, origin) => console.log('caught', error.message, origin))
      let n = 0
      const interval = setInterval(() => { n += 1; if (n === 3) clearInterval(interval); throw new Error(String(n)) }, 250)
      process.nextTick(() => { throw new Error('in a tick') })
      Promise.reject(new Error('rejected'))`,
  },
  {
    claim: 'unhandledRejection listeners get reason and promise',
    source: `
      process.on('unhandledRejection', (reason, promise) => console.log(reason.message, promise === rejected))
      const rejected = Promise.reject(new Error('why'))`,
  },
  {
    claim: 'an unhandled rejection exits with 1',
    source: `
      process.on('exit', (code) => console.log('exit', code))
      process.on('uncaughtExceptionMonitor', (error, origin) => console.log(error.message, origin))
      Promise.reject(new Error('alone'))
      setTimeout(() => console.log('never'), 1)`,
  },
  {
    claim: 'a rejection with something that is no error exits with 1',
    source: `process.on('uncaughtExceptionMonitor', (error) => console.log(error.code)); Promise.reject(5)`,
  },
  {
    claim: 'a rejection handled within the same drain is handled',
    source: `
      const rejected = Promise.reject(new Error('late'))
      process.nextTick(() => rejected.catch(() => console.log('handled')))`,
  },
  {
    claim: 'an error in a listener of uncaughtException exits with 7',
    source: `
      process.on('uncaughtException', () => { throw new Error('second') })
      setTimeout(() => { throw new Error('first') }, 1)`,
  },
  {
    claim: 'a top-level await that never settles exits with 13',
    source: `process.on('exit', (code) => console.log('exit', code)); await new Promise(() => {})`,
    since: { major: 22, out: 'exit 0\n', why: "13 is set before 'exit' is told" },
  },
  {
    claim: 'an error at the top level exits with 1 and runs nothing further',
    source: `
      process.on('exit', (code) => console.log('exit', code))
      setTimeout(() => console.log('never'), 1)
      throw new Error('top')`,
  },
  {
    claim: 'process.emitWarning reaches its listeners in a tick',
    source: `
      process.on('warning', (warning) => console.log(warning.name, warning.message, warning.code))
      process.emitWarning('careful', { type: 'Custom', code: 'C1' })
      console.log('main')`,
  },
  {
    claim: 'process.env keeps strings only',
    source: `
      process.env.N = 5
      process.env.U = undefined
      delete process.env.GONE
      console.log(process.env.N === '5', process.env.U, 'GONE' in process.env, process.env.GONE)
      try { process.env.S = Symbol('s') } catch (error) { console.log(error.name) }`,
  },
  {
    claim: 'hrtime, uptime and performance move together with Date',
    source: `
      const before = [Date.now(), process.hrtime.bigint(), performance.now()]
      setTimeout(() => {
        console.log(Date.now() - before[0] >= 19, process.hrtime.bigint() - before[1] >= 19_000_000n, performance.now() - before[2] >= 19)
        const [seconds, nanos] = process.hrtime([0, 0])
        console.log(Number.isInteger(seconds), nanos < 1e9, process.hrtime(process.hrtime())[0])
      }, 20)`,
  },
  {
    claim: 'stdout can be written, piped to and waited for',
    source: `
      import { Readable } from 'node:stream'
      process.stdout.write('one ')
      process.stdout.write(Buffer.from('two\\n'), () => console.log('written'))
      process.stdout.write('dGhyZWU=', 'base64')
      console.log()
      Readable.from(['a', 'b', '\\n']).pipe(process.stdout, { end: false })
      console.log(process.stdout.isTTY, process.stdout.columns, process.stdout.fd)`,
  },
  {
    claim: 'console: format, group, count, assert, table, dir',
    source: `
      console.log('%s is %d and %j', 'a', 1, { b: [2] }, 'rest')
      console.group('outer'); console.info('in\\nside'); console.group(); console.debug({ deep: { er: { est: { x: 1 } } } }); console.groupEnd(); console.groupEnd()
      console.count(); console.count('x'); console.count(); console.countReset(); console.count()
      console.assert(true, 'no'); console.table([{ a: 1, b: 'x' }, { a: 2 }]); console.table([[1, 2]], ['0']); console.table(5)
      console.dir({ f() {} }); console.log(new Map([[1, { a: 2 }]]), new Set(['s']), [undefined, null], Symbol('q'), -0, 10n)
      console.log(class A {}, function f() {}, () => {}, new (class B { x = 1 })(), [1, , 3], new Date(0), /r/g)
      console.log(new Error('m').message, Object.create(null), new Uint8Array(3), Buffer.from('hi'), Promise.resolve(1))
      const { log } = console; log('bare')`,
  },
  {
    claim: 'errors of either realm are errors',
    source: `
      import { EventEmitter } from 'node:events'
      import assert from 'node:assert'
      class Mine extends TypeError {}
      const mine = new Mine('mine')
      console.log(mine instanceof Error, mine instanceof TypeError, mine instanceof Mine, new Error('x') instanceof Mine, new Error('x') instanceof TypeError)
      try { Buffer.alloc('x') } catch (error) { console.log(error instanceof TypeError, error instanceof Error, error instanceof RangeError) }
      try { new EventEmitter().emit('error', mine) } catch (error) { console.log(error === mine) }
      try { assert.strictEqual(1, 2) } catch (error) { console.log(error instanceof Error, error.code) }
      console.log(Promise.resolve() instanceof Promise, [] instanceof Array, {} instanceof Object, new Date() instanceof Date)`,
  },
  {
    claim: 'structuredClone copies deeply, with cycles, and refuses functions',
    source: `
      const from = { d: new Date(5), m: new Map([[{ k: 1 }, new Set([1])]]), r: /x/gi, b: new Uint8Array([1, 2]), n: null }
      from.self = from
      const copy = structuredClone(from)
      const error = structuredClone(new RangeError('e', { cause: [1] }))
      console.log(copy, copy !== from, copy.self === copy, error instanceof RangeError, error.message, error.cause, Object.getPrototypeOf(copy) === Object.prototype)
      try { structuredClone({ f() {} }) } catch (error) { console.log(error.name) }`,
  },
  {
    claim: 'Date: with and without new, statics, subclass, brand',
    source: `
      console.log(typeof Date(), new Date(0).toISOString(), new Date(2020, 1, 3).getTime(), Date.UTC(2020, 0), Date.length, Date.name)
      class Day extends Date { day() { return this.getDay() } }
      const day = new Day(0)
      console.log(day.day(), day instanceof Date, day.constructor === Day, new Date(day).getTime(), Date.prototype.constructor === Date)
      console.log(Object.prototype.toString.call(new Date()), Number.isNaN(new Date('x').getTime()), new Date(NaN).toString())
      console.log(new Date(0).toLocaleString(), new Date(0).toLocaleDateString('en-US', { weekday: 'long' }), (1234567.5).toLocaleString(), ['b', 'a', 'ä'].sort((a, b) => a.localeCompare(b)).join())
      console.log(new Intl.DateTimeFormat('en-US', { dateStyle: 'long' }).format(0), new Intl.NumberFormat('en-US').format(1e6), new Intl.PluralRules('en').select(1))`,
  },
  {
    claim: 'web globals: URL, TextEncoder, atob, EventTarget, Blob',
    source: `
      console.log(new URL('/a?b=1#c', 'http://x.test').href, new URLSearchParams('a=1&a=2').getAll('a'), atob(btoa('hey')))
      console.log(new TextDecoder().decode(new TextEncoder().encode('ü')), new TextEncoder().encode('a') instanceof Uint8Array)
      const target = new EventTarget()
      target.addEventListener('x', (event) => console.log(event.type, event instanceof Event), { once: true })
      target.dispatchEvent(new Event('x')); target.dispatchEvent(new Event('x'))
      const blob = new Blob(['ab', new Uint8Array([99])], { type: 'Text/Plain' })
      console.log(blob.size, blob.type, await blob.text(), await blob.slice(1).text())
      const controller = new AbortController()
      const any = AbortSignal.any([controller.signal])
      controller.abort('why')
      console.log(any.aborted, any.reason, any instanceof AbortSignal, AbortSignal.abort().reason.name)`,
  },
  {
    claim: 'AsyncLocalStorage follows timers, immediates, ticks and promises',
    source: `
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      const show = (where) => console.log(where, storage.getStore())
      storage.run('a', () => {
        setImmediate(() => { show('immediate'); setTimeout(() => show('timer'), 1) })
        process.nextTick(() => show('tick')); queueMicrotask(() => show('microtask')); Promise.resolve().then(() => show('promise'))
      })
      show('outside')`,
  },
  {
    claim: 'CommonJS: cycles, cache, JSON, module and require',
    as: 'main.cjs',
    source: `
      const Module = require('module')
      const path = require('path')
      console.log(module.exports === exports, require.main === module, path.basename(__filename), __dirname === path.dirname(__filename), module.id, module.loaded)
      console.log(require.resolve('path'), require('node:path') === path, Module.isBuiltin('fs'), typeof Module.createRequire(__filename)('util').inspect)
      console.log(this === exports, typeof require.cache[__filename], arguments.length)
      try { require('./missing') } catch (error) { console.log(error.code, error.message.split('\\n')[0], error.requireStack.length) }
      try { require('nowhere') } catch (error) { console.log(error.code, error.message.split('\\n')[0]) }
      try { require('') } catch (error) { console.log(error.code) }`,
  },
  {
    claim: 'dynamic import: built-ins, missing modules, from CommonJS',
    as: 'main.cjs',
    source: `
      import('node:path').then(async (path) => {
        console.log(path.default === require('path'), path.basename('/a/b'))
        try { await import('./missing.mjs') } catch (error) { console.log(error.code) }
        try { await import('nowhere') } catch (error) { console.log(error.code) }
      })`,
  },
  {
    claim: 'import.meta and JSON modules',
    source: `
      import { basename, dirname } from 'node:path'
      import { createRequire } from 'node:module'
      console.log(basename(import.meta.filename), import.meta.dirname === dirname(import.meta.filename), import.meta.url.startsWith('file:///'))
      console.log(import.meta.resolve('node:fs'), import.meta.resolve('./x.js').endsWith('/x.js'), typeof createRequire(import.meta.url))
      console.log(typeof require, typeof module, this)
      try { await import('./data.json') } catch (error) { console.log(error.code) }`,
  },
]
