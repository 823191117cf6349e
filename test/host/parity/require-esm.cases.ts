/** `require` of ES modules, as Node does it by default from 20.19 on. */

import type { ParityCase } from './case.ts'

const pkg = (value: object): string => JSON.stringify(value)

export const REQUIRE_ESM: readonly ParityCase[] = [
  {
    claim:
      'require of an ES module runs it at once and gives its namespace, the one that import has',
    as: 'main.cjs',
    source: `console.log('before'); const m = require('./m.mjs'); console.log('after', Object.keys(m), m.n, m.add(), m.n, require('util').types.isModuleNamespaceObject(m)); import('./m.mjs').then((ns) => console.log(ns === m))
      try { m.n = 5 } catch (e) { console.log(e.name) } console.log(require.cache[require.resolve('./m.mjs')].exports === m, require('./m.mjs') === m)`,
    files: { 'm.mjs': `console.log('runs'); export let n = 1; export const add = () => ++n` },
  },
  {
    claim: 'its imports come with it: ES modules, CommonJS, JSON, built-ins, live bindings, cycles',
    as: 'main.cjs',
    source: `const m = require('./m.mjs'); console.log(m.all); m.bump(); console.log(m.count); console.log(require('./c.cjs').seen)`,
    files: {
      'm.mjs': `import { count, bump } from './n.mjs'; import c from './c.cjs'; import data from './d.json' with { type: 'json' }; import { sep } from 'node:path'; export const all = [count, c.seen, data.a, sep]; export { count, bump }`,
      'n.mjs': `import { all } from './m.mjs'; export let count = 0; export const bump = () => { count++; return all }`,
      'c.cjs': `exports.seen = 'cjs'`,
      'd.json': `{ "a": 1 }`,
    },
  },
  {
    claim: 'a default export: __esModule is said, unless the module says it itself',
    as: 'main.cjs',
    source: `const d = require('./d.mjs'); console.log(d.default, d.named, d.__esModule, Object.keys(d).sort(), require('./d.mjs') === d); import('./d.mjs').then((ns) => console.log(ns === d, ns.__esModule))
      console.log(require('./own.mjs').__esModule, require('./none.mjs').__esModule)`,
    files: {
      'd.mjs': `export default 'd'; export const named = 1`,
      'own.mjs': `export default 1; export const __esModule = 'mine'`,
      'none.mjs': `export const a = 1`,
    },
  },
  {
    claim: 'an export named module.exports is what require gives',
    as: 'main.cjs',
    source: `const f = require('./f.mjs'); console.log(typeof f, f(), require('./f.mjs') === f)`,
    files: {
      'f.mjs': `const f = () => 'called'; export { f as 'module.exports' }; export default 2`,
    },
  },
  {
    claim: 'top-level await cannot be required, however deep; import can',
    as: 'main.cjs',
    source: `for (const file of ['./await.mjs', './above.mjs', './for-await.mjs']) try { require(file); console.log('got it') } catch (e) { console.log(e.code, e instanceof Error) }
      import('./above.mjs').then((ns) => { console.log(ns.v); try { require('./above.mjs') } catch (e) { console.log(e.code) } })`,
    files: {
      'await.mjs': `export const v = await 5`,
      'above.mjs': `export { v } from './await.mjs'`,
      'for-await.mjs': `for await (const x of [1]); export {}`,
    },
  },
  {
    claim: 'await in a function is no top-level await',
    as: 'main.cjs',
    source: `require('./m.mjs').f().then(console.log)`,
    files: { 'm.mjs': `export const f = async () => { await null; return 'awaited' }` },
  },
  {
    claim: 'an ES module that throws: the same error each time, required and imported',
    as: 'main.cjs',
    source: `const errors = []; for (let k = 0; k < 2; k++) try { require('./m.mjs') } catch (e) { errors.push(e) } console.log(errors[0].message, errors[0] === errors[1]); import('./m.mjs').catch((e) => console.log(e === errors[0]))`,
    files: {
      'm.mjs': `globalThis.n = (globalThis.n ?? 0) + 1; throw new Error('run ' + globalThis.n)`,
    },
  },
  {
    claim: 'what cannot be found, parsed or linked is an error of the require',
    as: 'main.cjs',
    source: `for (const file of ['./none.mjs', './bad.mjs', './lacks.mjs', './asks.mjs']) try { require(file) } catch (e) { console.log(e.name, e.code ?? e.message) }`,
    files: {
      'bad.mjs': `export const a = ;`,
      'lacks.mjs': `import { b } from './has.mjs'; b`,
      'has.mjs': `export const a = 1`,
      'asks.mjs': `import './nothing.mjs'`,
    },
  },
  {
    claim:
      'a cycle through require and import is refused where the module is still being evaluated',
    as: 'main.mjs',
    source: `import './a.mjs'`,
    files: {
      'a.mjs': `import './b.cjs'; console.log('a'); export const a = 1`,
      'b.cjs': `try { require('./a.mjs') } catch (e) { console.log(e.code) } console.log('b')`,
    },
  },
  {
    claim: 'ticks and promises of a required module run where those of the requirer do',
    as: 'main.cjs',
    source: `process.nextTick(() => console.log('tick 1')); Promise.resolve().then(() => console.log('promise 1')); require('./m.mjs'); process.nextTick(() => console.log('tick 3')); Promise.resolve().then(() => console.log('promise 3')); console.log('end')`,
    files: {
      'm.mjs': `process.nextTick(() => console.log('tick 2')); Promise.resolve().then(() => console.log('promise 2')); console.log('m')`,
    },
  },
  {
    claim:
      'by createRequire in an ES module, by a folder, by a package of ES modules, by its own name',
    source: `import { createRequire } from 'node:module'; import * as own from './m.mjs'; const r = createRequire(import.meta.url); console.log(r('./m.mjs') === own, r('./sub').a, r('pack').p, r('self/m') === own)`,
    files: {
      'package.json': pkg({ name: 'self', exports: { './m': './m.mjs' } }),
      'm.mjs': `export const m = 1`,
      'sub/package.json': pkg({ type: 'module', main: './x.js' }),
      'sub/x.js': `export const a = 'sub'`,
      'node_modules/pack/package.json': pkg({ name: 'pack', type: 'module', exports: './p.js' }),
      'node_modules/pack/p.js': `export const p = 'pack'`,
    },
  },
  {
    claim: 'the condition module-sync is met by import and by require, in its order',
    source: `import { createRequire } from 'node:module'; import * as first from 'first'; import * as second from 'second'; const r = createRequire(import.meta.url); console.log(first.from, r('first').from, second.from, r('second').from)`,
    files: {
      'node_modules/first/package.json': pkg({
        exports: { 'module-sync': './sync.mjs', import: './import.mjs', require: './require.cjs' },
      }),
      'node_modules/first/sync.mjs': `export const from = 'sync'`,
      'node_modules/first/import.mjs': `export const from = 'import'`,
      'node_modules/first/require.cjs': `exports.from = 'require'`,
      'node_modules/second/package.json': pkg({
        exports: { require: './require.cjs', 'module-sync': './sync.mjs', import: './import.mjs' },
      }),
      'node_modules/second/sync.mjs': `export const from = 'sync'`,
      'node_modules/second/import.mjs': `export const from = 'import'`,
      'node_modules/second/require.cjs': `exports.from = 'require'`,
    },
  },
  {
    claim: 'a file without a type that only an ES module can be is required as one',
    as: 'main.cjs',
    source: `console.log(require('./x').a, require('./x.js') === require('./x'))`,
    files: { 'x.js': `export const a = import.meta.filename === undefined ? 0 : 'esm'` },
  },
]
