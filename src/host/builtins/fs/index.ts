/**
 * `node:fs` and `node:fs/promises` of one process: it may read its own files and write to 1 and 2.
 *
 * Reading is answered from the real disk through `AllowedFiles`; descriptor 0 is empty. Writing
 * anything else, watching and changing files are refused: a file is no part of the world, and would
 * outlive it. Callback and promise forms answer in a later event.
 */

import * as real from 'node:fs'
import { Readable } from 'node:stream'
import type { HostContext } from '../../context.ts'
import { answerCallback, answerPromise, later } from '../later.ts'
import { refusedCall, refusedCalls } from '../refusing.ts'
import { fileError } from '../system-error.ts'
import { AllowedFiles } from './allowed.ts'

type Callback = (error: unknown, ...values: unknown[]) => void
type Work = (...args: unknown[]) => unknown

const REFUSED =
  'appendFile chmod chown copyFile cp fchmod fchown fdatasync ftruncate futimes lchmod lchown link lutimes mkdir mkdtemp opendir readlink rename rm rmdir statfs symlink truncate unlink utimes writeFile writev readv glob'

const INSTEAD =
  'A process may read its own files and write to process.stdout and process.stderr. Keep data in memory or in a server of the scenario.'

interface OpenFile {
  readonly path: string
  readonly bytes: Buffer
  position: number
}

function encodingOf(options: unknown): BufferEncoding | null {
  if (typeof options === 'string') return options as BufferEncoding
  const { encoding } = (options ?? {}) as { encoding?: BufferEncoding | null }
  return encoding ?? null
}

function standardStream(fd: unknown): 'stdout' | 'stderr' | null {
  if (fd === 1) return 'stdout'
  return fd === 2 ? 'stderr' : null
}

/** Synchronous forms, by name without `Sync`. The other two forms are made from them. */
function makeCalls(context: HostContext): Record<string, Work> {
  const files = new AllowedFiles(context)
  const opened = new Map<number, OpenFile>()
  let nextFd = 20
  const fileOf = (fd: unknown, syscall: string): OpenFile => {
    const file = opened.get(fd as number)
    if (file !== undefined) return file
    throw Object.assign(new Error(`EBADF: bad file descriptor, ${syscall}`), {
      code: 'EBADF',
      errno: -9,
      syscall,
    })
  }
  const refuse = (call: string): never => context.unsupported(`fs.${call}`, INSTEAD)
  return {
    readFile: (path, options) => {
      const bytes =
        path === 0
          ? Buffer.alloc(0)
          : typeof path === 'number'
            ? Buffer.from(fileOf(path, 'read').bytes)
            : files.read(path)
      const encoding = encodingOf(options)
      return encoding === null || (encoding as string) === 'buffer'
        ? bytes
        : bytes.toString(encoding)
    },
    access: (path, mode) => {
      files.find(path, 'access')
      if (((mode as number | undefined) ?? 0) & real.constants.W_OK) {
        throw fileError('EACCES', 'access', String(path))
      }
    },
    stat: (path, options) => statOr(() => files.stat(path, 'stat'), options),
    lstat: (path, options) => statOr(() => files.stat(path, 'lstat'), options),
    fstat: (fd) => files.stat(fileOf(fd, 'fstat').path, 'fstat'),
    readdir: (path, options) =>
      files.list(
        path,
        Boolean((options as { withFileTypes?: boolean } | undefined)?.withFileTypes),
      ),
    realpath: (path) => files.find(path, 'lstat'),
    open: (path, flags = 'r') => {
      if (flags !== 'r' && flags !== real.constants.O_RDONLY)
        return refuse(`open (${String(flags)})`)
      const fd = nextFd++
      opened.set(fd, { path: files.find(path, 'open'), bytes: files.read(path), position: 0 })
      return fd
    },
    close: (fd) => {
      if (standardStream(fd) !== null || fd === 0) return
      fileOf(fd, 'close')
      opened.delete(fd as number)
    },
    read: (fd, buffer, offset, length, position) => {
      if (fd === 0) return 0
      const file = fileOf(fd, 'read')
      const target = buffer as Uint8Array
      const options = (
        typeof offset === 'object' && offset !== null ? offset : { offset, length, position }
      ) as {
        offset?: number
        length?: number
        position?: number | null
      }
      const at = options.offset ?? 0
      const from =
        typeof options.position === 'number' && options.position >= 0
          ? options.position
          : file.position
      const part = file.bytes.subarray(from, from + (options.length ?? target.byteLength - at))
      target.set(part, at)
      if (from === file.position) file.position += part.length
      return part.length
    },
    write: (fd, data, offset, length) => {
      const stream = standardStream(fd)
      if (stream === null) return refuse('write')
      const text =
        typeof data === 'string'
          ? data
          : Buffer.from(data as Uint8Array)
              .subarray((offset as number | undefined) ?? 0)
              .subarray(0, (length as number | undefined) ?? undefined)
              .toString()
      context.write(stream, text)
      return Buffer.byteLength(text)
    },
    fsync: (fd) => {
      if (standardStream(fd) === null) refuse('fsync')
    },
  }
}

/** `throwIfNoEntry: false` asks for undefined in place of ENOENT. */
function statOr(stat: () => unknown, options: unknown): unknown {
  try {
    return stat()
  } catch (error) {
    if ((options as { throwIfNoEntry?: boolean } | undefined)?.throwIfNoEntry === false)
      return undefined
    throw error
  }
}

export function makeFs(context: HostContext): object {
  const calls = makeCalls(context)
  const fs: Record<string, unknown> = {
    constants: { ...real.constants },
    F_OK: 0,
    R_OK: 4,
    W_OK: 2,
    X_OK: 1,
    Stats: real.Stats,
    Dirent: real.Dirent,
    ...refusedCalls(context, 'fs', REFUSED, INSTEAD),
    ...refusedCalls(
      context,
      'fs',
      REFUSED.split(' ')
        .map((name) => `${name}Sync`)
        .join(' '),
      INSTEAD,
    ),
    ...refusedCalls(
      context,
      'fs',
      'watch watchFile createWriteStream openAsBlob WriteStream ReadStream',
      INSTEAD,
    ),
    unwatchFile: () => {},
  }
  for (const [name, work] of Object.entries(calls)) {
    fs[`${name}Sync`] = work
    fs[name] = (...args: unknown[]) => {
      const callback = args.pop() as Callback
      answerCallback(
        context,
        () => work(...args),
        (error, value) => {
          // These two tell the buffer as well.
          if (error !== null) callback(error)
          else if (name === 'read' || name === 'write') callback(null, value, args[1])
          else callback(null, value)
        },
      )
    }
  }
  const exists = (path: unknown): boolean => {
    try {
      calls.access!(path)
      return true
    } catch {
      return false
    }
  }
  fs.existsSync = exists
  fs.exists = (path: unknown, callback: (found: boolean) => void) => {
    const found = exists(path)
    later(context, () => callback(found))
  }
  Object.assign(fs.realpath as object, { native: fs.realpath })
  Object.assign(fs.realpathSync as object, { native: fs.realpathSync })
  fs.createReadStream = (path: unknown, options?: unknown) =>
    readStream(context, path, encodingOf(options), calls.readFile as (path: unknown) => Buffer)
  return Object.defineProperty(fs, 'promises', {
    get: () => context.builtin('fs/promises'),
    enumerable: true,
    configurable: true,
  })
}

/** The whole file in one piece, in a later event. */
function readStream(
  context: HostContext,
  path: unknown,
  encoding: BufferEncoding | null,
  read: (path: unknown) => Buffer,
): Readable {
  let asked = false
  const stream = new Readable({
    ...(encoding === null ? {} : { encoding }),
    read() {
      if (asked) return
      asked = true
      answerCallback(
        context,
        () => read(path),
        (error, bytes) => {
          if (bytes === undefined) {
            stream.destroy(error as Error)
            return
          }
          stream.emit('open', 20)
          stream.emit('ready')
          if (bytes.length > 0) stream.push(bytes)
          stream.push(null)
        },
      )
    },
  })
  return Object.assign(stream, { path })
}

export function makeFsPromises(context: HostContext): object {
  const calls = makeCalls(context)
  const promises: Record<string, unknown> = {
    constants: { ...real.constants },
    ...refusedCalls(context, 'fs.promises', REFUSED, INSTEAD),
    open: refusedCall(context, 'fs.promises.open', 'Use fs.promises.readFile.'),
    watch: refusedCall(context, 'fs.promises.watch', INSTEAD),
  }
  for (const name of ['readFile', 'access', 'stat', 'lstat', 'readdir', 'realpath']) {
    promises[name] = (...args: unknown[]) => answerPromise(context, () => calls[name]!(...args))
  }
  return promises
}
