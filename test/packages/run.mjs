/**
 * Runs one case of cases.mjs in a world, in a child process, from a folder that holds the programs and
 * sees the packages. Plain JavaScript, as `pnpm packages` uses it without a build.
 */

import { spawn } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url))
const CHILD = fileURLToPath(new URL('../host/world-child.mjs', import.meta.url))
const FLAGS = [
  '--experimental-vm-modules',
  '--disallow-code-generation-from-strings',
  '--no-warnings',
]
const UNTIL_MS = 120_000
const REAL_LIMIT_MS = 60_000

/**
 * `{ versions, problem, digest, virtualMs, realMs }`; `problem` is null when the case is good, else
 * what was expected and what came.
 */
export async function runCase(tested, folder = PROGRAMS, seed = 'packages') {
  const dir = realpathSync(folder)
  const processes = {}
  for (const [name, file] of Object.entries(tested.programs)) {
    processes[name] = { file: join(dir, file), cwd: dir }
  }
  const job = {
    processes,
    seed,
    untilMs: UNTIL_MS,
    epochMs: Date.UTC(2026, 0, 5, 9),
    verbs: tested.verbs,
    loadHints: true,
    redis: tested.redis ?? false,
    stopAfter: tested.decides,
  }
  const begun = performance.now()
  const { events, digest, nowUs, end } = JSON.parse(await runChild(JSON.stringify(job)))
  return {
    versions: tested.packages.map((name) => `${name} ${manifestOf(name, dir).version}`),
    problem: problemOf(tested.decides, events, end),
    digest,
    virtualMs: nowUs / 1000,
    realMs: performance.now() - begun,
  }
}

/** Null, or what was expected and what came. */
export function problemOf(decides, events, end) {
  const outputs = events.filter(({ kind }) => kind === 'process.output')
  const errors = outputs.filter(({ stream }) => stream === 'stderr')
  if (errors.length > 0) {
    const [{ process }] = errors
    const told = errors.filter((line) => line.process === process).map(({ text }) => text)
    return `${process} wrote to stderr, where nothing was expected:\n${told.join('\n')}`
  }
  const exit = events.find(({ kind, process }) => kind === 'process.exited' && process === decides)
  if (exit?.code !== 0) {
    const got = exit === undefined ? `it still ran (${JSON.stringify(end)})` : `code ${exit.code}`
    return `${decides}: expected an end with code 0, got ${got}`
  }
  const last = outputs.findLast(({ process }) => process === decides)?.text
  return last === 'ok' ? null : `${decides}: expected 'ok' as its last line, got '${last}'`
}

/** A package.json from the package's own folder, since many do not export theirs. */
export function manifestOf(name, dir) {
  const { paths } = createRequire(join(dir, '_.js')).resolve
  for (const folder of paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  throw new Error(`${name} is not installed where ${dir} can see it. Run pnpm install.`)
}

function runChild(job) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...FLAGS, CHILD], {
      cwd: dirname(CHILD),
      env: { TZ: 'UTC', LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      timeout: REAL_LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    let result = ''
    let noise = ''
    child.stdio[3].setEncoding('utf8').on('data', (text) => {
      result += text
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        noise += text
      })
    }
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (result !== '') resolve(result)
      else reject(new Error(`the world's child ended with ${code ?? signal}:\n${noise}`))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(job)
  })
}
