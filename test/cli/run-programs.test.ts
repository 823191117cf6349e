/**
 * What `leaselab run` takes for a program: every extension that Node or a type stripper reads, with
 * the format that the nearest package.json states, each run twice with one trace.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { launch } from './launch.ts'

const dir = mkdtempSync(join(tmpdir(), 'leaselab-run-programs-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const run = (...args: string[]) => launch(['run', ...args], { cwd: dir })

const CJS = `const { basename } = require('node:path')
console.log('cjs', basename(__filename), typeof module, process.argv.length, this === module.exports)
`
const ESM = `import { basename } from 'node:path'
console.log('esm', basename(import.meta.filename), typeof module, process.argv.length, this === undefined)
`
const typed = (text: string): string =>
  `${text}interface Lease { readonly ttlMs: number }\nconst lease = { ttlMs: 5 } satisfies Lease\nconsole.log(lease.ttlMs as number)\n`
const said = (format: string, file: string): string =>
  `${format} ${file} ${format === 'cjs' ? 'object' : 'undefined'} 3 true\n`

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, dirname(name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
}

write({
  'none/package.json': '{}',
  'none/plain.js': CJS,
  'none/syntax.js': ESM,
  'none/typed.ts': typed(ESM),
  'commonjs/package.json': '{ "type": "commonjs" }',
  'commonjs/stated.js': CJS,
  'module/package.json': '{ "type": "module" }',
  'module/stated.js': ESM,
  'module/typed.ts': typed(ESM),
  'module/own.cjs': CJS,
  'module/own.cts': typed(CJS),
  'commonjs/own.mjs': ESM,
  'commonjs/own.mts': typed(ESM),
  'commonjs/typed.ts': typed(CJS),
})

describe('a program is read as its extension and the nearest package.json say', () => {
  it.each([
    ['none/plain.js', 'cjs'],
    ['none/syntax.js', 'esm'],
    ['none/typed.ts', 'esm'],
    ['commonjs/stated.js', 'cjs'],
    ['commonjs/own.mjs', 'esm'],
    ['commonjs/own.mts', 'esm'],
    ['commonjs/typed.ts', 'cjs'],
    ['module/stated.js', 'esm'],
    ['module/typed.ts', 'esm'],
    ['module/own.cjs', 'cjs'],
    ['module/own.cts', 'cjs'],
  ])('%s is %s', async (file, format) => {
    const name = file.slice(file.indexOf('/') + 1)
    const own = said(format, name)
    const { code, stdout, stderr } = await run(file, 'argument')
    expect(stderr).toBe('')
    expect({ code, stdout }).toEqual({ code: 0, stdout: /ts$/.test(file) ? `${own}5\n` : own })
  })

  it('options behind -- are the program’s own', async () => {
    write({ 'own.mjs': 'console.log(process.argv.slice(2).join(" "))' })
    expect((await run('own.mjs', '--', '--seed', 'x', '-v')).stdout).toBe('--seed x -v\n')
  })

  it('an enum is refused with its place and what to write', async () => {
    write({ 'enum.ts': '\nenum Kind { A }\nconsole.log(Kind.A)\n' })
    const { code, stderr } = await run('enum.ts')
    expect(code).toBe(1)
    expect(stderr).toMatch(/enum\.ts:2[\s\S]*enum/i)
  })
})

describe('the world around it', () => {
  it('has a Redis behind REDIS_URL that two programs share, and one seed gives one trace', async () => {
    const talk = (own: string): string => `import { connect } from 'node:net'
const { hostname, port } = new URL(process.env.REDIS_URL ?? '')
const redis = connect(Number(port), hostname)
redis.setEncoding('utf8').on('data', (text) => { console.log(text.trim().split('\\r\\n').at(-1)); redis.end() })
setTimeout(() => redis.write('${own}\\r\\n'), ${own.startsWith('SET') ? 10 : 500})
`
    write({ 'sets.mts': talk('SET lease a'), 'gets.mjs': talk('GET lease') })
    const both = ['--process', 'a=sets.mts', '--process', 'b=gets.mjs']
    const first = await run(...both, '--seed', '7', '--trace', 'one.jsonl')
    expect(first).toEqual({ code: 0, stdout: 'a | +OK\nb | a\n', stderr: '' })
    await run(...both, '--seed', '7', '--trace', 'two.jsonl')
    await run(...both, '--seed', '8', '--trace', 'other.jsonl')
    const [one, two, other] = ['one', 'two', 'other'].map((name) =>
      readFileSync(join(dir, `${name}.jsonl`), 'utf8').replace(/"seed":"\d"/, ''),
    )
    expect(two).toBe(one)
    expect(other).not.toBe(one)
  })
})
