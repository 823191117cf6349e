import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LAB_DIR, LAUNCHER, launch, ROOT } from './launch.ts'

const WHOLE_DIR = join(ROOT, 'labs/agent-30days/mini-koda')
const target = mkdtempSync(join(tmpdir(), 'leaselab target '))
afterAll(() => rmSync(target, { recursive: true, force: true }))

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Starts the store for real, waits for its first line, sends a signal; answers line, code, signal. */
async function storeEndedBy(signal: NodeJS.Signals, args: readonly string[] = [], cwd = LAB_DIR) {
  const { PATH = '' } = process.env
  const port = String(await freePort())
  const child = spawn(process.execPath, [LAUNCHER, 'process', ...args, 'store'], {
    cwd,
    env: { PATH, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  })
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (d) => resolve(String(d))),
  )
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (code, by) => resolve([code, by])),
  )
  child.kill(signal)
  const [code, by] = await ended
  return { line, port, code, by }
}

describe('leaselab process', () => {
  it('runs a program of the lab as this very process: signals arrive', async () => {
    const { line, port, code, by } = await storeEndedBy('SIGTERM')
    expect(JSON.parse(line)).toEqual({ event: 'store.ready', port: Number(port) })
    expect({ code, by }).toEqual({ code: 0, by: null })
    expect((await storeEndedBy('SIGKILL')).by).toBe('SIGKILL')
  })

  it('runs a program of a lab that is put together of others', async () => {
    const { line, port, code } = await storeEndedBy('SIGTERM', [], WHOLE_DIR)
    expect(JSON.parse(line)).toEqual({ event: 'store.ready', port: Number(port) })
    expect(code).toBe(0)
  })

  it("takes the exercises' files from a target that lies anywhere, packages from the lab", async () => {
    cpSync(join(LAB_DIR, 'solution', 'store.ts'), join(target, 'store.ts'))
    expect((await storeEndedBy('SIGKILL', ['--target', target])).line).toContain('store.ready')
    writeFileSync(
      join(target, 'store.ts'),
      "import 'ioredis'\nthrow new Error('mine' as string)\nexport const appendMessage = null\n",
    )
    const { code, stderr } = await launch(['process', '--target', target, 'store'], {
      cwd: LAB_DIR,
    })
    expect(code).toBe(1)
    expect(stderr).toContain('Error: mine')
    expect(stderr).toContain('store.ts:2:7')
  })

  it("passes the program's exit code on", async () => {
    const { code, stderr } = await launch(['process', 'worker'], { cwd: LAB_DIR })
    expect(code).toBe(1)
    expect(stderr).toContain('WORKER_ID: expected a value')
  })
})
