/**
 * What the real arm asks of a server, what it leaves alone there, and what it leaves behind: nothing.
 *
 * Runs with LEASELAB_REAL_ARM=1 only; see real.test.ts.
 */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import { type RunningServer, startRedis } from '../../scripts/servers.mjs'
import { RealRefusal } from '../../src/arm/real-refusal.ts'
import { meetServer, runReal } from '../../src/arm/run-real.ts'
import type { Scenario } from '../../src/scenario/scenario.ts'
import { History } from '../../src/trace/history.ts'
import { LAB, LAB_DIR, LAUNCHER, launch, ROOT } from '../cli/launch.ts'
import { FILES } from './arm.cases.ts'
import { withRealRedis } from './real-redis.ts'

const SECRET = 's3cr3t'
const worldMain = join(ensureBuilt(ROOT), 'src/arm/world-main.js')

/** The refusal of a server, on one line. */
async function refusal(url: string): Promise<string> {
  try {
    await meetServer(url)
  } catch (error) {
    if (!(error instanceof RealRefusal)) throw error
    const { expected, got, next } = error.details
    return [error.message, expected, got, next].join(' · ')
  }
  return 'none'
}

/** A listener on loopback; answers its port. */
async function listening(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as net.AddressInfo).port
}

/** Answers each chunk with what `answer` says: enough of a server to be refused. */
function fake(answer: (asked: string) => string): net.Server {
  return net.createServer((socket) => {
    socket.on('data', (bytes) => socket.write(answer(bytes.toString())))
    socket.on('error', () => {})
  })
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`

describe.runIf(withRealRedis)('a server', () => {
  let redis: RunningServer

  beforeAll(async () => {
    redis = await startRedis({ requirepass: SECRET })
  })
  afterAll(() => redis.stop())

  test('that asks for a password, or knows another one, is refused; with the right one it is taken', async () => {
    const at = `127.0.0.1:${redis.port}`
    expect(await refusal(`redis://${at}`)).toMatch(/^The Redis server asks for a password\./)
    const wrong = await refusal(`redis://:wr0ng@${at}`)
    expect(wrong).toMatch(/^Redis does not accept the password of REDIS_URL\./)
    expect(wrong).not.toContain('wr0ng')
    expect(await refusal(`redis://:${SECRET}@${at}`)).toBe('none')
    expect(await refusal(`redis://default:${SECRET}@${at}/3`)).toBe('none')
    expect(await refusal(`redis://:${SECRET}@${at}/99`)).toMatch(/has no database 99\./)
  })

  test.each(['allkeys-lru', 'volatile-ttl'])(
    'with the policy %s could evict a lease',
    async (policy) => {
      const client = new Redis(redis.port, { password: SECRET })
      await client.config('SET', 'maxmemory-policy', policy)
      expect(await refusal(`redis://:${SECRET}@127.0.0.1:${redis.port}`)).toMatch(
        new RegExp(`may evict keys.* · maxmemory-policy noeviction · ${policy} `),
      )
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      client.disconnect()
    },
  )

  test.each([
    ['6.0.16', 'too old'],
    ['6.1.99', 'too old'],
  ])('of version %s is %s', async (version) => {
    const server = fake((asked) =>
      asked.includes('INFO') ? bulk(`redis_version:${version}\r\n`) : '+PONG\r\n',
    )
    const port = await listening(server)
    expect(await refusal(`redis://127.0.0.1:${port}`)).toMatch(
      new RegExp(`^The Redis server is too old: .* · version 6\\.2 or newer · ${version} `),
    )
    server.close()
  })

  test.each([
    ['role:slave', 'is a replica'],
    ['cluster_enabled:1', 'is part of a cluster'],
  ])('that says %s %s', async (fact, why) => {
    const server = fake((asked) =>
      asked.includes('INFO') ? bulk(`redis_version:7.0.0\r\n${fact}\r\n`) : '+PONG\r\n',
    )
    const port = await listening(server)
    expect(await refusal(`redis://127.0.0.1:${port}`)).toContain(why)
    server.close()
  })

  test('that is no Redis, is not there or speaks no TLS is told apart', async () => {
    const web = http.createServer((_, response) => response.end('hello'))
    const port = await listening(web)
    expect(await refusal(`redis://127.0.0.1:${port}`)).toMatch(/is no Redis, or speaks TLS only/)
    expect(await refusal(`rediss://127.0.0.1:${redis.port}`)).toMatch(/does not speak TLS\./)
    expect(await refusal('redis://127.0.0.1:1')).toMatch(/^No Redis answers at 127\.0\.0\.1:1\./)
    expect(await refusal('redis://no-such-host.invalid')).toMatch(/^There is no host no-such-host/)
    web.close()
  }, 30_000)

  test('that takes the connection and says nothing is not waited for', async () => {
    const server = net.createServer((socket) => socket.on('error', () => {}))
    const port = await listening(server)
    expect(await refusal(`redis://127.0.0.1:${port}`)).toContain('no answer within 5000 ms')
    server.close()
  })
})

describe.runIf(withRealRedis)('TLS', () => {
  let folder: string
  let redis: RunningServer
  let front: tls.Server
  let port: number

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leaselab-tls-'))
    const made = spawnSync(
      'openssl',
      `req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost`.split(
        ' ',
      ),
      { cwd: folder },
    )
    expect(made.status, String(made.stderr)).toBe(0)
    redis = await startRedis({ requirepass: SECRET })
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)))
    front = tls.createServer({ key, cert }, (socket) => {
      const back = net.connect(redis.port, '127.0.0.1')
      socket.pipe(back).pipe(socket)
      socket.on('error', () => back.destroy())
      back.on('error', () => socket.destroy())
    })
    front.on('tlsClientError', () => {})
    port = await listening(front)
  })
  afterAll(async () => {
    front.close()
    await redis.stop()
    rmSync(folder, { recursive: true })
  })

  test('a certificate that nobody vouches for does not hold', async () => {
    const said = await refusal(`rediss://:${SECRET}@localhost:${port}`)
    expect(said).toMatch(/^The certificate of the Redis server does not hold\./)
    expect(said).toContain('NODE_EXTRA_CA_CERTS')
    expect(said).not.toContain(SECRET)
  })

  test('redis:// to a server that speaks TLS only is told', async () => {
    expect(await refusal(`redis://localhost:${port}`)).toMatch(/speaks TLS only/)
  })

  test('with its authority named a check runs over it, and the password shows nowhere', async () => {
    const { code, stdout, stderr } = await launch(
      ['grade', LAB, '--target', join(LAB_DIR, 'starter'), '--check', '2', '--arm', 'real'],
      {
        env: {
          REDIS_URL: `rediss://:${SECRET}@localhost:${port}`,
          NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
        },
      },
    )
    expect(stdout + stderr).toMatch(/arm real · rediss:\/\/:\*\*\*@localhost:\d+\n[❌❔] 2 /u)
    // What the check came to on a busy machine is not the point here.
    expect([1, 2]).toContain(code)
    expect(stdout + stderr).not.toContain(SECRET)
  })
})

describe.runIf(withRealRedis)('on the server of others', () => {
  let redis: RunningServer
  let url: string
  let others: Redis
  /** Keys that look like ours and are not. */
  const theirs = {
    'lease:shard:131': 'theirs|9',
    'lease:fence': '41',
    'leaselab:notes': 'x',
    'leaselab:0123456789abcdef': 'no space of a run',
    'leaselab:0123456789ABCDEF:k': 'nor this',
  }

  beforeAll(async () => {
    redis = await startRedis()
    url = `redis://127.0.0.1:${redis.port}`
    others = new Redis(redis.port)
    await others.mset(theirs)
  })
  afterAll(async () => {
    others.disconnect()
    await redis.stop()
  })

  const keys = async (): Promise<string[]> => (await others.keys('*')).sort()
  const untouched = async (): Promise<void> => {
    expect(await keys()).toEqual(Object.keys(theirs).sort())
    expect(await others.mget(...Object.keys(theirs))).toEqual(Object.values(theirs))
  }

  async function run(plan: readonly (readonly string[])[]): Promise<History> {
    const env = { REDIS_URL: 'redis://redis:6379', PLAN: JSON.stringify(plan) }
    const scenario: Scenario = {
      processes: { a: { program: 'client.ts', env } },
      timeline: [],
      until: { allExited: true },
      limitMs: 5000,
    }
    const server = await meetServer(url)
    const job = { id: 'case', seed: '1', scenario, files: FILES, preflight: null }
    const [result] = await runReal([job], { worldMain, server })
    return new History(result!.events)
  }

  test('keys outside the run’s space and commands for all are refused to a program', async () => {
    const history = await run([
      ['SET', 'lease:fence', '0'],
      ['EVAL', "return redis.call('DEL', KEYS[1])", '1', 'leaselab:notes'],
      ['FLUSHALL'],
      ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
      ['SCRIPT', 'FLUSH'],
      ['SELECT', '1'],
      ['LPOS', 'leaselab:notes', 'x'],
      ['SET', 'k:mine', '1'],
    ])
    const said = history.output.said('a').flatMap(({ event, fields }) => {
      if (event === 'failed') return [`${fields.what}: ${String(fields.why).slice(0, 45)}`]
      return event === 'answered' ? [`${fields.what}: ${fields.answer}`] : []
    })
    expect(said).toEqual([
      "SET: ERR the key 'lease:fence' lies outside this r",
      "EVAL: ERR the key 'leaselab:notes' lies outside thi",
      'FLUSHALL: ERR FLUSHALL concerns others who use this ser',
      'CONFIG: ERR CONFIG SET concerns others who use this s',
      'SCRIPT: ERR SCRIPT FLUSH concerns others who use this',
      'SELECT: ERR DB index is out of range',
      "LPOS: ERR the key 'leaselab:notes' lies outside thi",
      'SET k:mine: OK',
    ])
    await untouched()
  })

  test('what a run that is no more left behind is removed at the next start, and nothing else', async () => {
    const dead = 'leaselab:00000000000000aa:'
    const living = 'leaselab:00000000000000bb'
    await others.mset({ [`${dead}k`]: '1', [`${dead}lease:shard:1`]: '1', [`${living}:k`]: '1' })
    const another = new Redis(redis.port, { connectionName: living })
    await another.ping()
    await meetServer(url)
    expect(await keys()).toEqual([...Object.keys(theirs), `${living}:k`].sort())
    another.disconnect()
    await expect.poll(() => others.client('LIST')).not.toContain(living)
    await meetServer(url)
    await untouched()
  })

  test('a run that the machine disturbs is repeated once; twice disturbed it proves nothing', async () => {
    const server = await meetServer(url)
    const scenario: Scenario = {
      processes: { a: { program: 'life.ts', env: { MODE: 'ticks' } } },
      timeline: [],
      until: { on: { kind: 'process.output', json: { event: 'tick' } }, nth: 12 },
      limitMs: 5000,
    }
    const job = { id: 'case', seed: '1', scenario, files: FILES, preflight: null }
    const standStill = (): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    }
    const runDisturbed = async (everyMs: number | null) => {
      const repeats: number[] = []
      const disturb = everyMs === null ? null : setInterval(standStill, everyMs)
      const [result] = await runReal([job], {
        worldMain,
        server,
        onRepeat: (_, gapMs) => {
          repeats.push(gapMs)
        },
      })
      if (disturb !== null) clearInterval(disturb)
      const end = result!.events.at(-1)
      return { repeats, detail: end?.kind === 'world.ended' ? end.detail : '' }
    }
    const { repeats, detail } = await runDisturbed(450)
    expect(repeats).toHaveLength(1)
    expect(repeats[0]).toBeGreaterThan(100)
    expect(detail).toMatch(/^machine: twice it kept the run waiting, for \d+ ms and \d+ ms$/)
  })

  describe('the judge is ended in the middle of a check', () => {
    /** Processes of the run: node with real-main, by id, and whether each is stopped. */
    const children = (judge: number): { pid: string; stopped: boolean }[] =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
          try {
            const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1')
              .split(') ')[1]!
              .split(' ')
            const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('real-main')
            return isOurs && Number(parent) === judge ? [{ pid, stopped: state === 'T' }] : []
          } catch {
            return []
          }
        })

    // Children are found through /proc, which only Linux has.
    test.runIf(process.platform === 'linux').each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
      '%s while a child is stopped: no child lives on, and no key is left',
      async (signal) => {
        const judge = spawn(
          process.execPath,
          [LAUNCHER, 'grade', LAB, '--target', join(LAB_DIR, 'solution'), '--check', '5'],
          { stdio: 'ignore', env: { PATH: process.env.PATH, REDIS_URL: url } },
        )
        const isStopped = (): boolean => children(judge.pid!).some(({ stopped }) => stopped)
        await expect.poll(isStopped, { timeout: 30_000, interval: 20 }).toBe(true)
        const pids = children(judge.pid!).map(({ pid }) => pid)
        expect(pids.length).toBeGreaterThan(3)
        expect((await keys()).length).toBeGreaterThan(Object.keys(theirs).length)
        judge.kill(signal)
        const [code, by] = await once(judge, 'exit')
        expect({ code, by }).toEqual({ code: null, by: signal })
        const alive = (): string[] => pids.filter((pid) => existsSync(`/proc/${pid}/stat`))
        await expect.poll(alive, { timeout: 5000 }).toEqual([])
        if (signal === 'SIGKILL') await meetServer(url)
        await untouched()
      },
    )
  })
})
