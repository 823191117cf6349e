/** A worker that counts its jobs and shows them, and Node's own figures, at /metrics. */

import http from 'node:http'
import client from 'prom-client'

const { register } = client
client.collectDefaultMetrics({ register })
const jobs = new client.Counter({ name: 'jobs_total', help: 'Jobs done', labelNames: ['kind'] })
const waiting = new client.Gauge({ name: 'jobs_waiting', help: 'Jobs that wait' })
const took = new client.Histogram({
  name: 'job_seconds',
  help: 'How long a job took',
  buckets: [0.05, 0.1, 0.5],
})
const sizes = new client.Summary({ name: 'job_bytes', help: 'Sizes', percentiles: [0.5, 0.9] })

let n = 0
setInterval(() => {
  n += 1
  const done = took.startTimer()
  waiting.set(n % 3)
  setTimeout(
    () => {
      done()
      jobs.inc({ kind: n % 2 === 0 ? 'even' : 'odd' })
      sizes.observe(n * 10)
    },
    n % 4 === 0 ? 200 : 20,
  )
}, 250)

http
  .createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    response.setHeader('content-type', register.contentType)
    response.end(await register.metrics())
  })
  .listen(9100)
