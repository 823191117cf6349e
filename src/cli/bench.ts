/**
 * `pnpm bench`: one table of what this machine makes of the lab, peers measured in the same run.
 *
 * Medians of several rounds. Aims stand beside the figures; a figure below its floor is said so, and
 * the exit code is then 1. Needs the development packages (fake-timers), so a clone, not an install.
 */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { WorldJob } from '../arm/job.ts'
import { runWorlds } from '../arm/run-worlds.ts'
import { kernelRates } from './bench-kernel.ts'

interface Row {
  readonly what: string
  readonly figure: string
  /** What is wanted, and the floor below which it is not done; null where nothing is promised. */
  readonly aim: string | null
  readonly fails: boolean
}

export interface BenchPlaces {
  /** The repository. */
  readonly root: string
  /** The built world-main. */
  readonly worldMain: string
}

const LAB = 'labs/agent-30days/day-10-sharding-lease'
const VIRTUAL_S = 600

interface Measured {
  readonly what: string
  /** Program of the two workers, relative to the lab. */
  readonly worker: string
  readonly aim: string | null
  /** Ratio below which it is not done. */
  readonly floor: number
}

const MEASURED: readonly Measured[] = [
  {
    what: `two workers, 256 shards, ioredis, ${VIRTUAL_S} virtual s: claims and renewals`,
    worker: '../../../scripts/bench-worker.ts',
    aim: 'aim 1000 ×, floor 300 ×',
    floor: 300,
  },
  {
    what: 'the same with all that the lab\u2019s worker does: blocking reads, rescues, fences',
    worker: 'app/worker-main.ts',
    aim: null,
    floor: 0,
  },
]

/** Two workers share 256 shards for ten virtual minutes; one of them stands still for 35 s. */
function worldJob(root: string, id: string, program: string): WorldJob {
  const labDir = join(root, LAB)
  const solution = join(labDir, 'solution')
  const modules = ['keys.ts', 'shard.ts', 'lease.ts', 'renew.ts', 'store.ts', 'worker.ts']
  const worker = (name: string) => ({
    program,
    env: {
      REDIS_URL: 'redis://redis:6379',
      STORE_URL: 'http://store:7310',
      WORKER_ID: name,
      WORKERS: '2',
    },
  })
  return {
    id,
    seed: '1',
    preflight: null,
    files: {
      labDir,
      exercises: Object.fromEntries(modules.map((file) => [file, join(solution, file)])),
      exerciseDirs: [solution],
      targetDir: solution,
    },
    scenario: {
      processes: {
        store: { program: 'app/store-main.ts', env: { PORT: '7310' } },
        a: worker('a'),
        b: worker('b'),
      },
      timeline: [
        {
          id: 'freeze',
          when: { atMs: 60_000 },
          do: { verb: 'freeze', process: 'a', forMs: 35_000 },
        },
      ],
      until: { atMs: VIRTUAL_S * 1000 },
      limitMs: VIRTUAL_S * 1000,
    },
  }
}

interface WorldFigures {
  readonly realMs: number
  readonly commands: number
  readonly events: number
}

async function worldFigures(
  { root, worldMain }: BenchPlaces,
  program: string,
): Promise<WorldFigures> {
  const rounds = [1, 2, 3, 4, 5]
  const jobs = rounds.map((round) => worldJob(root, `round ${round}`, program))
  const results = await runWorlds(jobs, { worldMain })
  const last = results.at(-1)!
  const end = last.events.at(-1)
  if (end?.kind !== 'world.ended' || end.t !== VIRTUAL_S * 1_000_000) {
    throw new Error(`the measured world did not run its ${VIRTUAL_S} s: ${JSON.stringify(end)}`)
  }
  return {
    // The first rounds compile and warm up: the median of five leaves them out.
    realMs: median(results.map((result) => result.realMs)),
    commands: last.events.filter((event) => event.kind === 'redis.command').length,
    events: last.events.length,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

/** Wall time of a command, median of several runs, in ms. Throws when it does not end with 0. */
function wallMs(args: readonly string[], env: Record<string, string>, rounds = 5): number {
  const times: number[] = []
  for (let k = 0; k < rounds; k += 1) {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    times.push(performance.now() - began)
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  }
  return median(times)
}

const perSecond = (rate: number): string =>
  rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} M/s` : `${(rate / 1000).toFixed(0)} k/s`

async function kernelRows(): Promise<Row[]> {
  const rates = await kernelRates()
  const times = rates.kernel / rates.fakeTimers
  return [
    {
      what: 'bare kernel, one timer and one await an event',
      figure: `${perSecond(rates.kernel)} = ${times.toFixed(1)} × fake-timers`,
      aim: 'aim 10 ×, floor 3 ×',
      fails: times < 3,
    },
    {
      what: '  fake-timers 15, tickAsync, the same chain',
      figure: perSecond(rates.fakeTimers),
      aim: null,
      fails: false,
    },
    {
      what: '  one hop through the event loop an event',
      figure: perSecond(rates.hopPerEvent),
      aim: null,
      fails: false,
    },
  ]
}

async function worldRows(places: BenchPlaces, measured: Measured): Promise<Row[]> {
  const { realMs, commands, events } = await worldFigures(places, measured.worker)
  const ratio = (VIRTUAL_S * 1000) / realMs
  return [
    {
      what: measured.what,
      figure: `${Math.round(ratio)} × real time (${Math.round(realMs)} ms)`,
      aim: measured.aim,
      fails: ratio < measured.floor,
    },
    {
      what: '  Redis commands a real second',
      figure: `${perSecond((commands / realMs) * 1000)} (${commands} commands)`,
      aim: null,
      fails: false,
    },
    {
      what: '  density',
      figure: `${(events / VIRTUAL_S).toFixed(0)} trace events a virtual second (${events})`,
      aim: null,
      fails: false,
    },
  ]
}

function selfCheckRows({ root }: BenchPlaces, env: Record<string, string>): Row[] {
  const launcher = join(root, 'bin/leaselab.mjs')
  const checkMs = wallMs([launcher, 'selftest'], env)
  const emptyMs = wallMs(['-e', '0'], env)
  return [
    {
      what: 'self-check, from the command to its end',
      figure: `${(checkMs / 1000).toFixed(2)} s`,
      aim: 'aim 1.5 s, floor 3 s',
      fails: checkMs > 3000,
    },
    {
      what: '  node -e 0',
      figure: `${(emptyMs / 1000).toFixed(2)} s`,
      aim: null,
      fails: false,
    },
  ]
}

/** Measures all and answers the table and whether every floor was kept. */
export async function bench(
  places: BenchPlaces,
  env: Record<string, string>,
): Promise<{ readonly table: string; readonly kept: boolean }> {
  const rows = [
    ...(await kernelRows()),
    ...(await worldRows(places, MEASURED[0]!)),
    ...(await worldRows(places, MEASURED[1]!)),
    ...selfCheckRows(places, env),
  ]
  const wide = Math.max(...rows.map((row) => row.what.length))
  const figureWide = Math.max(...rows.map((row) => row.figure.length))
  const lines = rows.map((row) => {
    const aim = row.aim === null ? '' : `${row.aim}${row.fails ? '  ← below the floor' : ''}`
    return `${row.what.padEnd(wide)}  ${row.figure.padEnd(figureWide)}  ${aim}`.trimEnd()
  })
  return { table: lines.join('\n'), kept: rows.every((row) => !row.fails) }
}
