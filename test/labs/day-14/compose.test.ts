/**
 * compose.yaml and Dockerfile, read as data: what no container engine has to be started for.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  checkPools,
  gatewayConfig,
  workerConfig,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/app/config.ts'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import { labDirOf, ROOT } from '../worlds.ts'

interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command?: readonly string[] | string
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] | string }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly stop_grace_period?: string
  readonly deploy?: { readonly replicas: string }
}

const LAB_DIR = labDirOf(lab)
const read = (name: string) => readFileSync(join(LAB_DIR, name), 'utf8')
const { services } = parse(read('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
}
const { gateway, worker, store, redis, postgres } = services as Record<string, Service> & {
  readonly [K in 'gateway' | 'worker' | 'store' | 'redis' | 'postgres']: Service
}

/** The environment as a container gets it when nothing is set outside. */
function environmentOf(service: Service): Record<string, string> {
  return Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  )
}

function milliseconds(period: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m)$/.exec(period) ?? []
  return Number(count) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm']
}

const instructions = read('Dockerfile')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const)
const lastOf = (name: string) => instructions.findLast(([each]) => each === name)?.[1] ?? ''

describe('compose.yaml', () => {
  it('has gateway and worker from one image, told apart by ROLE', () => {
    expect(gateway.image).toBe(worker.image)
    expect([gateway, worker].map((each) => environmentOf(each).ROLE)).toEqual(['gateway', 'worker'])
    expect([gateway.command, worker.command]).toEqual([undefined, undefined])
  })

  it('publishes the gateway and nothing else', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined)
    expect(published.map(([name]) => name)).toEqual(['gateway'])
    expect(gateway.ports).toEqual(['127.0.0.1:3014:3014'])
    expect(environmentOf(gateway).PORT).toBe('3014')
  })

  it.each(['gateway', 'worker'] as const)(
    '%s: the platform waits for longer than the code does, and the code knows for how long',
    (name) => {
      const service = services[name]!
      const graceMs = milliseconds(service.stop_grace_period ?? '')
      const { times } = workerConfig(environmentOf(service))
      expect(graceMs).toBe(25_000)
      expect(times.platformGraceMs).toBe(graceMs)
      expect(times.drainCeilingMs).toBe(20_000)
      expect(times.unreadyMs).toBeLessThan(graceMs)
    },
  )

  it('gives each role an environment with which it starts', () => {
    expect(gatewayConfig(environmentOf(gateway)).port).toBe(3014)
    const config = workerConfig(environmentOf(worker))
    expect(config).toMatchObject({ workers: 3, shards: 3, version: '1.0.0' })
    for (const service of [gateway, worker]) {
      const names = Object.keys(environmentOf(service))
      const wanted = ['APP_ENV', 'ROLE', 'REDIS_URL', 'STORE_URL', 'DATABASE_URL']
      expect(names).toEqual(expect.arrayContaining(wanted))
      expect(environmentOf(service).APP_ENV).toBe('dev')
    }
  })

  it('names hosts that are services, on the ports that these listen on', () => {
    const env = environmentOf(worker)
    const hosts = ['REDIS_URL', 'STORE_URL', 'DATABASE_URL'].map((name) => new URL(env[name]!))
    expect(hosts.map(({ hostname, port }) => `${hostname}:${port}`)).toEqual([
      'redis:6379',
      `store:${environmentOf(store).PORT}`,
      'postgres:5432',
    ])
    for (const { hostname } of hosts) expect(services).toHaveProperty(hostname)
    const { username, password, pathname } = hosts[2]!
    expect(environmentOf(postgres)).toEqual({
      POSTGRES_USER: username,
      POSTGRES_PASSWORD: password,
      POSTGRES_DB: pathname.slice(1),
    })
  })

  it('runs three workers, which are told how many they are', () => {
    const replicas = worker.deploy?.replicas
    expect(replicas).toBe(worker.environment?.WORKERS)
    expect(String(replicas)).toMatch(/^\$\{WORKERS:-3\}$/)
  })

  it('starts both roles when what they need is healthy, and all of that has a health check', () => {
    for (const service of [gateway, worker]) {
      expect(Object.keys(service.depends_on ?? {}).sort()).toEqual(['postgres', 'redis', 'store'])
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).toBe('service_healthy')
        expect(services[name]?.healthcheck, name).toBeDefined()
      }
    }
  })

  it('asks the gateway whether to restart it at /healthz, never at /readyz', () => {
    const test = [gateway.healthcheck?.test ?? []].flat().join(' ')
    expect(test).toContain(`:${environmentOf(gateway).PORT}/healthz`)
    expect(test).not.toContain('readyz')
  })

  it('has every command and every health check in exec form', () => {
    for (const [name, { command, healthcheck }] of Object.entries(services)) {
      if (command !== undefined) expect(command, name).toBeInstanceOf(Array)
      if (healthcheck) expect(healthcheck.test[0], name).toBe('CMD')
      for (const word of [command ?? [], healthcheck?.test ?? []].flat()) {
        expect(typeof word, name).toBe('string')
      }
    }
  })

  it('has a Redis that throws no lease away, and a Postgres with the connections that are counted', () => {
    expect([redis.command].flat().join(' ')).toContain('--maxmemory-policy noeviction')
    const { MAX_CONNECTIONS = '' } = environmentOf(worker)
    expect([postgres.command].flat()).toContain(`max_connections=${MAX_CONNECTIONS}`)
  })
})

describe('Dockerfile', () => {
  it('starts the process itself, in exec form and by no shell or package manager', () => {
    const command: unknown = JSON.parse(lastOf('CMD'))
    expect(command).toEqual(['node', '/srv/bin/leaselab.mjs', 'process', 'app'])
    expect(instructions.map(([name]) => name)).not.toContain('ENTRYPOINT')
    expect(lab.programs.app).toBe('app/main.ts')
    expect([store.command].flat()).toEqual(['node', '/srv/bin/leaselab.mjs', 'process', 'store'])
  })

  it('does not run as root, in the folder of the lab', () => {
    expect(lastOf('USER')).toBe('node')
    expect(join('/srv', LAB_DIR.slice(ROOT.length))).toBe(lastOf('WORKDIR'))
  })

  it('is what compose builds, with the pnpm that the project pins', () => {
    const { context, dockerfile } = gateway.build!
    expect(join(LAB_DIR, context, '/')).toBe(join(ROOT, '/'))
    expect(join(ROOT, dockerfile)).toBe(join(LAB_DIR, 'Dockerfile'))
    const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(read('Dockerfile')).toContain(`npm install --global ${packageManager}`)
  })
})

describe('connections of Postgres', () => {
  it('ten processes with ten each fill a hundred; the eleventh is refused at its start', () => {
    expect(() => checkPools(10, 10, 100)).not.toThrow()
    expect(() => checkPools(11, 10, 100)).toThrow('POOL_SIZE: expected at most 9')
    const env = { ...environmentOf(worker), WORKERS: '10' }
    expect(() => workerConfig(env)).toThrow(/11 processes .* got 10/)
  })
})
