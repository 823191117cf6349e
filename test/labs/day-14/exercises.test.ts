/** Starter and solution side by side: same shape, one hole an idea, and the difference that it makes. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import * as solutionEnv from '../../../labs/agent-30days/day-14-compose-multi-worker/solution/env.ts'
import {
  isAlive,
  startHeartbeat,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/solution/heartbeat.ts'
import {
  readiness,
  summarize,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/solution/panel.ts'
import * as starterEnv from '../../../labs/agent-30days/day-14-compose-multi-worker/starter/env.ts'
import * as starterHeartbeat from '../../../labs/agent-30days/day-14-compose-multi-worker/starter/heartbeat.ts'
import * as starterPanel from '../../../labs/agent-30days/day-14-compose-multi-worker/starter/panel.ts'
import { labDirOf } from '../worlds.ts'

const LAB_DIR = labDirOf(lab)
const source = (...path: string[]) => readFileSync(join(LAB_DIR, ...path), 'utf8')
const typescriptIn = (folder: string) =>
  readdirSync(join(LAB_DIR, folder)).filter((name) => name.endsWith('.ts'))

describe('starter and solution', () => {
  it('have the same modules, those that the manifest lists', () => {
    const modules = [...lab.modules].sort()
    expect(typescriptIn('starter').sort()).toEqual(modules)
    expect(typescriptIn('solution').sort()).toEqual(modules)
  })

  it.each(lab.exercises)(
    '$file: exports in both what the manifest says',
    async ({ file, exports }) => {
      for (const folder of ['starter', 'solution']) {
        const module: Record<string, unknown> = await import(join(LAB_DIR, folder, file))
        for (const [name, type] of Object.entries(exports)) {
          expect(typeof module[name], `${folder}/${file}: ${name}`).toBe(type)
        }
      }
    },
  )

  it.each(lab.exercises)(
    '$file: the starter marks its one hole, the solution has none',
    ({ id, file }) => {
      expect(source('starter', file).split('TODO')).toHaveLength(2)
      expect(source('starter', file)).toContain(`TODO exercise ${id}`)
      expect(source('solution', file)).not.toContain('TODO')
    },
  )

  it('share the given modules to the letter', () => {
    const given = lab.modules.filter((file) => !lab.exercises.some((each) => each.file === file))
    expect(given).toEqual(['lease.ts', 'presence.ts'])
    for (const file of given) expect(source('starter', file)).toBe(source('solution', file))
  })

  it.each(['app', 'starter', 'solution'])(
    '%s: nothing knows a simulator, a file or a child',
    (dir) => {
      for (const name of typescriptIn(dir)) {
        const text = source(dir, name)
        expect(text, name).not.toMatch(/simulat|virtual|node:fs|child_process|worker_threads/i)
        for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
          expect(from, name).toMatch(
            /^(node:|#exercises\/|\.\/|ioredis$|hono$|@hono\/node-server$|prom-client$|agent-30days-shared\/|day-10-sharding-lease\/solution\/|leaselab\/messages$)/,
          )
        }
      }
    },
  )

  it.each(['app', 'starter', 'solution'])('%s: every key goes through namespaced', (dir) => {
    for (const name of typescriptIn(dir).filter((each) => each !== 'env.ts')) {
      expect(source(dir, name), name).not.toMatch(/(?<!namespaced\()['"`](koda|lease):/)
    }
  })

  it('times are read in one module', () => {
    for (const name of typescriptIn('app').filter((each) => each !== 'times.ts')) {
      const read = source('app', name).match(/wholeNumber\(env, '\w+_MS'/g) ?? []
      // What a run takes is its own affair: it hangs together with none of them.
      expect(read, name).toEqual(name === 'config.ts' ? ["wholeNumber(env, 'WORK_MS'"] : [])
    }
  })
})

describe('isAlive', () => {
  it('is good for the limit, to the millisecond', () => {
    expect(isAlive(1000, 16_000, 15_000)).toBe(true)
    expect(isAlive(1000, 16_001, 15_000)).toBe(false)
  })

  it('as shipped is good for ever', () => {
    expect((starterHeartbeat.isAlive as typeof isAlive)(1, 9e12, 15_000)).toBe(true)
  })
})

describe('startHeartbeat', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('beats at once, then every interval, and not after it was stopped', async () => {
    const beat = vi.fn(async () => {})
    const heartbeat = startHeartbeat(beat, 5000)
    expect(beat).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(beat).toHaveBeenCalledTimes(3)
    await heartbeat.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(beat).toHaveBeenCalledTimes(3)
  })

  it('stop waits for a beat that is under way, and none begins beside it', async () => {
    let end = () => {}
    const beat = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    const heartbeat = startHeartbeat(beat, 5000)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(beat).toHaveBeenCalledTimes(1)
    let stopped = false
    const stop = heartbeat.stop().then(() => {
      stopped = true
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(stopped).toBe(false)
    end()
    await stop
  })

  it('a beat that fails is a beat that is missing, and the next one comes', async () => {
    const beat = vi.fn(async () => {
      throw new Error('Redis is away')
    })
    const heartbeat = startHeartbeat(beat, 5000)
    await vi.advanceTimersByTimeAsync(5000)
    expect(beat).toHaveBeenCalledTimes(2)
    await heartbeat.stop()
  })

  it('its timer does not keep the process alive', () => {
    vi.useRealTimers()
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    startHeartbeat(async () => {}, 60_000)
    const now = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    expect(now).toBe(timers)
  })
})

describe('summarize and readiness', () => {
  const line = (workerId: string, alive: boolean) => {
    return { workerId, alive, lastBeatMs: 1, inFlight: 0, version: '1' }
  }

  it('one stale worker makes the whole degraded', () => {
    const workers = [line('a', true), line('b', false)]
    expect(summarize(workers)).toEqual({
      status: 'degraded',
      total: 2,
      alive: 1,
      stale: 1,
      workers,
    })
    expect(starterPanel.summarize(workers).status).toBe('ok')
  })

  it('readiness is Redis and store', () => {
    expect(readiness({ redis: true, store: true })).toBe(true)
    expect(readiness({ redis: false, store: true })).toBe(false)
    expect(readiness({ redis: true, store: false })).toBe(false)
  })
})

describe('env', () => {
  it('dev and prod have names of their own, which the starter has not', () => {
    expect(solutionEnv.runsStream('dev')).toBe('dev:koda:runs')
    expect(solutionEnv.runsStream('prod')).toBe('prod:koda:runs')
    expect(starterEnv.runsStream('dev')).toBe(starterEnv.runsStream('prod'))
  })

  it.each([
    [{}, 'dev'],
    [{ APP_ENV: 'dev' }, 'dev'],
    [{ APP_ENV: 'prod' }, 'prod'],
  ])('%o is %s', (variables, env) => {
    expect(solutionEnv.appEnv(variables)).toBe(env)
  })

  it.each(['', 'Prod', 'production', ' dev'])('%j is refused', (value) => {
    expect(() => solutionEnv.appEnv({ APP_ENV: value })).toThrow(
      `APP_ENV: expected dev, prod, or no such variable, got ${JSON.stringify(value)}`,
    )
  })

  it('prod in memory is refused, and nothing else', () => {
    expect(() => solutionEnv.assertProdSafety('memory', 'prod')).toThrow(/in memory only/)
    for (const [mode, env] of [
      ['memory', 'dev'],
      ['real', 'dev'],
      ['real', 'prod'],
    ] as const) {
      expect(() => solutionEnv.assertProdSafety(mode, env)).not.toThrow()
    }
  })
})
