/**
 * The way from one process to the real Redis server: a door that reads every command.
 *
 * It listens on loopback for this process alone, so it knows who speaks; each connection has one of
 * its own to the server (redis-connection.ts). One connection of the run at a time has commands at the
 * server, so the trace has the server's order; commands that may block do not keep others waiting.
 */

import net from 'node:net'
import { Connection, type ConnectionOptions } from './redis-connection.ts'

export class RedisProxy {
  readonly #options: ConnectionOptions
  readonly #server = net.createServer({ allowHalfOpen: true })
  readonly #connections = new Set<Connection>()

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#server.on('connection', (socket) => {
      const connection = new Connection(socket, this.#options, () => {
        this.#connections.delete(connection)
      })
      this.#connections.add(connection)
    })
  }

  /** Answers the port, on 127.0.0.1. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', () => {
        resolve((this.#server.address() as net.AddressInfo).port)
      })
    })
  }

  close(): void {
    this.#server.close()
    for (const connection of this.#connections) connection.destroy()
  }
}
