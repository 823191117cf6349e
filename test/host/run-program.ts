/**
 * Runs programs in a world of their own, in a child process: a world never runs in the test
 * runner's process, which owns `unhandledRejection` and patches `process.exit`.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { ProgramFiles } from '../../src/scenario/program-files.ts'
import type { TraceEvent } from '../../src/trace/events.ts'

const CHILD = fileURLToPath(new URL('./world-child.mjs', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export interface ProgramUnderTest {
  /** Text of the program; written to `<name>.mjs` unless `as` says otherwise. */
  readonly source?: string
  /** Instead of `source`: an absolute path. */
  readonly file?: string
  /** File name for `source`; its extension decides how it is read. */
  readonly as?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly pid?: number
  readonly isPid1?: boolean
  /** Not started with the world, but by a verb. */
  readonly later?: boolean
}

export interface Verb {
  readonly atMs: number
  readonly process: string
  readonly verb: 'freeze' | 'thaw' | 'signal' | 'start'
  readonly signal?: string
}

export interface RunRequest {
  readonly processes: Readonly<Record<string, ProgramUnderTest>>
  readonly seed?: string
  /** Virtual. Default ten minutes. */
  readonly untilMs?: number
  readonly epochMs?: number
  readonly verbs?: readonly Verb[]
  /** Further files of the programs' folder, by relative path. */
  readonly files?: Readonly<Record<string, string>>
  /** Made from the programs' folder, where a lab's overlay is wanted. */
  readonly overlay?: (dir: string) => ProgramFiles
  /** For the child itself: TZ, LANG. */
  readonly childEnv?: Readonly<Record<string, string>>
  /** Default true; see load-hints.ts. */
  readonly loadHints?: boolean
  /** Real clocks, timers, files and threads behind `node:punycode`; see real-things.mjs. */
  readonly realThings?: boolean
  /** Command in front of the child's, e.g. strace. The child then marks the world's begin and end. */
  readonly under?: readonly string[]
  /** A folder that exists; default a fresh one. Packages are found from the repository either way. */
  readonly dir?: string
}

export interface RunResult {
  /** By process, all incarnations together. */
  readonly stdout: Readonly<Record<string, string>>
  readonly stderr: Readonly<Record<string, string>>
  /** Of the last incarnation; undefined when it still runs. */
  readonly exits: Readonly<
    Record<string, { code: number | null; signal: string | null; cause: string } | undefined>
  >
  readonly events: readonly TraceEvent[]
  readonly digest: string
  readonly end: { readonly why: string; readonly detail?: string }
  readonly nowUs: number
  readonly fired: number
}

/** Folders made here: they go with the test file that asked for them. */
const folders: string[] = []
afterAll(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true })
})

/** A fresh folder that sees the repository's packages, so that `import 'ioredis'` is found. */
export function programFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'leaselab-host-')))
  folders.push(dir)
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

export function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
}

/** One program, one process named `main`. */
export async function runOne(
  source: string,
  request: Omit<RunRequest, 'processes'> & ProgramUnderTest = {},
): Promise<RunResult & { out: string; err: string; code: number | null | undefined }> {
  const { as, env, args, pid, isPid1, ...rest } = request
  const program = { source, as, env, args, pid, isPid1 }
  const result = await runPrograms({ ...rest, processes: { main: dropUndefined(program) } })
  return {
    ...result,
    out: result.stdout.main ?? '',
    err: result.stderr.main ?? '',
    code: result.exits.main?.code,
  }
}

function dropUndefined<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

export async function runPrograms(request: RunRequest): Promise<RunResult> {
  const dir = request.dir ?? programFolder()
  try {
    return await runIn(dir, request)
  } finally {
    if (request.dir === undefined) rmSync(dir, { recursive: true, force: true })
  }
}

async function runIn(dir: string, request: RunRequest): Promise<RunResult> {
  writeFiles(dir, request.files ?? {})
  const processes: Record<string, object> = {}
  for (const [name, program] of Object.entries(request.processes)) {
    const file = program.file ?? join(dir, program.as ?? `${name}.mjs`)
    if (program.source !== undefined)
      writeFiles(dir, { [program.as ?? `${name}.mjs`]: program.source })
    processes[name] = { ...program, source: undefined, file, cwd: dir }
  }
  const job = {
    processes,
    seed: request.seed ?? 'test',
    untilMs: request.untilMs ?? 600_000,
    epochMs: request.epochMs ?? Date.UTC(2026, 0, 5, 9, 0, 0),
    verbs: request.verbs ?? [],
    files: request.overlay?.(dir),
    loadHints: request.loadHints ?? true,
    realThings: request.realThings ?? false,
    marks: request.under !== undefined,
  }
  const raw = await runChild(JSON.stringify(job), request.childEnv ?? {}, request.under)
  const { events, ...rest } = JSON.parse(raw) as Omit<RunResult, 'stdout' | 'stderr' | 'exits'>
  const text = (stream: 'stdout' | 'stderr'): Record<string, string> => {
    const all: Record<string, string> = {}
    for (const name of Object.keys(processes)) all[name] = ''
    for (const event of events) {
      if (event.kind !== 'process.output' || event.stream !== stream) continue
      all[event.process] = `${all[event.process] ?? ''}${event.text}\n`
    }
    return all
  }
  const exits: Record<string, { code: number | null; signal: string | null; cause: string }> = {}
  for (const event of events) if (event.kind === 'process.exited') exits[event.process] = event
  return { ...rest, events, stdout: text('stdout'), stderr: text('stderr'), exits }
}

const FLAGS = [
  '--experimental-vm-modules',
  '--disallow-code-generation-from-strings',
  '--no-warnings',
]

function runChild(
  job: string,
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): Promise<string> {
  const [command = '', ...args] = [...under, process.execPath, ...FLAGS, CHILD]
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { TZ: 'UTC', LC_ALL: 'C', TMPDIR: tmpdir(), ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    })
    let out = ''
    let err = ''
    const result = child.stdio[3] as NodeJS.ReadableStream
    result.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        err += text
      })
    }
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (out !== '') resolve(out)
      else reject(new Error(`the world's child ended with ${code ?? signal}:\n${err}`))
    })
    child.stdin?.end(job)
  })
}

/** The same program in real Node. */
export async function runInNode(
  source: string,
  as = 'main.mjs',
  folder?: string,
): Promise<{ out: string; err: string; code: number | null; signal: string | null }> {
  const dir = folder ?? programFolder()
  writeFiles(dir, { [as]: source })
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(dir, as)], {
      cwd: dir,
      env: { TZ: 'UTC', LC_ALL: 'C', PATH: process.env.PATH ?? '' },
      timeout: 20_000,
      killSignal: 'SIGKILL',
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (folder === undefined) rmSync(dir, { recursive: true, force: true })
      resolve({ out, err, code, signal })
    })
  })
}
