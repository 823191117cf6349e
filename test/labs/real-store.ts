/** The store of a lab as a real process, asked over HTTP. Nothing of it is simulated. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { LAUNCHER } from '../cli/launch.ts'

export interface Store {
  readonly child: ChildProcess
  /** Resolves to exit code and signal. */
  readonly ended: Promise<readonly [number | null, string | null]>
  readonly lines: readonly string[]
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: Told }>
  get(path: string): Promise<Told>
}

export type Told = Readonly<Record<string, unknown>>

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const running = new Set<ChildProcess>()

/** Starts the store and waits until it is ready. */
export async function startStore(
  labDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Store> {
  const port = await freePort()
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [LAUNCHER, 'process', 'store'], {
    cwd: labDir,
    env: { PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const lines: string[] = []
  const ended = new Promise<readonly [number | null, string | null]>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve([code, signal])
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.trim().split('\n'))
      if (lines.some((line) => line.includes('store.ready'))) resolve()
    })
    void ended.then(([code]) => reject(new Error(`the store ended with ${code}: ${lines}`)))
  })
  const answerOf = async (response: Response) => (await response.json()) as Told
  const url = `http://127.0.0.1:${port}`
  return {
    child,
    ended,
    lines,
    async post(path, body) {
      const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
      return { status: response.status, body: await answerOf(response) }
    },
    async get(path) {
      return await answerOf(await fetch(`${url}${path}`))
    },
  }
}

/** Kills what a test has left running. */
export function endStores(): void {
  for (const child of running) child.kill('SIGKILL')
}
