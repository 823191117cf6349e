/**
 * What a socket sends: the way of a chunk from the stream to the connection.
 *
 * Before the connection is made the chunk waits. It is done with when the connection has room for the
 * next one, so that a reader who stands still stops the writer. A write to somebody who is gone is
 * answered by a reset, as the system does. Counts bytes, as `bytesWritten` shows them.
 */

import { Duplex } from 'node:stream'
import type { ConnectionEnd } from '../../../sim/network.ts'
import type { HostContext } from '../../context.ts'
import { nodeError, streamError } from '../system-error.ts'

export interface Chunk {
  readonly chunk: Buffer | Uint8Array | string
  readonly encoding: BufferEncoding
}

export type Done = (error?: Error | null) => void

export class Outbox {
  readonly #context: HostContext
  readonly #socket: Duplex & { readonly connecting: boolean }
  readonly #leaving: (bytes: Buffer) => void
  /** The connection, once there is one. */
  end: ConnectionEnd | null = null
  /** The other side has let go of the connection. */
  peerGone = false
  bytesSent = 0
  /** Of the chunk that waits for the connection. */
  pendingBytes = 0

  /** Of the chunk that went out and left no room. */
  #blocked: Done | null = null

  /** `leaving` is called with what goes out, before it does. */
  constructor(
    context: HostContext,
    socket: Duplex & { readonly connecting: boolean },
    leaving: (bytes: Buffer) => void,
  ) {
    this.#context = context
    this.#socket = socket
    this.#leaving = leaving
  }

  send(chunks: readonly Chunk[], done: Done): void {
    const bytes = chunks.length === 1 ? toBytes(chunks[0]!) : Buffer.concat(chunks.map(toBytes))
    if (this.#socket.connecting) this.#whenConnected(bytes, done)
    else this.#sendNow(bytes, done)
  }

  #whenConnected(bytes: Buffer, done: Done): void {
    const socket = this.#socket
    this.pendingBytes = bytes.length
    const onClose = (): void =>
      done(
        nodeError(
          Error,
          'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
          'Socket closed before the connection was established',
        ),
      )
    socket.once('connect', () => {
      socket.off('close', onClose)
      this.#sendNow(bytes, done)
    })
    socket.once('close', onClose)
  }

  #sendNow(bytes: Buffer, done: Done): void {
    this.pendingBytes = 0
    const { end } = this
    if (end === null) {
      done(nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'))
      return
    }
    if (!this.#context.guard('a write to a socket')) return
    this.bytesSent += bytes.length
    this.#leaving(bytes)
    end.write(bytes)
    // Nobody is there any more: the system answers the first write with a reset.
    if (this.peerGone) {
      const reset = (): void => void this.#socket.destroy(streamError('ECONNRESET', 'read'))
      this.#context.schedule('io', 0, reset)
    }
    if (end.hasRoom(this.#onRoom)) done()
    else this.#blocked = done
  }

  readonly #onRoom = (): void => {
    const done = this.#blocked
    this.#blocked = null
    done?.()
  }

  /** The socket is destroyed: whoever waits for room is told in an event of its own. */
  giveUp(): void {
    if (this.#blocked !== null) this.#context.schedule('io', 0, this.#onRoom)
  }
}

function toBytes({ chunk, encoding }: Chunk): Buffer {
  // A copy: the sender may use its buffer again as soon as the write is done.
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
}

/** In place of `write` once the other side has ended: a write after our own end says why. */
export function writeAfterFin(
  this: Duplex,
  chunk: unknown,
  encoding?: unknown,
  callback?: unknown,
): boolean {
  if (!this.writableEnded) {
    return Duplex.prototype.write.call(this, chunk, encoding as BufferEncoding, callback as Done)
  }
  const done = typeof encoding === 'function' ? encoding : callback
  const error = Object.assign(new Error('This socket has been ended by the other party'), {
    code: 'EPIPE',
  })
  if (typeof done === 'function') process.nextTick(done as Done, error)
  this.destroy(error)
  return false
}
