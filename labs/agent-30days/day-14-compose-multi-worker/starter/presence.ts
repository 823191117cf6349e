/**
 * Given: the workers' rows in Redis, one field a worker: `{ beatAt, inFlight, version }`.
 *
 * A hash with times rather than keys that vanish, so that somebody can see for how long a worker has
 * been silent. All times are milliseconds of the Redis server's clock: no two machines agree on theirs.
 */

import type { Redis } from 'ioredis'
import { workersKey } from './env.ts'

export interface PresenceRow {
  readonly workerId: string
  readonly beatAtMs: number
  readonly inFlight: number
  readonly version: string
}

/** Milliseconds of the server's clock, for the scripts below. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** KEYS[1] rows · ARGV[1] worker · ARGV[2] runs in hand · ARGV[3] version */
const BEAT = `${NOW}
local row = { beatAt = now, inFlight = tonumber(ARGV[2]), version = ARGV[3] }
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(row))
return 1`

/** KEYS[1] rows. Answers the server's time in ms, and field, row, field, row … */
const ROWS = `${NOW}
return { now, redis.call('HGETALL', KEYS[1]) }`

/** KEYS[1] rows · ARGV[1] silence in ms after which a row goes. Answers how many went. */
const SWEEP = `${NOW}
local rows, gone = redis.call('HGETALL', KEYS[1]), 0
for i = 1, #rows, 2 do
  if now - cjson.decode(rows[i + 1]).beatAt > tonumber(ARGV[1]) then
    gone = gone + redis.call('HDEL', KEYS[1], rows[i])
  end
end
return gone`

/** Writes the worker's row, stamped with the server's time. */
export async function beat(
  redis: Redis,
  workerId: string,
  row: { readonly inFlight: number; readonly version: string },
): Promise<void> {
  await redis.eval(BEAT, 1, workersKey(), workerId, row.inFlight, row.version)
}

/** Takes the worker's row away. A beat after this would bring it back. */
export async function forget(redis: Redis, workerId: string): Promise<void> {
  await redis.hdel(workersKey(), workerId)
}

/** All rows by worker, and the server's time at which they were read. */
export async function readRows(
  redis: Redis,
): Promise<{ readonly nowMs: number; readonly rows: readonly PresenceRow[] }> {
  const [nowMs, flat] = (await redis.eval(ROWS, 1, workersKey())) as [number, string[]]
  const rows: PresenceRow[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const { beatAt, inFlight, version } = JSON.parse(flat[i + 1]!)
    rows.push({ workerId: flat[i]!, beatAtMs: beatAt, inFlight, version })
  }
  rows.sort((a, b) => (a.workerId < b.workerId ? -1 : 1))
  return { nowMs, rows }
}

/** Removes the rows of workers that have been silent for longer than this. Answers how many. */
export async function sweepRows(redis: Redis, silentMs: number): Promise<number> {
  return (await redis.eval(SWEEP, 1, workersKey(), silentMs)) as number
}
