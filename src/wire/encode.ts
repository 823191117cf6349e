/**
 * Replies and requests as RESP2 bytes.
 *
 * One growing buffer is written into and copied out, so a reply of any depth costs one allocation.
 */
import type { Reply } from './reply.ts'

let scratch = Buffer.allocUnsafeSlow(16 * 1024)
let used = 0

function room(bytes: number): void {
  if (used + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, used + bytes))
  scratch.copy(larger, 0, 0, used)
  scratch = larger
}

function text(latin1: string): void {
  room(latin1.length)
  used += scratch.write(latin1, used, 'latin1')
}

function bulk(bytes: Uint8Array): void {
  text(`$${bytes.length}\r\n`)
  room(bytes.length + 2)
  scratch.set(bytes, used)
  used += bytes.length
  scratch[used++] = 13
  scratch[used++] = 10
}

function write(reply: Reply): void {
  if (reply === null) text('$-1\r\n')
  else if (typeof reply === 'number' || typeof reply === 'bigint') text(`:${reply}\r\n`)
  else if (Buffer.isBuffer(reply)) bulk(reply)
  else if (Array.isArray(reply)) {
    text(`*${reply.length}\r\n`)
    for (const item of reply) write(item)
  } else if ('kind' in reply) {
    if (reply.kind === 'status') text(`+${reply.text}\r\n`)
    else text(reply.kind === 'error' ? `-${reply.text}\r\n` : '*-1\r\n')
  }
}

function taken(): Buffer {
  const bytes = Buffer.allocUnsafe(used)
  scratch.copy(bytes, 0, 0, used)
  used = 0
  if (scratch.length > 1 << 20) scratch = Buffer.allocUnsafeSlow(16 * 1024)
  return bytes
}

/** The bytes of one reply. Text of statuses and errors must hold no line break. */
export function encodeReply(reply: Reply): Buffer {
  used = 0
  write(reply)
  return taken()
}

/** The bytes of one request: an array of bulk strings. Text is taken as latin1. */
export function encodeRequest(args: readonly (string | Uint8Array)[]): Buffer {
  used = 0
  text(`*${args.length}\r\n`)
  for (const arg of args) bulk(typeof arg === 'string' ? Buffer.from(arg, 'latin1') : arg)
  return taken()
}
