/**
 * Passes bytes between port 6379 here and Redis. 3 s after its start it ends the connections that it
 * has, in good order; when it is killed, they break.
 */

import net from 'node:net'

const clients = new Set()

net
  .createServer((client) => {
    clients.add(client)
    const server = net.connect(6379, 'redis')
    client.pipe(server)
    server.pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  .listen(6379)

setTimeout(() => {
  for (const client of clients) client.end()
}, 3000)
