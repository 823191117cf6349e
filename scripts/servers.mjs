/**
 * Real servers for tests and for trying things by hand: a redis-server on loopback that keeps nothing.
 *
 * In code: `const redis = await startRedis()`, then `redis.port` and `await redis.stop()`. From a
 * shell: `node scripts/servers.mjs redis` prints its address and runs until it is interrupted. The
 * port is the project's own, 17379, or a free one when that is taken. A server is ended by its
 * process id, and also when this process exits.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const REDIS_PORT = 17379
const START_TIMEOUT_MS = 10_000
const RETRY_MS = 20

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The version of the installed redis-server, such as `7.0.15`, or null when there is none. */
export function installedRedis() {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/v=([0-9.]+)/.exec(stdout)?.[1] ?? null) : null
}

/** `wanted` when nobody listens there, else a free port. */
function freePort(wanted) {
  return new Promise((resolve, reject) => {
    const probe = net.createServer()
    probe.once('error', () =>
      wanted === 0 ? reject(new Error('no free port')) : resolve(freePort(0)),
    )
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

function answersPing(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const done = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (data) => done(/^(\+PONG|-NOAUTH)/.test(data.toString())))
    socket.once('error', () => done(false))
  })
}

/**
 * Starts a redis-server and waits until it answers. `settings` are added to its configuration. Throws
 * with its output when it does not answer.
 */
export async function startRedis(settings = {}) {
  const port = await freePort(REDIS_PORT)
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaselab-redis-'))
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir, ...settings }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let ended = false
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (data) => {
      output = `${output}${data}`.slice(-4000)
    })
  }
  const exited = new Promise((resolve) => {
    const end = () => {
      ended = true
      resolve()
    }
    server.once('exit', end)
    server.once('error', (fault) => {
      output += String(fault)
      end()
    })
  })
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (!ended) server.kill('SIGTERM')
    await exited
    rmSync(dir, { recursive: true, force: true })
  }
  const giveUpAt = Date.now() + START_TIMEOUT_MS
  while (!ended && Date.now() < giveUpAt) {
    if (await answersPing(port)) return { port, pid: server.pid, stop }
    await pause(RETRY_MS)
  }
  await stop()
  throw new Error(`redis-server did not answer on port ${port}:\n${output}`)
}

async function main(what) {
  if (what !== 'redis') {
    console.error(`expected: redis. got: ${what ?? 'nothing'}. Try: node scripts/servers.mjs redis`)
    process.exitCode = 3
    return
  }
  const redis = await startRedis()
  console.log(`redis://127.0.0.1:${redis.port}  (process ${redis.pid}; Ctrl-C ends it)`)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => redis.stop())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2])
