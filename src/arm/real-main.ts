/**
 * The child process in which one program of a lab runs for real, started by real-process.ts.
 *
 * It is started ahead of its time, since a start takes a machine as long as it likes, and waits for
 * its order on descriptor 3: a JSON line that says which program, with which arguments. After that the
 * program finds `process.argv` as if Node had been started with it. Without a judge it ends. It behaves as a container's first
 * process, as in the simulated arm: SIGTERM without a handler is ignored. What ends the program
 * uncaught is told on descriptor 3, a JSON line an error, beside what Node prints.
 */

import { readSync, writeSync } from 'node:fs'
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'
import { types } from 'node:util'
import type { ProgramFiles } from '../scenario/program-files.ts'

export interface RealOrder {
  /** Absolute. */
  readonly program: string
  readonly args: readonly string[]
}

/** An error as it crosses the process boundary. */
export interface ToldError {
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly place: unknown
}

const JUDGE_FD = 3

function told(error: unknown): ToldError {
  if (!types.isNativeError(error)) {
    return { name: 'Uncaught', message: String(error), stack: '', place: null }
  }
  const { name, message, stack = '' } = error
  return { name, message, stack, place: (error as { place?: unknown }).place ?? null }
}

/** Stands still until a whole line has come; the event loop has not begun to turn. */
function awaitOrder(): RealOrder {
  const bytes = Buffer.alloc(65_536)
  let line = ''
  while (!line.endsWith('\n')) {
    const count = readSync(JUDGE_FD, bytes)
    if (count === 0) process.exit(0)
    line += bytes.toString('utf8', 0, count)
  }
  return JSON.parse(line) as RealOrder
}

const files = JSON.parse(process.argv[2] ?? '') as ProgramFiles
register(new URL('./real-hooks.js', import.meta.url), { data: files })
writeSync(JUDGE_FD, '\n') // Ready.
const { program, args } = awaitOrder()
process.argv.splice(1, process.argv.length - 1, program, ...args)
process.on('uncaughtExceptionMonitor', (error) => {
  try {
    writeSync(JUDGE_FD, `${JSON.stringify(told(error))}\n`)
  } catch {
    // Nobody listens any more, or the error cannot be shown: Node prints what it can.
  }
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
await import(pathToFileURL(program).href)
