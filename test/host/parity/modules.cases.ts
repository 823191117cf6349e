/** How programs of several files are found, ordered and joined: CommonJS, ES modules and both. */

import type { ParityCase } from './case.ts'

const pkg = (fields: object) => JSON.stringify({ name: 'self', ...fields })

export const MODULES: readonly ParityCase[] = [
  {
    claim: 'CommonJS: a cycle sees what is exported so far',
    as: 'main.cjs',
    source: `console.log('main'); const a = require('./a.cjs'); console.log(a.done, a.seen, require('./b.cjs').seen)`,
    files: {
      'a.cjs': `exports.done = false; const b = require('./b.cjs'); exports.seen = b.done; exports.done = true`,
      'b.cjs': `exports.done = false; const a = require('./a.cjs'); exports.seen = a.done; exports.done = true`,
    },
  },
  {
    claim: 'ES modules: a cycle runs once, functions are hoisted, let is not yet there',
    source: `import { a } from './a.mjs'; console.log('main', a())`,
    files: {
      'a.mjs': `import { b, value } from './b.mjs'; console.log('a', b(), value); export function a() { return 'a of ' + b() } export let late = 1`,
      'b.mjs': `import { a, late } from './a.mjs'; export const value = typeof a; export function b() { return 'b' } try { late } catch (e) { console.log(e.name) } console.log('b')`,
    },
  },
  {
    claim: 'ES modules: imports run depth first, each once, before the importer',
    source: `console.log('main'); import './a.mjs'; import './b.mjs'; import './a.mjs?again'`,
    files: {
      'a.mjs': `import './c.mjs'; console.log('a', new URL(import.meta.url).search)`,
      'b.mjs': `import './c.mjs'; console.log('b')`,
      'c.mjs': `console.log('c')`,
    },
  },
  {
    claim: 'top-level await: siblings wait together, the importer for both',
    source: `import { v } from './slow.mjs'; import './quick.mjs'; console.log('main', v); export const x = await Promise.resolve(5); console.log(x)`,
    files: {
      'slow.mjs': `console.log('slow starts'); await new Promise((f) => setTimeout(f, 30)); console.log('slow ends'); export const v = 'v'`,
      'quick.mjs': `console.log('quick starts'); await null; console.log('quick ends')`,
    },
  },
  {
    claim: 'top-level await in a module that is imported dynamically, twice',
    source: `const [a, b] = await Promise.all([import('./m.mjs'), import('./m.mjs')]); console.log(a === b, a.n, Object.keys(a)); console.log(Object.prototype.toString.call(a), Reflect.ownKeys(a).length)`,
    files: {
      'm.mjs': `console.log('m'); await null; export const n = 1; export default function () {} export { n as 'a name' }`,
    },
  },
  {
    claim: 'live bindings, export from, export star, namespace',
    source: `import * as all from './all.mjs'; import { n, add } from './n.mjs'; add(); console.log(n, all.n, Object.keys(all), all.ns.n); try { all.n = 5 } catch (e) { console.log(e.name) } console.log('default' in all)`,
    files: {
      'all.mjs': `export * from './n.mjs'; export * as ns from './n.mjs'; export { add as plus } from './n.mjs'`,
      'n.mjs': `export let n = 1; export const add = () => { n++ }; export default 0`,
    },
  },
  {
    claim: 'an ES module takes names of CommonJS, and all of it as default',
    source: `import def, { a, b as bee } from './c.cjs'; import * as ns from './c.cjs'; console.log(def, a, bee, ns.default === def, Object.keys(ns)); import re from './re.cjs'; import { a as again } from './re.cjs'; console.log(re === def, again)`,
    files: {
      'c.cjs': `exports.a = 1; exports.b = 2; Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'd'`,
      're.cjs': `module.exports = require('./c.cjs')`,
    },
    since: {
      major: 23,
      out: `{ a: 1, b: 2, default: 'd' } 1 2 true [ '__esModule', 'a', 'b', 'default' ]\ntrue 1\n`,
      why: "a CommonJS file gained an export named 'module.exports'",
    },
  },
  {
    claim: 'a name that CommonJS does not show in its text cannot be imported',
    source: `await import('./bad.mjs').catch((e) => console.log(e.name, e.message.split('\\n')[0]))`,
    files: {
      'bad.mjs': `import { hidden } from './c.cjs'; console.log(hidden)`,
      'c.cjs': `exports['hid' + 'den'] = 1`,
    },
  },
  {
    claim: 'a name that an ES module lacks is a SyntaxError',
    source: `await import('./bad.mjs').catch((e) => console.log(e.name, e.message))`,
    files: { 'bad.mjs': `import { lacks } from './m.mjs'; lacks`, 'm.mjs': `export const has = 1` },
  },
  {
    claim: 'CommonJS and ES modules share one instance of a CommonJS file',
    source: `import { createRequire } from 'node:module'; import c from './c.cjs'; const require = createRequire(import.meta.url); console.log(require('./c.cjs') === c, c.n, (await import('./c.cjs')).default === c)`,
    files: { 'c.cjs': `console.log('once'); module.exports = { n: 1 }` },
  },
  {
    claim: 'JSON: required, imported with its type, shared by require',
    source: `import data from './d.json' with { type: 'json' }; import { createRequire } from 'node:module'; const r = createRequire(import.meta.url); console.log(data, r('./d.json').a, r('./d.json') === r('./d')); const d = await import('./d.json', { with: { type: 'json' } }); console.log(d.default === data); try { r('./bad.json') } catch (e) { console.log(e.name) }
      await import('./d.json', { with: { type: 'css' } }).catch((e) => console.log(e.name, /UNSUPPORTED/.test(e.code))); await import('./d.json', { with: { other: 'x' } }).catch((e) => console.log(e.code))`,
    files: { 'd.json': `{ "a": [1, null] }`, 'bad.json': `{ a` },
  },
  {
    claim: 'a .js file is what the nearest package.json says',
    as: 'main.js',
    source: `import sub from './sub/x.js'; import { isEsm } from './esm/x.js'; console.log(sub, isEsm, typeof require)`,
    files: {
      'package.json': pkg({ type: 'module' }),
      'sub/package.json': '{}',
      'sub/x.js': `module.exports = typeof require`,
      'esm/x.js': `export const isEsm = this === undefined`,
    },
  },
  {
    claim: 'exports by condition: import and require find their own files',
    source: `import both from 'self'; import { createRequire } from 'node:module'; const r = createRequire(import.meta.url); console.log(both, r('self'), (await import('self/sub')).default, r('self/deep/x'))
      for (const name of ['self/none', 'self/lib/esm.mjs', 'self/deep/no']) await import(name).catch((e) => console.log(e.code))
      try { r('self/hidden') } catch (e) { console.log(e.code) }`,
    files: {
      'package.json': pkg({
        exports: {
          '.': { import: './lib/esm.mjs', require: './lib/cjs.cjs' },
          './sub': [{ nothing: './x.js' }, './lib/sub.mjs'],
          './deep/*': { node: './lib/deep/*.cjs', default: './no.js' },
          './hidden': null,
        },
      }),
      'lib/esm.mjs': `export default 'esm'`,
      'lib/cjs.cjs': `module.exports = 'cjs'`,
      'lib/sub.mjs': `export default 'sub'`,
      'lib/deep/x.cjs': `module.exports = 'deep'`,
    },
  },
  {
    claim: 'imports of a package: names, patterns, conditions, built-ins',
    source: `import a from '#a'; import b from '#dir/b'; import path from '#path'; console.log(a, b, path.sep); await import('#none').catch((e) => console.log(e.code)); await import('#bad').catch((e) => console.log(e.code)); console.log(import.meta.resolve('#a').endsWith('/src/a.mjs'))`,
    files: {
      'package.json': pkg({
        imports: {
          '#a': './src/a.mjs',
          '#dir/*': { node: './src/*.mjs' },
          '#path': 'path',
          '#bad': 'node:path',
        },
      }),
      'src/a.mjs': `export default 'a'`,
      'src/b.mjs': `export default 'b'`,
    },
  },
  {
    claim: 'require: folder, index, main, order of extensions, cache removal',
    as: 'main.cjs',
    source: `console.log(require('./folder'), require('./pack'), require('./two')); const before = require('./n'); delete require.cache[require.resolve('./n')]; console.log(before === require('./n'), require.main === module, module.children.length, module.paths.length > 0)
      try { require('./folder/none') } catch (e) { console.log(e.code, e.message.split('\\n')[0].replace(/'.*'/, 'NAME')) }`,
    files: {
      'folder/index.js': `module.exports = 'index'`,
      'pack/package.json': `{ "main": "lib/go" }`,
      'pack/lib/go.js': `module.exports = 'main of pack'`,
      'two.js': `module.exports = 'js'`,
      'two.json': `"json"`,
      'n.js': `module.exports = {}`,
    },
  },
  {
    claim: 'a module that throws: CommonJS tries again, an ES module keeps its error',
    source: `import { createRequire } from 'node:module'; const r = createRequire(import.meta.url); globalThis.n = 0
      for (let k = 0; k < 2; k++) try { r('./c.cjs') } catch (e) { console.log(e.message) }
      const errors = []; for (let k = 0; k < 2; k++) await import('./m.mjs').catch((e) => errors.push(e)); console.log(errors[0] === errors[1], errors[0].message)`,
    files: {
      'c.cjs': `throw new Error('c ' + ++globalThis.n)`,
      'm.mjs': `throw new Error('m ' + ++globalThis.n)`,
    },
  },
  {
    claim: 'a file that cannot be parsed, required and imported',
    source: `import { createRequire } from 'node:module'; const r = createRequire(import.meta.url); try { r('./bad.cjs') } catch (e) { console.log(e.name, e instanceof SyntaxError, e.message) } await import('./bad.mjs').catch((e) => console.log(e.name, e.message))`,
    files: { 'bad.cjs': `const = 1`, 'bad.mjs': `export const a = ;` },
  },
  {
    claim: 'dynamic import in CommonJS comes after the ticks of the main module',
    as: 'main.cjs',
    source: `import('./m.mjs').then((m) => console.log('loaded', m.default)); process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('promise')); console.log('main')`,
    files: { 'm.mjs': `console.log('m runs'); export default 1` },
  },
  {
    claim: 'import by file URL, by absolute path, by data URL; query makes another instance',
    source: `import { pathToFileURL } from 'node:url'; import { join } from 'node:path'; const file = join(import.meta.dirname, 'm.mjs'); const a = await import(pathToFileURL(file)), b = await import(file), c = await import('./m.mjs?x'); console.log(a === b, a === c, a.n === c.n)
      await import('http://x.test/a.mjs').catch((e) => console.log(e.code)); await import('./folder').catch((e) => console.log(e.code)); await import('./m').catch((e) => console.log(e.code)); await import('node:nothing').catch((e) => console.log(e.code))`,
    files: { 'm.mjs': `export const n = {}; console.log('m')`, 'folder/index.js': '' },
  },
  {
    claim: 'sloppy CommonJS and strict ES modules: this, arguments, undeclared names',
    as: 'main.cjs',
    source: `undeclared = 1; console.log(globalThis.undeclared, (function () { return this === globalThis })(), this === module.exports, arguments.length, typeof __dirname); import('./m.mjs')`,
    files: {
      'm.mjs': `try { other = 1 } catch (e) { console.log(e.name) } console.log((function () { return this })(), typeof arguments, typeof __dirname)`,
    },
  },
]
