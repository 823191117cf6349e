/**
 * What a process of a world costs: its realm, its packages, each event, each round of a loop.
 *
 * Worlds of nothing but starts, many in one child, so that code is compiled and V8 is warm; the first
 * world of a fresh child is a row of its own. Pairs (with and without) are children in turn.
 */

import { join } from 'node:path'
import type { Tuning, WorldJob, WorldResult } from '../arm/job.ts'
import { runWorlds } from '../arm/run-worlds.ts'
import type { BenchPlaces } from './bench.ts'
import { median, millis, percentMore, perSecond, type Row, told } from './bench-rows.ts'

const PLAIN: Tuning = { loadHints: true, countLoops: true }
/** Worlds in a child: the first ones compile and warm up. */
const WORLDS = 16
const WARM_UP = 6
const EVENTS = 200_000

function job(
  { root }: BenchPlaces,
  id: number,
  script: string,
  processes: number,
  env: Readonly<Record<string, string>>,
  tuning: Tuning,
): WorldJob {
  const program = join(root, 'scripts', script)
  const names = Array.from({ length: processes }, (_, k) => `p${k}`)
  return {
    id: String(id),
    seed: '1',
    preflight: null,
    files: null,
    tuning,
    scenario: {
      processes: Object.fromEntries(
        names.map((name) => [name, { program, env: { REDIS_URL: 'redis://redis:6379', ...env } }]),
      ),
      timeline: [],
      until: { allExited: true },
      limitMs: 3_600_000,
    },
  }
}

interface Asked {
  readonly script: string
  readonly processes?: number
  readonly env?: Readonly<Record<string, string>>
  readonly worlds?: number
  readonly tuning?: Tuning
}

/** Real milliseconds of each of some worlds, in one child. Throws when one does not end by itself. */
async function timesOf(places: BenchPlaces, asked: Asked): Promise<number[]> {
  const { script, processes = 1, env = {}, worlds = WORLDS, tuning = PLAIN } = asked
  const jobs = Array.from({ length: worlds }, (_, id) =>
    job(places, id, script, processes, env, tuning),
  )
  const results = await runWorlds(jobs, { worldMain: places.worldMain })
  for (const result of results) requireGoodEnd(script, result)
  return results.map(({ realMs }) => realMs)
}

function requireGoodEnd(script: string, { events }: WorldResult): void {
  const end = events.at(-1)
  const bad = events.find((event) => event.kind === 'process.exited' && event.code !== 0)
  if (end?.kind === 'world.ended' && end.why === 'until' && bad === undefined) return
  throw new Error(`the measured ${script} did not end well: ${JSON.stringify(bad ?? end)}`)
}

async function warmMs(places: BenchPlaces, asked: Asked): Promise<number> {
  return median((await timesOf(places, asked)).slice(WARM_UP))
}

/** Medians of children in turn, with the first tuning and with the second. */
async function inTurn(
  places: BenchPlaces,
  asked: Asked,
  tunings: readonly [Tuning, Tuning],
): Promise<readonly [number, number]> {
  const seen: readonly [number[], number[]] = [[], []]
  for (let pair = 0; pair < 3; pair += 1) {
    for (const which of [0, 1] as const) {
      const tuning = tunings[which]
      const times = await timesOf(places, { ...asked, tuning })
      seen[which].push(median(times.slice(times.length >> 1)))
    }
  }
  return [median(seen[0]), median(seen[1])]
}

async function startRows(places: BenchPlaces): Promise<Row[]> {
  // Many in one world, so that the world itself counts little.
  const MANY = 5
  const nothing = (await warmMs(places, { script: 'bench-nothing.ts', processes: MANY })) / MANY
  const client = (await warmMs(places, { script: 'bench-start.ts', processes: MANY })) / MANY
  const three = { script: 'bench-start.ts', processes: 3 }
  const first: number[] = []
  for (let k = 0; k < 3; k += 1) first.push(...(await timesOf(places, { ...three, worlds: 1 })))
  const [hinted, plain] = await inTurn(places, { script: 'bench-start.ts', worlds: 12 }, [
    PLAIN,
    { ...PLAIN, loadHints: false },
  ])
  return [
    told('start of a process that does nothing: its realm', millis(nothing)),
    told('start of a process with ioredis', millis(client)),
    told('a world of three processes with ioredis, warm', millis(await warmMs(places, three))),
    told('  the first of a fresh child', millis(median(first))),
    told(
      '  load hint for ioredis 5.11.1: a world of one',
      `${millis(hinted)}, without it ${millis(plain)}`,
    ),
  ]
}

/** `bareRate`: events a second of the bare kernel in the same run. */
async function realmRow(places: BenchPlaces, bareRate: number): Promise<Row> {
  const env = { EVENTS: String(EVENTS) }
  const times = await timesOf(places, { script: 'bench-timers.ts', env, worlds: 5 })
  const rate = (EVENTS / median(times)) * 1000
  return told(
    '  the same as timers of a process in its realm',
    `${perSecond(rate)} = 1/${(bareRate / rate).toFixed(1)} of the bare kernel`,
  )
}

async function loopRow(places: BenchPlaces): Promise<Row> {
  const asked = { script: 'bench-loops.ts', env: { TURNS: '60' }, worlds: 6 }
  const [on, off] = await inTurn(places, asked, [PLAIN, { ...PLAIN, countLoops: false }])
  return told(
    'counting the rounds of loops, in a program that does nothing else',
    `${percentMore(on, off)} (${millis(on)}, without ${millis(off)})`,
  )
}

export async function hostRows(
  places: BenchPlaces,
  bareRate: number,
): Promise<{ readonly starts: readonly Row[]; readonly realm: Row; readonly loops: Row }> {
  return {
    realm: await realmRow(places, bareRate),
    starts: await startRows(places),
    loops: await loopRow(places),
  }
}
