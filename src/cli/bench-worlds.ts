/**
 * How fast a world of two workers runs: virtual seconds a real second, in a judge that is warm.
 *
 * Ten virtual minutes, one of the workers stands still for 35 s. The first rounds compile and warm up;
 * the median of five leaves them out. With `counting` off the rounds of loops are not counted: pairs
 * of children in turn, so that what else the machine does falls on both.
 */

import { join } from 'node:path'
import type { Tuning, WorldJob } from '../arm/job.ts'
import { runWorlds } from '../arm/run-worlds.ts'
import type { BenchPlaces } from './bench.ts'
import { median, percentMore, perSecond, type Row, told } from './bench-rows.ts'

const LAB = 'labs/agent-30days/day-10-sharding-lease'
const VIRTUAL_S = 600
const ROUNDS = 5
/** Of each child of a pair. */
const PAIR_ROUNDS = 3

interface Measured {
  readonly what: string
  /** Program of the two workers, relative to the lab. */
  readonly worker: string
  readonly env: Readonly<Record<string, string>>
  readonly aim: string | null
  /** Ratio below which it is not done. */
  readonly floor: number
}

const CLAIMS = '../../../scripts/bench-worker.ts'
const LAB_WORKER = 'app/worker-main.ts'

const MEASURED: readonly Measured[] = [
  {
    what: `two workers, 256 shards, ioredis, ${VIRTUAL_S} virtual s: claims and renewals`,
    worker: CLAIMS,
    env: {},
    aim: 'aim 1000 ×, floor 300 ×',
    floor: 300,
  },
  { what: 'the same, 16 shards', worker: CLAIMS, env: { SHARDS: '16' }, aim: null, floor: 0 },
  {
    what: '256 shards with all that the lab\u2019s worker does: blocking reads, rescues, fences',
    worker: LAB_WORKER,
    env: {},
    aim: null,
    floor: 0,
  },
]

/** Two workers share the shards for ten virtual minutes; one of them stands still for 35 s. */
function worldJob(
  root: string,
  id: string,
  { worker, env }: Pick<Measured, 'worker' | 'env'>,
  tuning: Tuning,
): WorldJob {
  const labDir = join(root, LAB)
  const solution = join(labDir, 'solution')
  const modules = ['keys.ts', 'shard.ts', 'lease.ts', 'renew.ts', 'store.ts', 'worker.ts']
  const process = (name: string) => ({
    program: worker,
    env: {
      REDIS_URL: 'redis://redis:6379',
      STORE_URL: 'http://store:7310',
      WORKER_ID: name,
      WORKERS: '2',
      ...env,
    },
  })
  return {
    id,
    seed: '1',
    preflight: null,
    tuning,
    files: {
      labDir,
      exercises: Object.fromEntries(modules.map((file) => [file, join(solution, file)])),
      exerciseDirs: [solution],
      targetDir: solution,
    },
    scenario: {
      processes: {
        store: { program: 'app/store-main.ts', env: { PORT: '7310' } },
        a: process('a'),
        b: process('b'),
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
  measured: Pick<Measured, 'worker' | 'env'>,
  countLoops = true,
  rounds = ROUNDS,
): Promise<WorldFigures> {
  const tuning = { loadHints: true, countLoops }
  const jobs = Array.from({ length: rounds }, (_, round) =>
    worldJob(root, `round ${round}`, measured, tuning),
  )
  const results = await runWorlds(jobs, { worldMain })
  const last = results.at(-1)!
  const end = last.events.at(-1)
  if (end?.kind !== 'world.ended' || end.t !== VIRTUAL_S * 1_000_000) {
    throw new Error(`the measured world did not run its ${VIRTUAL_S} s: ${JSON.stringify(end)}`)
  }
  return {
    realMs: median(results.map((result) => result.realMs)),
    commands: last.events.filter((event) => event.kind === 'redis.command').length,
    events: last.events.length,
  }
}

async function rowsOf(places: BenchPlaces, measured: Measured): Promise<Row[]> {
  const { realMs, commands, events } = await worldFigures(places, measured)
  const ratio = (VIRTUAL_S * 1000) / realMs
  return [
    {
      what: measured.what,
      figure: `${Math.round(ratio)} × real time (${Math.round(realMs)} ms)`,
      aim: measured.aim,
      fails: ratio < measured.floor,
    },
    told(
      '  Redis commands a real second',
      `${perSecond((commands / realMs) * 1000)} (${commands} commands)`,
    ),
    told(
      '  density',
      `${(events / VIRTUAL_S).toFixed(0)} trace events a virtual second (${events})`,
    ),
  ]
}

/** Pairs of children, with and without counting, in turn. */
async function countingRow(places: BenchPlaces): Promise<Row> {
  const on: number[] = []
  const off: number[] = []
  for (let pair = 0; pair < 3; pair += 1) {
    const lab = { worker: LAB_WORKER, env: {} }
    on.push((await worldFigures(places, lab, true, PAIR_ROUNDS)).realMs)
    off.push((await worldFigures(places, lab, false, PAIR_ROUNDS)).realMs)
  }
  return {
    what: '  what counting the rounds of loops costs there',
    figure: percentMore(median(on), median(off)),
    aim: 'aim below 5 %',
    fails: false,
  }
}

export async function worldRows(places: BenchPlaces): Promise<Row[]> {
  const rows: Row[] = []
  for (const measured of MEASURED) rows.push(...(await rowsOf(places, measured)))
  rows.push(await countingRow(places))
  return rows
}
