/** What a socket is made from: by a program, or by the server that accepts a connection. */

import type { DuplexOptions } from 'node:stream'
import type { ConnectionEnd } from '../../../sim/network.ts'

export interface SocketOptions extends DuplexOptions {
  readonly fd?: number
  readonly handle?: unknown
  readonly signal?: AbortSignal
}

/** A connection that a server has just accepted. */
export interface Accepted {
  readonly end: ConnectionEnd
  /** The server listens on `::`. */
  readonly mapped: boolean
  readonly paused: boolean
  /** Sees what arrives and what leaves. */
  readonly watch: StreamWatch | null
}

export interface StreamWatch {
  arrived(bytes: Uint8Array): void
  left(bytes: Uint8Array): void
  /** Nothing more will leave. */
  finished(): void
}
