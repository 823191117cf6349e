/** A small Hono app on Node's server: JSON, a body in parts, server-sent events, an error. */

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { stream, streamSSE } from 'hono/streaming'

const app = new Hono()
let served = 0

app.use(async (context, next) => {
  served += 1
  await next()
  context.header('x-served', String(served))
})
app.get('/hello/:name', (context) => context.json({ hello: context.req.param('name') }))
app.post('/echo', async (context) => {
  const body = await context.req.json()
  return context.json({ body, query: context.req.query('q') }, 201)
})
app.get('/parts', (context) =>
  stream(context, async (out) => {
    for (const part of ['one ', 'two ', 'three']) {
      await out.write(part)
      await out.sleep(100)
    }
  }),
)
app.get('/events', (context) =>
  streamSSE(context, async (out) => {
    for (let id = 1; id <= 30; id += 1) {
      await out.writeSSE({ id: String(id), event: 'tick', data: String(id * 10) })
      await out.sleep(500)
    }
  }),
)
app.get('/broken', () => {
  throw new Error('as asked')
})
app.onError((error, context) => context.text(`failed: ${error.message}`, 500))

const server = serve({ fetch: app.fetch, port: 80 }, ({ port }) => console.log('listens on', port))
process.on('SIGTERM', () => {
  server.close(() => process.exit(0))
  server.closeIdleConnections()
})
