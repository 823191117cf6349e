/**
 * Real servers for tests and for trying things by hand, on loopback: a redis-server that keeps nothing,
 * and a Postgres in a folder of its own that is gone afterwards.
 *
 * In code: `const redis = await startRedis()`, then `redis.port` and `await redis.stop()`;
 * `startPostgres()` likewise, with `url`. From a shell: `node scripts/servers.mjs redis` (or
 * `postgres`) prints the address and runs until it is interrupted. Ports are the project's own, 17379
 * and 17432, or free ones when those are taken. A server is ended by its process id, and also when this
 * process exits.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const REDIS_PORT = 17379
const POSTGRES_PORT = 17432
const POSTGRES_USER = 'leaselab'
const START_TIMEOUT_MS = 30_000
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
 * Runs a server until it is ready. `signals` says how it is asked to stop, and how it is made to when
 * this process exits. Throws with its output when it does not come up.
 */
async function runServer({ command, args, spawnOptions = {}, isReady, signals }) {
  const server = spawn(command, args, { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'] })
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
  const kill = () => server.kill(signals.atOnce)
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    if (!ended) server.kill(signals.asked)
    await exited
  }
  const giveUpAt = Date.now() + START_TIMEOUT_MS
  while (!ended && Date.now() < giveUpAt) {
    if (await isReady(server.pid)) return { pid: server.pid, stop }
    await pause(RETRY_MS)
  }
  await stop()
  throw new Error(`${command} did not answer:\n${output}`)
}

/**
 * Starts a redis-server and waits until it answers. `settings` are added to its configuration. Throws
 * with its output when it does not answer.
 */
export async function startRedis(settings = {}) {
  const port = await freePort(REDIS_PORT)
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaselab-redis-'))
  const removeDir = () => rmSync(dir, { recursive: true, force: true })
  const options = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir, ...settings }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  try {
    const { pid, stop } = await runServer({
      command: 'redis-server',
      args,
      isReady: () => answersPing(port),
      signals: { asked: 'SIGTERM', atOnce: 'SIGKILL' },
    })
    return { port, pid, stop: () => stop().finally(removeDir) }
  } catch (error) {
    removeDir()
    throw error
  }
}

/** Where Postgres's programs are: Debian keeps each version's apart and off the path. */
function postgresFolder() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  return newest ? path.join(debian, newest, 'bin') : ''
}

/** The version of the installed Postgres, such as `15.13`, or null when there is none. */
export function installedPostgres() {
  const program = path.join(postgresFolder(), 'postgres')
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/ ([0-9.]+)/.exec(stdout)?.[1] ?? null) : null
}

/** Postgres refuses to run as root; then it runs as the user that its package has made. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Whether this very server takes connections: the eighth line of its pid file says so. */
function isPostgresReady(data, pid) {
  const file = path.join(data, 'postmaster.pid')
  if (!existsSync(file)) return false
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/**
 * Makes a database cluster and starts Postgres on it: user `leaselab`, a superuser, with the password
 * `secret of the test`, database `postgres`. `settings` are the server's own, such as
 * `{ max_connections: 20 }`. Throws with its output when it does not answer.
 */
export async function startPostgres(settings = {}) {
  const user = unprivileged()
  const bin = postgresFolder()
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaselab-postgres-'))
  const removeDir = () => rmSync(dir, { recursive: true, force: true })
  const password = 'secret of the test'
  const data = path.join(dir, 'data')
  const passwordFile = path.join(dir, 'password')
  writeFileSync(passwordFile, password)
  if (user.uid !== undefined) {
    for (const each of [dir, passwordFile]) chownSync(each, user.uid, user.gid)
  }
  const start = (port) => {
    const onLoopback = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' }
    const options = Object.entries({ ...onLoopback, ...settings })
    return runServer({
      command: path.join(bin, 'postgres'),
      args: ['-D', data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      spawnOptions: { ...user, cwd: dir },
      isReady: (pid) => isPostgresReady(data, pid),
      // Fast: transactions that are under way are broken off. Immediate: as if the power failed.
      signals: { asked: 'SIGINT', atOnce: 'SIGQUIT' },
    })
  }
  try {
    const made = [`--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    const locale = ['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions']
    execFileSync(path.join(bin, 'initdb'), ['-D', data, ...made, ...locale], {
      ...user,
      cwd: dir,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let port = await freePort(POSTGRES_PORT)
    // Two that start at the same time find the same port free; the second one to take it moves on.
    let server = await start(port).catch(async () => {
      port = await freePort(0)
      return await start(port)
    })
    return {
      port,
      get pid() {
        return server.pid
      },
      url: `postgres://${POSTGRES_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
      stop: () => server.stop().finally(removeDir),
      /** Stops the server, keeps its data, does `meanwhile`, and starts it again at the same port. */
      async restart(meanwhile = async () => {}) {
        await server.stop()
        await meanwhile()
        server = await start(port)
      },
    }
  } catch (error) {
    removeDir()
    throw error
  }
}

const SERVERS = {
  redis: async () => {
    const { port, pid, stop } = await startRedis()
    return { address: `redis://127.0.0.1:${port}`, pid, stop }
  },
  postgres: async () => {
    const { url, pid, stop } = await startPostgres()
    return { address: url, pid, stop }
  },
}

async function main(what) {
  const names = Object.keys(SERVERS)
  if (!names.includes(what)) {
    const tries = names.map((name) => `node scripts/servers.mjs ${name}`).join(' or ')
    console.error(`expected: ${names.join(' or ')}. got: ${what ?? 'nothing'}. Try: ${tries}`)
    process.exitCode = 3
    return
  }
  const { address, pid, stop } = await SERVERS[what]()
  console.log(`${address}  (process ${pid}; Ctrl-C ends it)`)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2])
