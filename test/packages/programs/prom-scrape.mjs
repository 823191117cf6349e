/** Reads the metrics once a second; the worker is killed at 5 s and starts anew at 7 s. */

import assert from 'node:assert/strict'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const agent = new http.Agent({ keepAlive: true })

function scrape() {
  return new Promise((resolve, reject) => {
    http
      .get('http://server:9100/metrics', { agent }, async (response) => {
        let text = ''
        for await (const part of response) text += part
        resolve({ type: response.headers['content-type'], text })
      })
      .on('error', reject)
  })
}

const figure = (text, series) => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const counts = []
for (let n = 0; n < 10; n += 1) {
  await pause(1000)
  try {
    const { type, text } = await scrape()
    assert.match(type, /^text\/plain/)
    const ofKind = (kind) => figure(text, `jobs_total{kind="${kind}"}`) ?? 0
    counts.push(ofKind('odd') + ofKind('even'))
    assert.equal(figure(text, 'job_seconds_count'), counts.at(-1))
    assert.equal(figure(text, 'job_seconds_bucket{le="+Inf"}'), counts.at(-1))
    assert.ok(figure(text, 'job_seconds_bucket{le="0.05"}') < counts.at(-1) || counts.at(-1) < 4)
    if (counts.at(-1) > 0) assert.ok(figure(text, 'job_bytes{quantile="0.9"}') > 0)
    assert.ok(figure(text, 'process_start_time_seconds') > 1_700_000_000)
    assert.ok(figure(text, 'nodejs_heap_size_total_bytes') > 0)
    assert.match(text, /^# TYPE job_seconds histogram$/m)
  } catch (error) {
    if (error.code === undefined || error.code === 'ERR_ASSERTION') throw error
    counts.push(error.code)
  }
}
console.log(counts.join(' '))
const numbers = counts.filter((count) => typeof count === 'number')
assert.ok(counts.includes('ECONNREFUSED'))
assert.ok(numbers.length >= 7)
assert.ok(numbers.at(-1) < numbers[3], 'a new life counts from nothing')
console.log('ok')
process.exit()
