/** Node's own server, for clients: tells the connection that a request came by. */

import http from 'node:http'

let connections = 0
const server = http.createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  if (request.url === '/silent') return
  if (request.url === '/drop') return request.socket.destroy()
  if (request.url === '/long') {
    for (let n = 0; n < 200; n += 1) response.write('x'.repeat(1000))
    return response.end()
  }
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({
      method: request.method,
      url: request.url,
      body,
      connection: request.socket.number,
      time: Date.now(),
    }),
  )
})
server.on('connection', (socket) => {
  connections += 1
  socket.number = connections
})
server.listen(80)
