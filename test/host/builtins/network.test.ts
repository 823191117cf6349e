import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runPrograms } from '../run-program.ts'
import { networkCases } from './network.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'leaselab-network-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Outcome {
  readonly stdout: string
  readonly code: number | null
}

function runByNode(source: string, n: number): Promise<Outcome> {
  const file = join(folder, `${n}.mjs`)
  writeFileSync(file, source)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { timeout: 20_000 })
    let stdout = ''
    child.stdout.on('data', (data) => {
      stdout += data
    })
    child.stderr.on('data', (data) => {
      stdout += `stderr: ${data}`
    })
    child.on('close', (code) => resolve({ stdout, code }))
  })
}

async function runInWorld(source: string): Promise<Outcome> {
  const result = await runPrograms({ processes: { a: { source } } })
  const stderr = result.stderr.a ? `stderr: ${result.stderr.a}` : ''
  return { stdout: `${result.stdout.a}${stderr}`, code: result.exits.a?.code ?? null }
}

describe('what Node prints is what the world prints', () => {
  networkCases.forEach(({ title, source }, n) => {
    test(title, { timeout: 40_000 }, async () => {
      const byNode = await runByNode(source, n)
      expect(byNode.code).toBe(0)
      expect(byNode.stdout).not.toBe('')
      expect(await runInWorld(source)).toEqual(byNode)
    })
  })
})

describe('the trace of HTTP', () => {
  const server = `import http from 'node:http'
    http.createServer((q, r) => { q.resume(); r.statusCode = q.url === '/a' ? 201 : 409; r.end('to ' + q.url) }).listen(80)`
  const client = `const send = async (path) => { const q = http.request({ host: 'store', path, method: 'POST' }); q.end('body ' + path); const [r] = await once(q, 'response'); r.resume(); await once(r, 'end') }
    import http from 'node:http'
    import { once } from 'node:events'
    await send('/a'); await send('/b'); process.exit(0)`

  test('tells each request at the server and each answer, in pairs, the same every time', async () => {
    const processes = { store: { source: server }, client: { source: client } }
    const run = () => runPrograms({ processes, untilMs: 60_000 })
    const [first, second] = [await run(), await run()]
    expect(second.digest).toBe(first.digest)
    const http = first.events.filter(({ kind }) => kind.startsWith('http.'))
    const shared = { process: 'client', incarnation: 1, method: 'POST' }
    expect(http).toMatchObject([
      { kind: 'http.request', id: 1, ...shared, to: 'store', path: '/a', body: 'body /a' },
      { kind: 'http.response', id: 1, ...shared, from: 'store', status: 201, body: 'to /a' },
      { kind: 'http.request', id: 2, ...shared, to: 'store', path: '/b', body: 'body /b' },
      { kind: 'http.response', id: 2, ...shared, from: 'store', status: 409, body: 'to /b' },
    ])
  })
})
