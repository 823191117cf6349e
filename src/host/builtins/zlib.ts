/**
 * `node:zlib` without its thread pool.
 *
 * Synchronous calls are Node's own; callback forms do the same work at once and answer in a later
 * event. A stream gathers its input and gives its output when the input ends; `flush` gives nothing
 * before.
 */

import { Transform, type TransformCallback } from 'node:stream'
import real from 'node:zlib'
import type { HostContext } from '../context.ts'
import { watch } from '../shared-objects.ts'
import { callable } from './callable.ts'
import { answerCallback } from './later.ts'
import { refusedCalls } from './refusing.ts'

type Convert = (input: Buffer, options?: object) => Buffer

/** Class of the stream → the synchronous call that does its work. */
const KINDS = {
  Gzip: 'gzipSync',
  Gunzip: 'gunzipSync',
  Deflate: 'deflateSync',
  Inflate: 'inflateSync',
  DeflateRaw: 'deflateRawSync',
  InflateRaw: 'inflateRawSync',
  Unzip: 'unzipSync',
  BrotliCompress: 'brotliCompressSync',
  BrotliDecompress: 'brotliDecompressSync',
} as const

class Converter extends Transform {
  bytesWritten = 0
  readonly #convert: Convert
  readonly #options: object
  readonly #input: Buffer[] = []

  constructor(convert: Convert, options: object = {}) {
    super()
    this.#convert = convert
    this.#options = options
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#input.push(Buffer.from(chunk))
    this.bytesWritten += chunk.length
    done()
  }

  override _flush(done: TransformCallback): void {
    try {
      done(null, this.#convert(Buffer.concat(this.#input), this.#options))
    } catch (error) {
      done(error as Error)
    }
  }

  flush(...args: unknown[]): void {
    const callback = args.at(-1)
    if (typeof callback === 'function') process.nextTick(callback as () => void)
  }

  close(callback?: () => void): void {
    if (callback !== undefined) this.once('close', callback)
    this.destroy()
  }
}

export function makeZlib(context: HostContext): object {
  watch(Converter, 'zlib.Transform')
  const zlib: Record<string, unknown> = {
    constants: real.constants,
    codes: (real as unknown as { codes: object }).codes,
    ...refusedCalls(
      context,
      'zlib',
      'createZstdCompress createZstdDecompress zstdCompress zstdDecompress',
      'Use gzip or brotli.',
    ),
  }
  const { crc32 } = real as unknown as { crc32?: unknown }
  if (crc32 !== undefined) zlib.crc32 = crc32
  for (const [kind, syncName] of Object.entries(KINDS)) {
    const convert = real[syncName] as Convert
    const name = syncName.slice(0, -'Sync'.length)
    zlib[syncName] = convert
    zlib[name] = (input: Buffer, ...rest: unknown[]) => {
      const callback = rest.at(-1) as (error: unknown, value?: Buffer) => void
      const options = rest.length > 1 ? (rest[0] as object) : undefined
      answerCallback(context, () => convert(input, options), callback)
    }
    zlib[`create${kind}`] = (options?: object) => new Converter(convert, options)
    class Kind extends Converter {
      constructor(options?: object) {
        super(convert, options)
      }
    }
    zlib[kind] = callable(Object.defineProperty(Kind, 'name', { value: kind }))
  }
  return zlib
}
