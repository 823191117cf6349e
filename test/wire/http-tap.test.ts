import { describe, expect, test } from 'vitest'
import { HttpTap } from '../../src/wire/http-tap.ts'

const REQUESTS = [
  'GET /one HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /two?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nh\u00c3\u00a9lo',
  'HEAD /three HTTP/1.1\r\nHost: a\r\n\r\n',
  'PUT /four HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n',
  'DELETE /five HTTP/1.1\r\nHost: a\r\n\r\n',
].join('')

const RESPONSES = [
  'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 409 \r\nConnection: close\r\n\r\nuntil the end',
].join('')

function cut(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const edges = [0, ...at, bytes.length]
  return edges.slice(1).map((end, k) => bytes.subarray(edges[k], end))
}

function readAll(requests: readonly Buffer[], responses: readonly Buffer[]) {
  const tap = new HttpTap()
  const seen: unknown[] = []
  for (const bytes of requests) seen.push(...tap.request(bytes))
  for (const bytes of responses) seen.push(...tap.response(bytes))
  seen.push(...tap.responsesEnd())
  return seen
}

const whole = readAll(cut(REQUESTS, []), cut(RESPONSES, []))

describe('HttpTap', () => {
  test('pipelined requests and answers of every framing are told apart', () => {
    expect(whole).toEqual([
      { kind: 'request', n: 0, method: 'GET', path: '/one', body: '' },
      { kind: 'request', n: 1, method: 'POST', path: '/two?x=1', body: 'hélo' },
      { kind: 'request', n: 2, method: 'HEAD', path: '/three', body: '' },
      { kind: 'request', n: 3, method: 'PUT', path: '/four', body: 'abc0123456789' },
      { kind: 'request', n: 4, method: 'DELETE', path: '/five', body: '' },
      { kind: 'response', n: 0, method: 'GET', path: '/one', status: 200, body: 'one' },
      { kind: 'response', n: 1, method: 'POST', path: '/two?x=1', status: 201, body: 'two' },
      { kind: 'response', n: 2, method: 'HEAD', path: '/three', status: 200, body: '' },
      { kind: 'response', n: 3, method: 'PUT', path: '/four', status: 204, body: '' },
      {
        kind: 'response',
        n: 4,
        method: 'DELETE',
        path: '/five',
        status: 409,
        body: 'until the end',
      },
    ])
  })

  test('a cut at any byte, and one byte at a time, change nothing', () => {
    for (let at = 1; at < REQUESTS.length; at += 1) {
      expect(readAll(cut(REQUESTS, [at]), cut(RESPONSES, []))).toEqual(whole)
    }
    for (let at = 1; at < RESPONSES.length; at += 1) {
      expect(readAll(cut(REQUESTS, []), cut(RESPONSES, [at]))).toEqual(whole)
    }
    const every = (text: string) => Array.from({ length: text.length - 1 }, (_, k) => k + 1)
    expect(readAll(cut(REQUESTS, every(REQUESTS)), cut(RESPONSES, every(RESPONSES)))).toEqual(whole)
  })

  test('a request is complete at its last byte and not before', () => {
    const tap = new HttpTap()
    const text = 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok'
    expect(tap.request(Buffer.from(text.slice(0, -1)))).toEqual([])
    expect([tap.requestOpen, tap.headOpen, tap.requestsBegun]).toEqual([true, false, 1])
    expect(tap.request(Buffer.from('k'))).toHaveLength(1)
    expect(tap.requestOpen).toBe(false)
  })

  test('what is not HTTP is left alone from its first byte', () => {
    for (const text of ['*1\r\n$4\r\nPING\r\n', '\u0000\u0001binary', 'get / HTTP/1.1\r\n\r\n']) {
      const tap = new HttpTap()
      expect(tap.request(Buffer.from(text, 'latin1'))).toEqual([])
      expect(tap.blind).toBe(true)
    }
    const tap = new HttpTap()
    expect(tap.request(Buffer.from('PING hello\r\n\r\n'))).toEqual([])
    expect(tap.blind).toBe(true)
  })

  test('after an upgrade nothing more is read as HTTP', () => {
    const tap = new HttpTap()
    tap.request(Buffer.from('GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n'))
    const answer = tap.response(Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
    expect(answer).toMatchObject([{ status: 101, path: '/ws' }])
    expect(tap.request(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toEqual([])
  })

  test('a body is kept up to 64 KiB and read to its end', () => {
    const tap = new HttpTap()
    const head = 'POST /big HTTP/1.1\r\nContent-Length: 100000\r\n\r\n'
    const [big, next] = tap.request(
      Buffer.from(`${head}${'x'.repeat(100_000)}GET /next HTTP/1.1\r\n\r\n`),
    )
    expect(big?.body).toHaveLength(65_536)
    expect(next?.path).toBe('/next')
  })

  test('bytes that the sender reuses do not reach into what was read', () => {
    const tap = new HttpTap()
    const bytes = Buffer.from('POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab')
    tap.request(bytes)
    bytes.fill(0x7a)
    expect(tap.request(Buffer.from('cd'))).toMatchObject([{ body: 'abcd' }])
  })
})
