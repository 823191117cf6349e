/** What `pnpm bench` switches off to measure it changes the speed of a world and nothing that happens. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import type { Tuning, WorldResult } from '../../src/arm/job.ts'
import { runWorlds } from '../../src/arm/run-worlds.ts'
import { ROOT } from '../cli/launch.ts'
import { programFolder, writeFiles } from '../host/run-program.ts'

const dir = programFolder()

async function run(text: string, tuning: Tuning): Promise<WorldResult> {
  const program = join(dir, 'program.ts')
  writeFiles(dir, { 'program.ts': text })
  const [result] = await runWorlds(
    [
      {
        id: 'tuned',
        seed: '1',
        files: null,
        preflight: null,
        tuning,
        scenario: {
          processes: { a: { program, env: { REDIS_URL: 'redis://redis:6379' } } },
          timeline: [],
          until: { allExited: true },
          limitMs: 60_000,
        },
      },
    ],
    { worldMain: join(ensureBuilt(ROOT), 'src/arm/world-main.js') },
  )
  return result!
}

const endOf = ({ events }: WorldResult) => {
  const end = events.at(-1)
  return end?.kind === 'world.ended' ? { why: end.why, detail: end.detail } : null
}

test('with and without load hints and counting a world has one digest', async () => {
  const text = `import { Redis } from 'ioredis'
const redis = new Redis(process.env.REDIS_URL ?? '')
for (let k = 0; k < 20; k += 1) console.log(await redis.incr('n'), Math.random())
redis.disconnect()
`
  const tuned = await run(text, { loadHints: true, countLoops: true })
  const plain = await run(text, { loadHints: false, countLoops: false })
  expect(endOf(plain)).toEqual({ why: 'until', detail: null })
  expect(plain.events.length).toBeGreaterThan(60)
  expect(plain.digest).toBe(tuned.digest)
})

test('without counting nobody but the watchdog finds an endless loop', async () => {
  const loop = 'for (;;);\n'
  const counted = await run(loop, { loadHints: true, countLoops: true })
  expect(endOf(counted)?.detail).toMatch(/program\.ts:1 went round 50 million times/)
  const plain = await run(loop, { loadHints: true, countLoops: false })
  expect(endOf(plain)).toEqual({ why: 'hang', detail: expect.stringMatching(/computed for 5 s/) })
})
