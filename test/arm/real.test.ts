/**
 * The real arm, held to what both arms must do alike, on a redis-server of the tests' own.
 *
 * Needs an installed redis-server (Debian, Ubuntu: apt-get install redis-server) and runs with
 * LEASELAB_REAL_ARM=1 only, as it takes real time.
 */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import { type RunningServer, startRedis } from '../../scripts/servers.mjs'
import { meetServer, type RealServer, runReal } from '../../src/arm/run-real.ts'
import { armCases, FILES } from './arm.cases.ts'
import { HOW_TO_RUN, withRealRedis } from './real-redis.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const built = ensureBuilt(root)

describe.runIf(withRealRedis)('the real arm', () => {
  let redis: RunningServer
  let server: RealServer

  beforeAll(async () => {
    redis = await startRedis()
    server = await meetServer(`redis://127.0.0.1:${redis.port}`)
  })
  afterAll(() => redis.stop())

  armCases(
    async (scenario) => {
      const job = { id: 'case', seed: '1', scenario, files: FILES, preflight: null }
      const worldMain = join(built, 'src/arm/world-main.js')
      const [result] = await runReal([job], { worldMain, server })
      return result!.events
    },
    { skip: [] },
  )
})

test.skipIf(withRealRedis)(`the real arm is skipped: ${HOW_TO_RUN}`, () => {
  expect(withRealRedis).toBe(false)
})
