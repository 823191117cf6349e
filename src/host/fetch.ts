/**
 * `fetch` and its classes: one undici inside each realm, on the world's sockets and timers.
 *
 * Node brings its own, bound to real sockets, so the laboratory brings this one among its
 * dependencies. It is loaded by the first use, in the process that uses it, apart from an undici that
 * the program imports itself; both share the dispatcher, as in Node, since that hangs on the global.
 * Refuses: https (no TLS inside the world). Left out: WebSocket, EventSource.
 */

import { createRequire } from 'node:module'
import { realpath } from './modules/disk.ts'
import type { ModuleLoader } from './modules/loader.ts'

const PACKAGE = 'undici/index-fetch.js'
/** Undici reads it once, to call itself `node` where it is a part of Node. */
const MARK = '__UNDICI_IS_NODE__'

/** `fetch`, `Request`, `Response`, `Headers`, `FormData`, `MessageEvent` of this realm. */
export function loadFetch(
  realm: Record<string, unknown>,
  loader: ModuleLoader,
): Readonly<Record<string, unknown>> {
  const path = realpath(createRequire(import.meta.url).resolve(PACKAGE))
  Object.defineProperty(realm, MARK, { value: true, configurable: true })
  try {
    return loader.bring(path) as Record<string, unknown>
  } finally {
    delete realm[MARK]
  }
}
