/** A TCP proxy that breaks a connection at a chosen word: for answers that get lost on the way. */

import net from 'node:net'

/** What happens to the answer of the first request that contains the word. */
export type Mishap = 'reset-after-commit' | 'stall'

export interface BreakingProxy {
  readonly port: number
  /** From now on, once. */
  arm(word: string, mishap: Mishap): void
  close(): Promise<void>
}

export async function startProxy(targetPort: number): Promise<BreakingProxy> {
  let armed: { readonly word: string; readonly mishap: Mishap } | null = null
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const upstream = net.connect(targetPort, '127.0.0.1')
    let struck: Mishap | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (data) => {
      if (armed && data.includes(armed.word)) {
        struck = armed.mishap
        armed = null
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (struck === 'reset-after-commit') client.resetAndDestroy()
      else if (struck === null) client.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as net.AddressInfo).port,
    arm(word, mishap) {
      armed = { word, mishap }
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
