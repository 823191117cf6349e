/**
 * How an error that ended a process is told: as Node prints it, and as the trace keeps it.
 *
 * Everything about the error is read guardedly: it may be no Error, and its getters are the code
 * under test's. Frames of the host itself are left out. Lines and columns from 1.
 */

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect, types } from 'node:util'
import { picture } from './modules/compile.ts'
import { readText } from './modules/disk.ts'
import type { Place } from './modules/errors.ts'

const HOST_DIR = dirname(fileURLToPath(import.meta.url))
const OUR_DIRS = [HOST_DIR, join(HOST_DIR, '..', 'sim'), join(HOST_DIR, '..', 'arm')]

/** Node's own parts that carry the world: they say nothing about the program. */
const MACHINERY =
  /\bnode:(?:vm|internal\/(?:vm|world\/|process\/task_queues|timers:\d+:\d+\)?$))|\bReflect\.apply\b/

export interface ErrorFacts {
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly place: Place | null
}

/** `preferred`: whether a file is the code under test; else the first frame in any file counts. */
export function factsOf(error: unknown, preferred: (file: string) => boolean): ErrorFacts {
  if (!isErrorLike(error)) {
    return { name: 'Uncaught', message: shown(error), stack: '', place: null }
  }
  const stack = cleanStack(textOf(error, 'stack'))
  const known = placeOn(error)
  const frames = framesOf(stack)
  const place =
    known ?? frames.find(({ file }) => preferred(file)) ?? frames.find(isOwn) ?? frames[0] ?? null
  return { name: textOf(error, 'name') || 'Error', message: textOf(error, 'message'), stack, place }
}

/** What Node writes to stderr before it ends with code 1. */
export function uncaughtText(error: unknown): string {
  const version = `\n\nNode.js ${process.version}\n`
  if (!isErrorLike(error)) {
    return `Uncaught:\n${shown(error)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)${version}`
  }
  const stack = textOf(error, 'stack')
  const body = cleanStack(shown(error))
  // A file that cannot be read as code: its stack opens with the place, and there are no frames.
  if (placeOn(error) !== null && !/^\s+at /m.test(stack)) return `${stack}${version}`
  const first = framesOf(cleanStack(stack))[0]
  return `${first === undefined ? '' : sourceHead(first)}${body}${version}`
}

/** `file:line`, the line, a mark below it; what stands above the stack. */
function sourceHead(place: Place): string {
  try {
    return `${place.file}:${place.line}\n${picture(readText(place.file), place)}\n`
  } catch {
    return ''
  }
}

/** Frames in files, outermost last. */
export function framesOf(stack: string): Place[] {
  const frames: Place[] = []
  for (const line of stack.split('\n')) {
    const at = /^\s+at (?:.*?\()?(?:async )?((?:file:\/\/|\/).*?):(\d+):(\d+)\)?$/.exec(line)
    if (at === null) continue
    const [, where = '', row, column] = at
    const file = where.startsWith('file://') ? pathOf(where) : where
    frames.push({ file, line: Number(row), column: Number(column) })
  }
  return frames
}

function isOwn({ file }: Place): boolean {
  return !file.includes('/node_modules/')
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''))
  } catch {
    return url
  }
}

/** Without the frames of the world around the process. */
export function cleanStack(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => {
      if (!/^\s+at /.test(line)) return true
      return !OUR_DIRS.some((dir) => line.includes(dir)) && !MACHINERY.test(line)
    })
    .join('\n')
}

function isErrorLike(error: unknown): error is object {
  return types.isNativeError(error)
}

function placeOn(error: object): Place | null {
  try {
    const { place } = error as { place?: Partial<Place> | null }
    const { file, line, column } = place ?? (error as Partial<Place>)
    if (typeof file !== 'string' || typeof line !== 'number' || typeof column !== 'number')
      return null
    return { file, line, column }
  } catch {
    return null
  }
}

function textOf(error: object, key: 'name' | 'message' | 'stack'): string {
  try {
    const value = (error as Record<string, unknown>)[key]
    return value === undefined ? '' : String(value)
  } catch {
    return ''
  }
}

function shown(value: unknown): string {
  try {
    return inspect(value)
  } catch {
    return 'an error that cannot be shown'
  }
}
