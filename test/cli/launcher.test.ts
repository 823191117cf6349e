import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BuildError, ensureBuilt, withJsSpecifiers } from '../../bin/build.mjs'
import { launch, ROOT } from './launch.ts'

/** A small project of its own, with the real launcher. */
let root = ''
let launcher = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'leaselab-launcher-'))
  launcher = join(root, 'bin', 'leaselab.mjs')
  cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'))
  mkdirSync(join(root, 'node_modules', '@swc'), { recursive: true })
  symlinkSync(
    join(ROOT, 'node_modules', '@swc', 'wasm-typescript'),
    join(root, 'node_modules', '@swc', 'wasm-typescript'),
  )
  write('src/cli/main.ts', mainSaying('first'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

function mainSaying(word: string): string {
  return `export async function main(layout: object, argv: readonly string[]) {
  process.stdout.write('${word}\\n')
  return { exitCode: 0, program: null }
}
`
}

const say = async (): Promise<string> => (await launch([], { cwd: root, launcher })).stdout

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
}

describe('the mirror', () => {
  it('follows an edit, also one of the same length, and is left alone when nothing changed', async () => {
    expect(await say()).toBe('first\n')
    const built = join(root, 'node_modules/.cache/leaselab/build/src/cli/main.js')
    const before = statSync(built).mtimeMs
    expect(await say()).toBe('first\n')
    expect(statSync(built).mtimeMs).toBe(before)
    write('src/cli/main.ts', mainSaying('other'))
    expect(await say()).toBe('other\n')
  })

  it('does not build again what was only touched', () => {
    const built = join(ensureBuilt(root), 'src/cli/main.js')
    const before = statSync(built).mtimeMs
    utimesSync(join(root, 'src/cli/main.ts'), new Date(), new Date())
    ensureBuilt(root)
    expect(statSync(built).mtimeMs).toBe(before)
  })

  it('drops what has gone from the source', () => {
    write('src/gone.ts', 'export const gone: number = 1\n')
    const dir = ensureBuilt(root)
    expect(existsSync(join(dir, 'src/gone.js'))).toBe(true)
    unlinkSync(join(root, 'src/gone.ts'))
    ensureBuilt(root)
    expect(existsSync(join(dir, 'src/gone.js'))).toBe(false)
  })

  it('mends an output that was deleted or cut', () => {
    const built = join(ensureBuilt(root), 'src/cli/main.js')
    const text = readFileSync(built, 'utf8')
    unlinkSync(built)
    ensureBuilt(root)
    expect(readFileSync(built, 'utf8')).toBe(text)
    writeFileSync(built, 'cut')
    ensureBuilt(root)
    expect(readFileSync(built, 'utf8')).toBe(text)
  })

  it('keeps lines and columns', () => {
    const source =
      'import type { A } from "./a.ts"\nexport const x: number = 1; export const y = 2\n'
    write('src/shape.ts', source)
    const code = readFileSync(join(ensureBuilt(root), 'src/shape.js'), 'utf8')
    expect(code.split('\n')[1]?.indexOf('export const y')).toBe(
      source.split('\n')[1]?.indexOf('export const y'),
    )
  })

  it('holds manifests and checks of labs, and nothing else of a lab', () => {
    write('labs/course/lab/lab.ts', 'export default 1 as number\n')
    write('labs/course/lab/checks/one.ts', 'export const one: number = 1\n')
    write('labs/course/lab/starter/shard.ts', 'enum NotForUs { A }\n')
    const dir = ensureBuilt(root)
    expect(filesIn(join(dir, 'labs'))).toEqual(['course/lab/checks/one.js', 'course/lab/lab.js'])
  })

  it('leads a self-reference to the mirror', () => {
    const { name, exports } = JSON.parse(
      readFileSync(join(ensureBuilt(root), 'package.json'), 'utf8'),
    )
    expect(name).toBe('leaselab')
    expect(exports['./judge']).toBe('./src/judge/index.js')
  })

  it('can lie outside of the project; packages are found all the same', async () => {
    write('src/uses.ts', "export { transformSync } from '@swc/wasm-typescript'\n")
    const elsewhere = mkdtempSync(join(tmpdir(), 'leaselab-elsewhere-'))
    const dir = ensureBuilt(root, elsewhere)
    expect(await import(join(dir, 'src/uses.js'))).toHaveProperty('transformSync')
    rmSync(elsewhere, { recursive: true, force: true })
  })

  it('lies under the temporary folder where node_modules cannot be written', async () => {
    // A file in the cache's place stands in for missing rights, which root would not notice.
    writeFileSync(join(root, 'node_modules', '.cache'), '')
    const temporary = mkdtempSync(join(tmpdir(), 'leaselab-temporary-'))
    const around = { cwd: root, launcher, env: { TMPDIR: temporary } }
    expect(await launch([], around)).toEqual({ code: 0, stdout: 'first\n', stderr: '' })
    expect(filesIn(temporary).some((file) => file.endsWith('src/cli/main.js'))).toBe(true)
    rmSync(temporary, { recursive: true, force: true })
  })

  it('survives six first starts at once: each runs, and no draft is left behind', async () => {
    for (let i = 0; i < 40; i++) write(`src/many/m${i}.ts`, `export const n: number = ${i}\n`)
    const all = await Promise.all(Array.from({ length: 6 }, say))
    expect(all).toEqual(Array.from({ length: 6 }, () => 'first\n'))
    const drafts = filesIn(join(root, 'node_modules/.cache')).filter((file) =>
      file.endsWith('.tmp'),
    )
    expect(drafts).toEqual([])
  })
})

describe('a Node that is too old', () => {
  it.each(['18.20.4', '20.18.3'])('%s is told so in one line: exit 3', async (version) => {
    write(
      'old.cjs',
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })\n`,
    )
    const env = { NODE_OPTIONS: `--require "${join(root, 'old.cjs')}"` }
    expect(await launch([], { cwd: root, launcher, env })).toEqual({
      code: 3,
      stdout: '',
      stderr: `leaselab needs Node 20.19 or newer; this is ${version}.\n`,
    })
  })
})

describe('a fault of our own', () => {
  it('a file that cannot be stripped is named with its line: exit 4', async () => {
    write('src/broken.ts', 'export const fine = 1\nenum Colour { Red }\n')
    expect(() => ensureBuilt(root)).toThrow(BuildError)
    const { code, stdout, stderr } = await launch([], { cwd: root, launcher })
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toMatch(/^leaselab cannot be built from its own source:\nsrc\/broken\.ts:2:1: /)
  })

  it('an error is told as ours, in the names of the TypeScript files: exit 4', async () => {
    write('src/cli/main.ts', 'export async function main() {\n  throw new TypeError("oh")\n}\n')
    const { code, stderr } = await launch([], { cwd: root, launcher })
    expect(code).toBe(4)
    expect(stderr).toMatch(
      /^This is a bug in leaselab itself, not in the code that it looked at\.\nTypeError: oh\n/,
    )
    expect(stderr).toContain('at main (src/cli/main.ts:2:9)')
  })

  it('with --json it is JSON on stdout', async () => {
    write('src/cli/main.ts', 'export async function main() {\n  throw new TypeError("oh")\n}\n')
    const { code, stdout, stderr } = await launch(['--json'], { cwd: root, launcher })
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, exitCode: 4 })
  })

  it('packages that are not installed are a matter of usage, with the command to run: exit 3', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    const { code, stderr } = await launch([], { cwd: root, launcher })
    expect(code).toBe(3)
    expect(stderr).toBe(
      `A package of leaselab is not installed. Run in ${root}: npx -y pnpm@12.4.2 install\n`,
    )
  })
})

describe('withJsSpecifiers', () => {
  it('is through a long text of comments and divisions without a quote at once', () => {
    const text = `export function f() {\n${'  // on / and on\n  a = b / c /* d */\n'.repeat(500)}}\n`
    const begun = performance.now()
    expect(withJsSpecifiers(text)).toBe(text)
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  it.each([
    ["import { a } from './a.ts'", "import { a } from './a.js'"],
    ["import './a.ts'", "import './a.js'"],
    ["export * from '../x/a.ts'", "export * from '../x/a.js'"],
    [
      "import {\n  a, // it's\n  b,\n} from './a.ts'",
      "import {\n  a, // it's\n  b,\n} from './a.js'",
    ],
    ["const m = await import('./a.ts')", "const m = await import('./a.js')"],
    ["const text = ' from ./a.ts'", "const text = ' from ./a.ts'"],
    ["import ts from 'pkg/a.ts'", "import ts from 'pkg/a.ts'"],
  ])('%j → %j', (from, to) => {
    expect(withJsSpecifiers(from)).toBe(to)
  })
})
