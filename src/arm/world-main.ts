/**
 * The child process in which worlds run, one job after another.
 *
 * Reads `{ jobs }` as JSON from stdin, writes the trace to descriptor 3 (see channel.ts). Started by
 * run-worlds.ts with `--experimental-vm-modules` (ES modules in realms) and
 * `--disallow-code-generation-from-strings` (no `Function` constructor of the main realm leads out
 * of a realm). An uncaught error of the code under test arrives here, at the real process, and goes
 * to the process whose event was running.
 */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { setLoadHints } from '../host/modules/load-hints.ts'
import { setLoopCounting } from '../host/modules/loops.ts'
import { loadLua } from '../infra/redis/lua.ts'
import { ChannelWriter } from './channel.ts'
import type { PreflightResult, WorldJob } from './job.ts'
import { runPreflight } from './preflight.ts'
import { SimArm } from './sim.ts'

const here = fileURLToPath(import.meta.url)
const preflightProgram = join(dirname(here), 'preflight-program.js')
/** Half of the heap that run-worlds.ts grants. */
const FULL_BYTES = 192 * 2 ** 20
const channel = new ChannelWriter()
let arm: SimArm | null = null

/** A bug of ours: told, and the end of this child. */
function ownBug(error: unknown): never {
  const text = types.isNativeError(error) ? (error.stack ?? String(error)) : String(error)
  channel.line('X', JSON.stringify(text))
  channel.flush()
  process.exit(4)
}

process.on('uncaughtException', (error) => {
  try {
    if (arm?.kernel.uncaught(error, 'error') !== true) ownBug(error)
  } catch (bug) {
    ownBug(bug)
  }
})
process.on('unhandledRejection', (reason, promise) => {
  try {
    if (arm?.kernel.uncaught(reason, 'rejection', promise) !== true) ownBug(reason)
  } catch (bug) {
    ownBug(bug)
  }
})

/** Makes `next` the world that uncaught errors belong to; `seen` tells what a preflight saw. */
function enter(next: SimArm, seen: (() => PreflightResult) | null = null): void {
  arm = next
  next.kernel.onProgress = () => {
    channel.line('.')
    channel.flush()
  }
  next.kernel.onRunaway = (detail, why = 'hang') => {
    next.tellEnd(why, detail)
    if (seen !== null) channel.line('P', JSON.stringify(seen()))
    retire()
  }
}

/** Ends this child after its job: what runs on in it, or was changed in it, must not meet the next world. */
function retire(): never {
  channel.line('Z')
  channel.line('R')
  channel.flush()
  process.exit(0)
}

/**
 * A world leaves some of its code behind in V8, by the packages that its processes load: 3 to 10 MB. The
 * next one must find room enough below the heap's limit, whatever ran before it.
 */
function isFull(): boolean {
  return getHeapStatistics().used_heap_size > FULL_BYTES
}

async function runJob(job: WorldJob): Promise<void> {
  channel.line('J', job.id)
  channel.flush()
  setLoadHints(job.tuning?.loadHints ?? true)
  setLoopCounting(job.tuning?.countLoops ?? true)
  const preflight = await runPreflight(job, preflightProgram, lua, enter)
  if (preflight !== null) channel.line('P', JSON.stringify(preflight))
  channel.flush()
  if (preflight?.kind !== 'failed') {
    const { seed, scenario, files } = job
    const world = new SimArm({ seed, scenario, files, lua }, [
      (event, json) => {
        channel.line('E', json)
        if (job.live === true && event.kind === 'process.output') channel.flush()
      },
    ])
    enter(world)
    await world.run()
  }
  if (arm?.reusable === false || isFull()) retire()
  channel.line('Z')
  channel.flush()
}

const { jobs } = JSON.parse(readFileSync(0, 'utf8')) as { jobs: readonly WorldJob[] }
const lua = await loadLua()
for (const job of jobs) await runJob(job)
process.exit(0)
