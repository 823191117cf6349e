import { describe, expect, test } from 'vitest'
import { runInNode, runOne, runPrograms } from './run-program.ts'

/**
 * Ways out of a realm that were tried on other sandboxes. Each expression must give `WORLD` (the
 * world's own answer, as the test beside it says) or throw; none may give the real process.
 */
const BACK_DOORS: readonly (readonly [name: string, expression: string])[] = [
  ['process.constructor', `process.constructor.constructor('return process')() === process`],
  ['a method of process', `process.on.constructor('return process')()`],
  [
    'the emitter behind process',
    `Object.getPrototypeOf(Object.getPrototypeOf(process)).constructor.constructor('return process')()`,
  ],
  ['setTimeout', `setTimeout.constructor('return process')() === process`],
  [
    'a Timeout',
    `(() => { const t = setTimeout(() => {}, 1); clearTimeout(t); return t.constructor.constructor('return process')() === process })()`,
  ],
  ['Buffer', `Buffer.constructor('return process')()`],
  ['Buffer.from', `Buffer.from.constructor('return process')()`],
  ['a Buffer', `Buffer.alloc(1).constructor.constructor('return process')()`],
  ['Uint8Array', `Uint8Array.constructor('return process')()`],
  ['URL', `new URL('http://x').constructor.constructor('return process')()`],
  ['AbortSignal', `new AbortController().signal.constructor.constructor('return process')()`],
  ['the real AbortSignal.timeout', `AbortSignal.abort().constructor.timeout(1)`],
  ['TextEncoder', `new TextEncoder().encode.constructor('return process')()`],
  [
    'an error of the host',
    `(() => { try { process.chdir('/') } catch (e) { return e.constructor.constructor('return process')() === process } })()`,
  ],
  [
    'an error of Node',
    `(() => { try { new URL('') } catch (e) { return e.constructor.constructor('return process')() } })()`,
  ],
  ['a DOMException', `new DOMException('x').constructor.constructor('return process')()`],
  [
    'an error of the loader',
    `await import('./gone.mjs').catch((e) => e.constructor.constructor('return process')())`,
  ],
  ['a built-in', `(await import('node:events')).default.constructor('return process')()`],
  [
    'a promise of import()',
    `import('node:events').constructor.constructor('return process')() === process`,
  ],
  [
    'a promise of a built-in',
    `(await import('node:events')).once(new EventTarget(), 'x').constructor.constructor('return process')()`,
  ],
  ['console.log', `console.log.constructor('return process')() === process`],
  ['import.meta', `import.meta.resolve.constructor('return process')() === process`],
  [
    'require',
    `(await import('node:module')).createRequire(import.meta.url).constructor('return process')() === process`,
  ],
  ['new Function', `new Function('return process')() === process`],
  ['indirect eval', `(0, eval)('process') === process`],
  [
    'a generator function',
    `Object.getPrototypeOf(function* () {}).constructor('return process')().next().value === process`,
  ],
  [
    'an async function',
    `(await Object.getPrototypeOf(async function () {}).constructor('return process')()) === process`,
  ],
  [
    'import() in new Function',
    `(await new Function('return import("node:process")')()).default === process`,
  ],
  ['getBuiltinModule', `process.getBuiltinModule('process') === process`],
  ['process.binding', `process.binding('fs')`],
  ['process.dlopen', `process.dlopen({}, '/x')`],
  ['process.mainModule', `process.mainModule === undefined`],
  [
    'the native behind Date',
    `new Date().constructor === Date && Object.getPrototypeOf(new (class extends Date {})()).constructor !== undefined`,
  ],
  [
    'frames of the stack',
    `(() => { Error.prepareStackTrace = (_, s) => s.map((f) => [f.getThis(), f.getFunction()]); const all = [0].map(() => new Error().stack)[0]; Error.prepareStackTrace = undefined; return all.flat().every((x) => x === undefined || x === globalThis || Array.isArray(x) || typeof x === 'function' && x instanceof Function) })()`,
  ],
  [
    'env',
    `process.env.constructor.constructor('return process')() === process && process.env.PATH === undefined`,
  ],
  ['versions', `process.versions.constructor.constructor('return process')() === process`],
  ['undici’s dispatcher', `globalThis[Symbol.for('undici.globalDispatcher.1')] === undefined`],
  ['caller', `(function f() { return f.caller })() === null`],
  [
    'arguments.callee of a host call',
    `[0].map(function () { return arguments.callee.caller })[0] === null`,
  ],
  ['Atomics.wait', `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)`],
  [
    'Atomics.waitAsync',
    `(Atomics.waitAsync ?? (() => { throw new Error('none') }))(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)`,
  ],
  ['MessageChannel', `new MessageChannel()`],
  ['BroadcastChannel', `new BroadcastChannel('x')`],
  ['fetch', `fetch.constructor('return process')() === process`],
  ['Response', `new Response('x').constructor.constructor('return process')() === process`],
  ['EventSource', `new EventSource('http://127.0.0.1')`],
]

describe('no way leads out of a realm', () => {
  test('every back door gives the world’s answer or throws', async () => {
    const source = BACK_DOORS.map(
      ([name, expression]) =>
        `try { console.log(JSON.stringify(${JSON.stringify(name)}), (${expression}) === true ? 'WORLD' : 'LEAK') }
         catch (error) { console.log(JSON.stringify(${JSON.stringify(name)}), 'refused') }`,
    ).join('\n')
    const { out, err } = await runOne(source)
    expect(err).toBe('')
    const answers = out.trimEnd().split('\n')
    expect(answers).toHaveLength(BACK_DOORS.length)
    expect(answers.filter((line) => line.endsWith('LEAK'))).toEqual([])
  })

  test('the world’s own realm cannot be changed from inside: no forged trace, no stolen call', async () => {
    const { out, err, code, events } = await runOne(
      `import { EventEmitter } from 'node:events'
       let main = EventEmitter.prototype; while (Object.getPrototypeOf(main) !== null) main = Object.getPrototypeOf(main)
       const evil = () => ({ forged: true })
       const mainArray = Buffer.from('a').toJSON().data.constructor
       const tries = [
         () => { main.toJSON = evil }, () => { main.kind = 'forged' }, () => { main.constructor.keys = evil },
         () => { main.constructor.defineProperty(main, 'toJSON', { value: evil }) },
         () => { main.constructor.constructor.prototype.call = evil }, () => { main.constructor.constructor.prototype.toJSON = evil },
         () => { mainArray.prototype.push = evil }, () => { mainArray.prototype[Symbol.iterator] = evil }, () => { mainArray.prototype.toJSON = evil },
         () => { Buffer.from = evil }, () => { Buffer.prototype.toString.call = evil; Buffer.concat = evil }, () => { Uint8Array.prototype.toJSON = evil },
         () => { Object.getPrototypeOf(Uint8Array.prototype).set = evil },
       ]
       let got = 0
       for (const attempt of tries) try { attempt(); got += 1 } catch {}
       console.log(got, JSON.stringify({ own: 1 }))
       class Mine extends EventEmitter { constructor() { super(); this.name = 'n'; this.toString = () => 'mine' } }
       console.log(String(new Mine()), Object.assign(new TypeError('x'), { name: 'Y', message: 'z' }).toString())`,
    )
    expect([out, err, code]).toEqual(['0 {"own":1}\nmine Y: z\n', '', 0])
    expect(events.map((event) => event.kind)).toEqual([
      'process.started',
      'process.output',
      'process.output',
      'process.exited',
    ])
  })

  test('a refusal names the call, the file, the line and what to use', async () => {
    const { out } = await runOne(
      `\ntry {\n  new MessageChannel()\n} catch (error) { console.log(error.code, error.message) }`,
    )
    expect(out).toMatch(/^ERR_NOT_IN_WORLD MessageChannel .*main\.mjs:3\)\. Use an EventEmitter/)
  })
})

describe('globals', () => {
  /** Node measures these itself; nothing in a world has such entries. */
  const ABSENT = ['PerformanceObserverEntryList', 'PerformanceResourceTiming']

  test('every global of this Node is here, and what Node adds to Symbol', async () => {
    const source = `console.log(JSON.stringify([
      Reflect.ownKeys(globalThis).map(String).sort(), Reflect.ownKeys(Symbol).map(String).sort(),
      String(globalThis), String(Symbol.dispose), typeof navigator === 'undefined' ? null : navigator.userAgent,
    ]))`
    const [inNode, inWorld] = await Promise.all([runInNode(source), runOne(source)])
    const [globals, ...rest] = JSON.parse(inWorld.out) as string[][]
    const [expected, ...expectedRest] = JSON.parse(inNode.out) as string[][]
    const missing = (expected ?? []).filter((name) => !globals?.includes(name))
    expect(missing).toEqual(ABSENT)
    expect(rest).toEqual(expectedRest)
  })
})

describe('realms', () => {
  test('processes share no globals, no prototypes and no module state', async () => {
    const source = (who: string) => `
      import { state } from './state.mjs'
      globalThis.shared = (globalThis.shared ?? '') + '${who}'
      Object.prototype.polluted = '${who}'
      Date.now.mark ??= '${who}'; Math.mark ??= '${who}'; process.mark ??= '${who}'; console.mark ??= '${who}'
      state.push('${who}')
      setTimeout(() => console.log(shared, ({}).polluted, Date.now.mark, Math.mark, process.mark, console.mark, state.join()), 5)`
    const { stdout } = await runPrograms({
      processes: { a: { source: source('a') }, b: { source: source('b') } },
      files: { 'state.mjs': 'export const state = []' },
    })
    expect(stdout).toEqual({ a: 'a a a a a a a\n', b: 'b b b b b b b\n' })
  })

  test('zone and locale are the world’s, whatever the machine’s', async () => {
    const source = `console.log(new Date(0).toString(), new Date(1e12).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone,
      (1234.5).toLocaleString(), new Intl.NumberFormat().resolvedOptions().locale, 'I'.toLocaleLowerCase(), ['z', 'ä'].sort((a, b) => a.localeCompare(b)).join(),
      new Date(0).getHours())`
    const [here, there] = await Promise.all([
      runOne(source),
      runOne(source, { childEnv: { TZ: 'UTC', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' } }),
    ])
    expect(here.err).toBe('')
    expect(here.out).toContain('en-US i ä,z 0')
    expect(there.out).toBe(here.out)
  })

  test('Intl without an argument tells the virtual time', async () => {
    const { out } = await runOne(
      `const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'medium' })
       setTimeout(() => console.log(format.format(), '|', format.formatToParts().map((part) => part.value).join(''), '|', [undefined].map(format.format)[0]), 61_000)`,
      { epochMs: Date.UTC(2030, 5, 1, 12, 0, 0) },
    )
    const [a, b, c] = out.replaceAll('\u202f', ' ').trim().split(' | ')
    expect(a).toMatch(/^6\/1\/30, 12:01:01\sPM$/)
    expect([b, c]).toEqual([a, a])
  })

  test('garbage collection tells nothing, WebAssembly is compiled at once', async () => {
    const { out } = await runOne(
      `const ref = new WeakRef({ x: 1 })
       new FinalizationRegistry(() => console.log('collected')).register({}, 1)
       const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])
       const { instance, module } = await WebAssembly.instantiate(bytes)
       console.log(ref.deref().x, instance instanceof WebAssembly.Instance, (await WebAssembly.compile(bytes)) instanceof WebAssembly.Module, module instanceof WebAssembly.Module)
       console.log(Object.prototype.toString.call(ref), WeakRef.name)`,
    )
    expect(out).toBe('1 true true true\n[object WeakRef] WeakRef\n')
  })

  test('a loop that waits for the clock to move is noticed', async () => {
    const { end } = await runOne(`const until = Date.now() + 10; while (Date.now() < until) {}`)
    expect(end).toMatchObject({
      why: 'failed',
      detail: expect.stringContaining('main read the clock'),
    })
  })
})
