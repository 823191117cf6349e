import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProgramFiles } from '../../src/scenario/program-files.ts'
import type { ProcessError } from '../../src/trace/events.ts'
import { programFolder, runInNode, runOne, runPrograms, writeFiles } from './run-program.ts'

function told(events: readonly { kind: string }[]): ProcessError | undefined {
  return events.find((event): event is ProcessError => event.kind === 'process.error')
}

describe('modules', () => {
  test('the same files load the same in Node and in the host', async () => {
    const files = {
      'package.json': JSON.stringify({
        name: 'own',
        type: 'module',
        exports: { '.': './self.js', './sub/*': './lib/*.js' },
        imports: {
          '#lib/*': './lib/*.js',
          '#cond': { import: './lib/esm.js', require: './lib/req.cjs' },
        },
      }),
      'self.js': `export const self = 'self'`,
      'lib/esm.js': `export const kind = 'import'`,
      'lib/one.js': `import { two } from './two.js'; export const one = 1; export const both = () => one + two`,
      'lib/two.js': `import { one } from './one.js'; export const two = 2; export const early = typeof both; export { one }
        function both() {}`,
      'lib/req.cjs': `exports.kind = 'require'; exports.early = require('./cycle.cjs').seen`,
      'lib/cycle.cjs': `exports.seen = Object.keys(require('./req.cjs'))`,
      'lib/names.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'd'; exports.a = 1
        __exportStar(require('./more.cjs'), exports); function __exportStar(m, e) { for (const k in m) if (!(k in e)) e[k] = m[k] }`,
      'lib/more.cjs': `const b = 2, c = 3; module.exports = { b, c }; console.log('more ran')`,
      'lib/first.js': `console.log('first ran')`,
      'lib/wait.js': `console.log('wait begins'); await null; export const waited = 'waited'; console.log('wait ends')`,
      'data.json': `{ "x": [1] }`,
      'node_modules/dual/package.json': JSON.stringify({
        name: 'dual',
        exports: { '.': { import: './i.mjs', require: './r.cjs' }, './hidden': null },
      }),
      'node_modules/dual/i.mjs': `export default 'dual by import'`,
      'node_modules/dual/r.cjs': `module.exports = 'dual by require'`,
      'node_modules/plain/package.json': JSON.stringify({ name: 'plain', main: 'lib' }),
      'node_modules/plain/lib/index.js': `exports.plain = __filename.slice(-12)`,
    }
    const source = `
      import './lib/first.js'
      import def, * as names from './lib/names.cjs'
      import { a, b } from './lib/names.cjs'
      import { self } from 'own'
      import { both } from '#lib/one'
      import { early, one } from 'own/sub/two'
      import { kind } from '#cond'
      import { waited } from './lib/wait.js'
      import dual from 'dual'
      import { plain } from 'plain'
      import data from './data.json' with { type: 'json' }
      import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url)
      console.log(def, Object.keys(names).sort().join(), a, b, self, both(), early, one, kind, waited, dual, plain, data)
      console.log(require('#cond'), require('dual'), require('./data.json'), require('./lib/more.cjs') === require('./lib/more'))
      for (const name of ['dual/hidden', 'dual/x', 'own/none', '#none', './lib']) {
        try { await import(name) } catch (error) { console.log(name, error.code, error.name) }
      }
      for (const name of ['dual/hidden', '#none', './lib']) {
        try { require(name) } catch (error) { console.log(name, error.code) }
      }
      console.log((await import('./lib/esm.js?again')) === (await import('./lib/esm.js')), (await import('./lib/esm.js')) === (await import('#lib/esm')))`.replace(
      "'./lib/more'",
      "'./lib/more.cjs'",
    )
    const dir = programFolder()
    const own = join(dir, 'own')
    mkdirSync(own)
    writeFiles(own, { ...files, 'main.js': source })
    const world = await runPrograms({ dir, processes: { main: { file: join(own, 'main.js') } } })
    const node = await runInNode(source, 'main.js', own)
    expect(world.stderr.main).toBe('')
    expect(world.stdout.main).toBe(node.out)
    expect(world.exits.main?.code).toBe(node.code)
  })

  test('TypeScript: types vanish, lines stay, .ts .mts .cts are read by their rules', async () => {
    const { out, err, events } = await runOne(
      `import { add, type Sum } from './add.ts'
       import { createRequire } from 'node:module'
       interface Unused { x: number }
       const sum: Sum = add(1 as number, 2)
       console.log(sum satisfies number, createRequire(import.meta.url)('./c.cts').c)
       function fails(): never { throw new Error('line 6') }
       fails()`,
      {
        as: 'main.mts',
        files: {
          'add.ts': `export type Sum = number\nexport const add = (a: number, b: number): Sum => a + b`,
          'c.cts': `const c: string = 'c'; module.exports = { c }`,
        },
      },
    )
    expect(out).toBe('3 c\n')
    expect(told(events)).toMatchObject({ line: 6, column: 40 })
    expect(err).toMatch(/main\.mts:6\n/)
  })

  test('import() of a module that is being evaluated, of itself, and of one that failed', async () => {
    const { out, err } = await runOne(
      `import { writeFileSync } from './names.mjs'
       const self = import('./main.mjs').then((module) => console.log('self', module.value))
       const [one, two] = await Promise.all([import('./slow.mjs'), import('./slow.mjs?x'), import('./slow.mjs')])
       console.log(one.slow, two.slow, typeof writeFileSync)
       for (let k = 0; k < 2; k += 1) {
         await import('./fails.mjs').catch((error) => console.log(error.message))
         await import('./gone-inside.mjs').catch((error) => console.log(error.code))
       }
       export const value = 'v'`,
      {
        files: {
          'names.mjs': `export const writeFileSync = () => {}`,
          'slow.mjs': `await null; await new Promise((done) => setTimeout(done, 5)); export const slow = 'slow'`,
          'fails.mjs': `throw new Error('failed')`,
          'gone-inside.mjs': `import './gone.mjs'`,
        },
      },
    )
    expect(err).toBe('')
    expect(out.split('\n')).toEqual([
      'slow slow function',
      'failed',
      'ERR_MODULE_NOT_FOUND',
      'failed',
      'ERR_MODULE_NOT_FOUND',
      'self v',
      '',
    ])
  })

  test('a load hint changes speed alone: same digest with and without', async () => {
    const source = `import Redis from 'ioredis'
      console.log(Object.keys(Redis.prototype).length, Redis.prototype.get.length, '_' in Redis.prototype)`
    const [hinted, plain] = await Promise.all([
      runOne(source),
      runOne(source, { loadHints: false }),
    ])
    expect(hinted.out).toMatch(/^\d+ 0 false\n$/)
    expect(plain.digest).toBe(hinted.digest)
  })

  test('a process with ioredis loads it by import and by require', async () => {
    const { out } = await runOne(
      `import Redis, { Cluster } from 'ioredis'
       import { createRequire } from 'node:module'
       console.log(typeof Redis, typeof Cluster, createRequire(import.meta.url)('ioredis') === Redis, new Redis({ lazyConnect: true }).status)`,
    )
    expect(out).toBe('function function true wait\n')
  })
})

describe('loading errors name file, line and column', () => {
  const CASES: readonly {
    readonly claim: string
    readonly source: string
    readonly as?: string
    readonly files?: Record<string, string>
    readonly expected: Omit<Partial<ProcessError>, 'message'> & { message: RegExp }
  }[] = [
    {
      claim: 'a syntax error in an ES module',
      source: 'const a = 1\nconst b = ;\n',
      expected: { name: 'SyntaxError', line: 2, column: 11, message: /Unexpected token/ },
    },
    {
      claim: 'a syntax error in CommonJS',
      as: 'main.cjs',
      source: 'const a = 1\n  )\n',
      expected: { name: 'SyntaxError', line: 2, column: 3, message: /Unexpected token/ },
    },
    {
      claim: 'a name declared twice',
      source: 'let twice = 1\nlet twice = 2\n',
      expected: { name: 'SyntaxError', line: 2, column: 5, message: /already been declared/ },
    },
    {
      claim: 'a syntax error in an imported file',
      source: `import './broken.ts'`,
      files: { 'broken.ts': `export const x: number = 1\nexport const y: = 2` },
      expected: { name: 'SyntaxError', line: 2, column: 17, file: 'broken.ts', message: /./ },
    },
    {
      claim: 'an enum, with what to write instead',
      as: 'main.ts',
      source: `export {}\nenum Color { Red }`,
      expected: { name: 'SyntaxError', line: 2, column: 1, message: /as const/ },
    },
    {
      claim: 'an export that is missing',
      source: `import { here,\n  gone } from './x.mjs'`,
      files: { 'x.mjs': `export const here = 1` },
      expected: {
        name: 'SyntaxError',
        line: 2,
        column: 3,
        message: /does not provide an export named 'gone'/,
      },
    },
    {
      claim: 'a type imported as if it were a value, with what to write',
      as: 'main.ts',
      source: `export {}\nimport { Sum } from './x.ts'`,
      files: { 'x.ts': `export interface Sum { x: number }` },
      expected: { name: 'SyntaxError', line: 2, column: 10, message: /import \{ type Sum \}/ },
    },
    {
      claim: 'a file that is missing',
      source: `console.log(1)\nimport './gone.mjs'`,
      expected: { name: 'Error', line: 2, column: 8, message: /Cannot find module '.*gone\.mjs'/ },
    },
    {
      claim: 'a .js that is a .ts',
      source: `import './shard.js'`,
      files: { 'shard.ts': `export {}` },
      expected: {
        name: 'Error',
        line: 1,
        column: 8,
        message: /There is '\.\/shard\.ts': write that/,
      },
    },
    {
      claim: 'a package that is missing',
      source: `import x from 'no-such-package'`,
      expected: {
        name: 'Error',
        line: 1,
        column: 15,
        message: /Cannot find package 'no-such-package'/,
      },
    },
    {
      claim: 'an error thrown while a file loads',
      source: `import './throws.mjs'`,
      files: { 'throws.mjs': `\nthrow new RangeError('at load')` },
      expected: { name: 'RangeError', line: 2, column: 7, file: 'throws.mjs', message: /at load/ },
    },
  ]
  for (const { claim, source, as, files, expected } of CASES) {
    test.concurrent(claim, async () => {
      const { message, file, ...rest } = expected
      const { events, code } = await runOne(source, {
        ...(as ? { as } : {}),
        ...(files ? { files } : {}),
      })
      const error = told(events)
      expect(error).toMatchObject(rest)
      expect(error?.message).toMatch(message)
      expect(error?.file).toContain(file ?? as ?? 'main.mjs')
      expect(code).toBe(1)
    })
  }
})

describe('the overlay of a lab', () => {
  const overlay = (dir: string): ProgramFiles => ({
    labDir: join(dir, 'lab'),
    targetDir: join(dir, 'target'),
    exerciseDirs: [join(dir, 'target'), join(dir, 'lab/solution')],
    exercises: {
      'shard.ts': join(dir, 'target/shard.ts'),
      'lease.ts': join(dir, 'lab/solution/lease.ts'),
    },
  })
  const FILES = {
    'lab/package.json': JSON.stringify({ type: 'module' }),
    'lab/app/main.ts': `import { shard } from '#exercises/shard.ts'
      import { lease } from '#exercises/lease.ts'
      console.log(shard, lease)`,
    'lab/app/keys.ts': `export const key = 'key'`,
    'lab/solution/shard.ts': `export const shard = 'solution shard'`,
    'lab/solution/lease.ts': `import { shard } from './shard.ts'
      export const lease: string = 'solution lease with ' + shard`,
    'target/package.json': JSON.stringify({ type: 'module' }),
    'target/shard.ts': `import { inner } from './inner/part.ts'
      import Redis from 'ioredis'
      import { basename } from 'node:path'
      export const shard: string = 'target shard ' + inner + typeof Redis + basename('/x')`,
    'target/lease.ts': `export const lease = 'target lease'`,
    'target/inner/part.ts': `import { lease } from '../lease.ts'; export const inner = '[' + lease.length + '] '`,
  }
  const run = (extra: Record<string, string> = {}, prepare?: (dir: string) => void) => {
    const dir = programFolder()
    prepare?.(dir)
    return runPrograms({
      dir,
      files: { ...FILES, ...extra },
      overlay,
      processes: { main: { file: join(dir, 'lab/app/main.ts') } },
    })
  }

  test('exercises come from where the run says, also between exercise files', async () => {
    const world = await run({
      'target/inner/part.ts': `export const inner = ''`,
      'lab/solution/lease.ts': `import { shard } from './shard.ts'; export const lease = 'lease+' + shard`,
    })
    expect(world.stderr.main).toBe('')
    expect(world.stdout.main).toBe('target shard functionx lease+target shard functionx\n')
    expect(world.events[0]).toMatchObject({ kind: 'process.started', program: 'app/main.ts' })
  })

  const REFUSED: readonly (readonly [claim: string, specifier: string, pattern: RegExp])[] = [
    ['a file of the lab beside the folder', '../lab/app/keys.ts', /outside the folder under test/],
    ['an absolute path', '/etc/hosts', /an absolute path/],
    ['a file URL', 'file:///etc/hosts', /an absolute path/],
    ['a data URL', 'data:text/javascript,export default 1', /no file, package or built-in/],
    ['an import name of its own', '#app/keys', /no import name/],
    [
      'an exercise that does not exist',
      '#exercises/gone.ts',
      /no exercise file 'gone\.ts'.*lease\.ts, shard\.ts/,
    ],
  ]
  for (const [claim, specifier, pattern] of REFUSED) {
    test.concurrent(`refused with file and line: ${claim}`, async () => {
      const world = await run({
        'target/shard.ts': `// first line\nimport * as x from '${specifier}'\nexport const shard = x`,
      })
      const error = told(world.events)
      expect(error?.message).toMatch(pattern)
      expect(error).toMatchObject({ line: 2, column: 20 })
      expect(error?.file).toMatch(/target\/shard\.ts$/)
      expect(world.exits.main?.code).toBe(1)
    })
  }

  test('refused: a link inside the folder that leads out of it', async () => {
    const world = await run(
      { 'target/shard.ts': `import { key } from './link.ts'\nexport const shard = key` },
      (dir) => {
        mkdirSync(join(dir, 'target'))
        symlinkSync(join(dir, 'lab/app/keys.ts'), join(dir, 'target/link.ts'))
      },
    )
    expect(told(world.events)?.message).toMatch(
      /shard\.ts:1 imports '\.\/link\.ts', which is a link to/,
    )
  })

  test('refused: require and import() of what import may not have', async () => {
    const world = await run({
      'target/shard.ts': `import { createRequire } from 'node:module'
        const require = createRequire(import.meta.url)
        for (const load of [() => require('../lab/app/keys.ts'), () => import('../lab/app/keys.ts')]) {
          try { await load(); console.log('loaded') } catch (error) { console.log(error.code) }
        }
        try { createRequire('/etc/x.js')('./hosts'); console.log('loaded') } catch (error) { console.log(error.code) }
        export const shard = 's'`,
    })
    expect(world.stdout.main?.split('\n').slice(0, 3)).toEqual([
      'ERR_IMPORT_OUTSIDE_TARGET',
      'ERR_IMPORT_OUTSIDE_TARGET',
      'ERR_IMPORT_OUTSIDE_PROGRAM',
    ])
  })
})
