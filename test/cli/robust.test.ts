/**
 * What must never be told as a bug of ours, nor change a verdict: odd paths, a reader that leaves, a
 * disk that is full, and whatever code under test throws.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Verdict } from '../../src/judge/verdict.ts'
import { grade, targetWith } from '../grading/grade.ts'
import { LAB, LAB_DIR, LAUNCHER, launch } from './launch.ts'

const scratch = mkdtempSync(join(tmpdir(), 'leaselab-robust-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const solution = join(LAB_DIR, 'solution')

describe('a target that cannot be reached is a slip: exit 3', () => {
  const loop = join(scratch, 'loop')
  symlinkSync(loop, loop)
  it.each([
    ['a loop of links', loop],
    ['below a file', join(LAB_DIR, 'lab.ts', 'x')],
    ['a name that is too long', join(scratch, 'x'.repeat(5000))],
  ])('%s', async (_, target) => {
    const { code, stderr } = await launch(['grade', LAB, '--target', target])
    expect(code).toBe(3)
    expect(stderr).toContain('The target is not there.')
  })

  it('a file that is a link to itself counts as missing', async () => {
    const dir = join(scratch, 'mine')
    mkdirSync(dir)
    symlinkSync('shard.ts', join(dir, 'shard.ts'))
    symlinkSync(join(solution, 'lease.ts'), join(dir, 'lease.ts'))
    const { code } = await launch(['grade', LAB, '--target', dir, '--check', '1'])
    expect(code).toBe(1)
  })
})

describe('where the target lies', () => {
  it('a folder below node_modules counts as a package: exit 3', async () => {
    const dir = join(scratch, 'node_modules', 'mine')
    cpSync(solution, dir, { recursive: true })
    const { code, stderr } = await launch(['grade', LAB, '--target', dir])
    expect(code).toBe(3)
    expect(stderr).toContain('The target is inside a node_modules folder.')
  })

  it('an exercise that is a link to a file elsewhere is refused, and only its own check fails', async () => {
    const dir = join(scratch, 'linked')
    cpSync(solution, dir, { recursive: true })
    rmSync(join(dir, 'shard.ts'))
    symlinkSync(join(solution, 'shard.ts'), join(dir, 'shard.ts'))
    const { code, stdout } = await launch(['grade', LAB, '--target', dir, '--json'])
    const { checks } = JSON.parse(stdout) as Verdict
    expect(code).toBe(1)
    expect(checks.map(({ status }) => status)).toEqual([
      'violated',
      ...['held', 'held', 'held', 'held'],
    ])
    expect(checks[0]?.got).toContain('shard.ts is a link to')
  })
})

it.each(['--seed', '--target', '--check'])('%s given twice is a slip: exit 3', async (option) => {
  const args = ['grade', LAB, '--target', solution, '--check', '1', '--seed', '1']
  const { code, stderr } = await launch([...args, option, '1'])
  expect(code).toBe(3)
  expect(stderr).toContain(`${option} is given twice.`)
})

describe('what a file prints while it is loaded', () => {
  it.each([
    ['before its end', 'console.log("{}")'],
    ['at the exit of the process', 'process.on("exit", () => console.log("bye"))'],
  ])('changes no verdict: %s', async (_, line) => {
    const source = readFileSync(join(solution, 'shard.ts'), 'utf8')
    const { dir, drop } = targetWith({ 'shard.ts': `${source}\n${line}\n` })
    try {
      const { exitCode } = await grade(dir, ['--check', '1'])
      expect(exitCode).toBe(0)
    } finally {
      drop()
    }
  })

  it('a message of any length is told in short', async () => {
    const { dir, drop } = targetWith({ 'shard.ts': "throw new Error('x'.repeat(200_000))\n" })
    try {
      const { verdict } = await grade(dir, ['--check', '1'])
      expect(verdict.checks[0]?.got).toMatch(/x… \(200\d\d\d characters\)$/)
      expect(JSON.stringify(verdict).length).toBeLessThan(10_000)
    } finally {
      drop()
    }
  })
})

describe('the exit code is the verdict’s', () => {
  const args = [LAUNCHER, 'grade', LAB, '--target', solution, '--check', '1']

  it('when the reader of the report has left', async () => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'exit')
    expect({ code, said }).toEqual({ code: 0, said: '' })
  })

  it.runIf(existsSync('/dev/full'))('4, and one line, when the disk is full', async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] })
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(4)
    expect(said).toContain('The report could not be written: ENOSPC')
    expect(said).not.toContain('    at ')
  })
})

describe('what code under test throws is its failure, not ours', () => {
  it.each([
    ['an object without a prototype', 'Promise.reject(Object.create(null))'],
    ['a text that throws', "Promise.reject({ toString() { throw new Error('boo') } })"],
    ['a revoked proxy', 'const p = Proxy.revocable({}, {})\np.revoke()\nPromise.reject(p.proxy)'],
    [
      'a stack with a host',
      "throw Object.assign(new Error('x'), { stack: 'Error: x\\n    at f (file://host/a%2Fb.ts:1:1)' })",
    ],
    [
      'a stack that is no URL',
      "throw Object.assign(new Error('x'), { stack: 'Error: x\\n    at f (file://%zz:1:1)' })",
    ],
  ])('%s', async (_, thrown) => {
    const source = `export const SHARD_COUNT = 256\nexport function shardOf() {\n${thrown}\nreturn 1\n}\n`
    const { dir, drop } = targetWith({ 'shard.ts': source })
    try {
      const { exitCode, verdict } = await grade(dir, ['--check', '1'])
      expect(exitCode).toBe(1)
      expect(verdict.checks[0]?.status).toBe('violated')
    } finally {
      drop()
    }
  })
})
