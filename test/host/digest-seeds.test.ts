/**
 * The same seed gives the same digest, twice, for programs of three kinds. 20 seeds;
 * LEASELAB_SEEDS=500 for more by hand; LEASELAB_DIGESTS names a file to write them to.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import type { WorldJob } from '../../src/arm/job.ts'
import { runWorlds } from '../../src/arm/run-worlds.ts'
import type { Scenario } from '../../src/scenario/scenario.ts'
import { ROOT } from '../cli/launch.ts'

const SEEDS = Number(process.env.LEASELAB_SEEDS ?? 20)
// Below the project, so that ioredis is found.
mkdirSync(join(ROOT, 'node_modules', '.cache'), { recursive: true })
const dir = mkdtempSync(join(ROOT, 'node_modules', '.cache', 'digest-seeds-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const program = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
const worker = program(
  'worker.mjs',
  `import { createRequire } from 'node:module'
const Redis = createRequire(import.meta.url)('ioredis')
const redis = new Redis(process.env.REDIS_URL)
for (let k = 0; k < 20; k++) {
  console.log(await redis.set('lease', process.env.WHO, 'PX', 300, 'NX'), await redis.incr('n'))
  await new Promise((go) => setTimeout(go, Math.random() * 200))
}
redis.disconnect()
`,
)
const server = program(
  'server.mjs',
  `import http from 'node:http'
let left = 5
const server = http.createServer((request, response) => {
  setTimeout(() => response.end(request.url + Math.random()), Math.random() * 50)
  if (--left === 0) server.close()
}).listen(8080)
`,
)
const client = program(
  'client.mjs',
  `import http from 'node:http'
for (let k = 0; k < 5; k++) setTimeout(() => http.get('http://server:8080/' + k, { agent: false }, (response) => {
  response.setEncoding('utf8').on('data', (text) => console.log(k, text))
}), 10 + Math.random() * 20)
`,
)
const mix = program(
  'mix.mjs',
  `import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
setImmediate(() => console.log('immediate'))
process.nextTick(() => console.log('tick'))
await Promise.all([1, 2, 3].map(async (k) => { await sleep(Math.random() * 100); console.log(k, Date.now()) }))
for await (const part of Readable.from(['a', 'b'])) console.log(part, Math.random())
`,
)

const env = (WHO: string) => ({ REDIS_URL: 'redis://redis:6379', WHO })
const base = { timeline: [], until: { allExited: true }, limitMs: 60_000 } as const
const scenarios: Readonly<Record<string, Scenario>> = {
  workers: {
    ...base,
    processes: { a: { program: worker, env: env('a') }, b: { program: worker, env: env('b') } },
    timeline: [{ id: 'f', when: { atMs: 500 }, do: { verb: 'freeze', process: 'a', forMs: 900 } }],
  },
  http: { ...base, processes: { server: { program: server }, client: { program: client } } },
  mix: { ...base, processes: { mix: { program: mix } } },
}

test(
  `digests are equal twice over ${SEEDS} seeds and three programs, and differ by seed`,
  async () => {
    const worldMain = join(ensureBuilt(ROOT), 'src/arm/world-main.js')
    const jobs: WorldJob[] = Object.entries(scenarios).flatMap(([name, scenario]) =>
      Array.from({ length: SEEDS }, (_, k) => ({
        id: `${name} ${k}`,
        seed: String(k),
        scenario,
        files: null,
        preflight: null,
      })),
    )
    const all = async () =>
      (await runWorlds(jobs, { worldMain })).map(({ id, digest, events }) => {
        const errors = events.filter(({ kind }) => kind === 'process.error')
        const end = events.at(-1)
        return { id, digest, errors, why: end?.kind === 'world.ended' ? end.why : null }
      })
    const first = await all()
    expect(await all()).toEqual(first)
    const { LEASELAB_DIGESTS: file } = process.env
    if (file) writeFileSync(file, first.map(({ id, digest }) => `${id} ${digest}\n`).join(''))
    expect(first.filter(({ why, errors }) => why !== 'until' || errors.length > 0)).toEqual([])
    expect(new Set(first.map(({ digest }) => digest)).size).toBe(jobs.length)
  },
  SEEDS * 3000,
)
