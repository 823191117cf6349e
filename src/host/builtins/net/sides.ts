/**
 * The two addresses of a socket's connection, as its program sees them: asked again and again, so kept;
 * what was known of the far side stays known after the connection is gone, as in Node.
 */

import type { ConnectionEnd } from '../../../sim/network.ts'
import { type ShownAddress, showAddress } from './addresses.ts'

const LOOPBACK = '127.0.0.1'

export class Sides {
  /** Both sides are one host. */
  loopback = false
  /** Accepted by a server on `::`, so that IPv4 is shown the IPv6 way. */
  mapped = false
  #local: ShownAddress | null = null
  #remote: ShownAddress | null = null

  local(end: ConnectionEnd | null): ShownAddress | null {
    if (end !== null) this.#local ??= this.#show(end.local)
    return this.#local
  }

  remote(end: ConnectionEnd | null): ShownAddress | null {
    if (end !== null) this.#remote ??= this.#show(end.remote)
    return this.#remote
  }

  #show({ address, port }: ConnectionEnd['local']): ShownAddress {
    return showAddress(this.loopback ? LOOPBACK : address, port, this.mapped)
  }

  /** Its own side goes with the connection. */
  forgetLocal(): void {
    this.#local = null
  }

  clear(): void {
    this.#local = null
    this.#remote = null
  }
}
