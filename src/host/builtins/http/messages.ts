/**
 * Outgoing messages of one process: their `Date` is the process's own.
 *
 * Node writes the date itself, from the real clock, right behind the program's own headers. Here it is
 * handed in as the last of these, which puts it in the same place.
 */

import * as real from 'node:http'
import { Stream } from 'node:stream'
import type { HostContext } from '../../context.ts'
import { bindClass, detachedPrototype } from './detach.ts'

type Headers = readonly unknown[] | Readonly<Record<string, unknown>> | undefined | null
type StoreHeader = (this: unknown, firstLine: string, headers: Headers) => void

/** Header pairs out of any of the forms that Node's writeHead hands on. */
function toPairs(headers: Headers): [unknown, unknown][] {
  if (headers === undefined || headers === null) return []
  if (Array.isArray(headers)) {
    if (Array.isArray(headers[0])) return [...headers] as [unknown, unknown][]
    const pairs: [unknown, unknown][] = []
    for (let k = 0; k < headers.length; k += 2) pairs.push([headers[k], headers[k + 1]])
    return pairs
  }
  // Node's own store of headers: lower-case name → [name, value].
  if (Object.getPrototypeOf(headers) === null) return Object.values(headers) as [unknown, unknown][]
  return Object.entries(headers)
}

export interface MessageClasses {
  readonly OutgoingMessage: typeof real.OutgoingMessage
  readonly ServerResponse: typeof real.ServerResponse
}

export function makeMessages(context: HostContext): MessageClasses {
  // The same methods that Node declares as a class are functions there, and can be called on `this`.
  const RealOutgoing = real.OutgoingMessage as unknown as (this: object, options?: object) => void
  const RealResponse = real.ServerResponse as unknown as (
    this: object,
    request: object,
    options?: object,
  ) => void
  const storeHeader = (real.OutgoingMessage.prototype as unknown as { _storeHeader: StoreHeader })
    ._storeHeader

  const outgoing = detachedPrototype(real.OutgoingMessage.prototype, Stream.prototype, [])
  function OutgoingMessage(this: object, options?: object): void {
    RealOutgoing.call(this, options)
  }
  bindClass(OutgoingMessage, 'OutgoingMessage', outgoing, Stream)

  const storeHeaderWithDate: StoreHeader = function (this: unknown, firstLine, headers) {
    const self = this as { sendDate: boolean }
    if (!self.sendDate) {
      storeHeader.call(self, firstLine, headers)
      return
    }
    if (Array.isArray(headers) && !Array.isArray(headers[0]) && headers.length % 2 !== 0) {
      // Node refuses this; let it.
      storeHeader.call(self, firstLine, headers)
      return
    }
    const pairs = toPairs(headers)
    const dated = pairs.some(([name]) => String(name).toLowerCase() === 'date')
    if (!dated) {
      const now = new Date(context.epochMs + Math.floor(context.readClockUs() / 1000))
      pairs.push(['Date', now.toUTCString()])
    }
    self.sendDate = false
    try {
      storeHeader.call(self, firstLine, pairs)
    } finally {
      self.sendDate = true
    }
  }
  Object.defineProperty(outgoing, '_storeHeader', {
    value: storeHeaderWithDate,
    writable: true,
    configurable: true,
    enumerable: true,
  })

  const response = detachedPrototype(real.ServerResponse.prototype, outgoing, [])
  function ServerResponse(this: object, request: object, options?: object): void {
    RealResponse.call(this, request, options)
  }
  bindClass(ServerResponse, 'ServerResponse', response, OutgoingMessage)
  return { OutgoingMessage, ServerResponse } as unknown as MessageClasses
}
