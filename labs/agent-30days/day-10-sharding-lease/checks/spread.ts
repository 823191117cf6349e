/** Check 1: does `shardOf` spread users over the shards, and as agreed? */

import { createHash } from 'node:crypto'
import {
  type Check,
  ended,
  endedByItself,
  type Finding,
  grouped,
  type History,
  held,
  inconclusive,
  seen,
  violated,
} from '../../../../src/judge/index.ts'
import { SHARD_COUNT, type Times } from './setting.ts'

const PROBE = 'probe'
const FILE = 'shard.ts'
const FIRST_USER = 1000
const USERS = 2000
/** Single ids that the probe tells, fixed ones and drawn ones. */
const SINGLES = 26

export function spreadCheck(times: Times): Check {
  return {
    id: 1,
    exercise: 1,
    title: 'users spread over the shards',
    scenario: {
      processes: { [PROBE]: { program: 'app/probe-shards.ts' } },
      timeline: [],
      until: { on: ended(PROBE) },
      limitMs: times.limitMs,
    },
    judge: judgeSpread,
  }
}

/** Occupancy of 2,000 users, and every single one against the agreed formula. */
export function judgeSpread(history: History): Finding {
  const { places, twice } = placesOf(history)
  const buckets = new Map<number, number>()
  for (let n = FIRST_USER; n < FIRST_USER + USERS; n += 1) {
    const shard = places.get(`u-${n}`)
    if (shard !== undefined) buckets.set(shard, (buckets.get(shard) ?? 0) + 1)
  }
  const counted = [...buckets.values()].reduce((sum, size) => sum + size, 0)
  const expected = figures(referenceBuckets())
  const singles = new Set(history.output.said(PROBE, 'shard').map(({ fields }) => fields.userId))
  if (counted < USERS || singles.size < SINGLES) {
    const early = endedByItself(history, [PROBE], expected, FILE)
    if (early) return early
    return inconclusive({ expected, got: `the probe told the shards of ${counted} users only` })
  }

  const got = figures(buckets)
  const last = history.output.said(PROBE).at(-1)!
  const evidence = [seen(last, PROBE, `${grouped(USERS)} users: ${got}`)]
  if (twice !== null) {
    return violated({
      expected,
      got: `two answers for ${twice}`,
      evidence,
      file: FILE,
      hint: 'shardOf answers the same for the same id, whenever it is asked, and leaves the printing to the probe.',
    })
  }
  const counts = history.output.said(PROBE, 'shard.count').map(({ fields }) => fields.count)
  const odd = counts.find((count) => count !== SHARD_COUNT)
  if (odd !== undefined || counts.length === 0) {
    return violated({
      expected,
      got: `SHARD_COUNT is ${String(odd)}`,
      evidence,
      file: FILE,
      hint: `SHARD_COUNT is fixed at ${SHARD_COUNT} for the life of the data; set it back.`,
    })
  }
  const wrong = [...places].filter(([userId, shard]) => shard !== reference(userId))
  if (wrong.length === 0) return held({ expected, got, evidence })

  const [userId, shard] = wrong[0]!
  for (const [user, place] of wrong.slice(0, 3)) {
    evidence.push(seen(last, PROBE, `${user} → ${place}, agreed is ${reference(user)}`))
  }
  return violated({
    expected,
    got: buckets.size === SHARD_COUNT ? `${got}, but ${userId} → ${shard}` : got,
    evidence,
    file: FILE,
    hint:
      buckets.size < SHARD_COUNT / 2
        ? 'Users pile up on few shards: what you compute differs too little from user to user. Take a digest of the whole id (node:crypto has SHA-1) and make a number of its first bytes.'
        : `The spread is fine, yet other programs look for ${userId} on shard ${reference(userId)}. Go through it step by step: UTF-8 bytes, SHA-1, the first four bytes as a big-endian unsigned number, modulo SHARD_COUNT.`,
  })
}

/** Where the probe put each user, and the first user that it put in two places. */
function placesOf(history: History) {
  const places = new Map<string, number>()
  let twice: string | null = null
  const put = (userId: string, shard: number): void => {
    if ((places.get(userId) ?? shard) !== shard) twice ??= userId
    places.set(userId, shard)
  }
  for (const { event, fields } of history.output.said(PROBE)) {
    if (event === 'shard' && typeof fields.shard === 'number') {
      put(String(fields.userId), fields.shard)
    } else if (event === 'shards' && Array.isArray(fields.shards)) {
      for (const [offset, shard] of fields.shards.entries()) {
        if (typeof shard === 'number') put(`u-${Number(fields.first) + offset}`, shard)
      }
    }
  }
  return { places, twice } as { readonly places: typeof places; readonly twice: string | null }
}

function figures(buckets: ReadonlyMap<number, number>): string {
  const largest = Math.max(0, ...buckets.values())
  return `${buckets.size}/${SHARD_COUNT} shards occupied, largest bucket ${grouped(largest)}`
}

function referenceBuckets(): ReadonlyMap<number, number> {
  const buckets = new Map<number, number>()
  for (let n = FIRST_USER; n < FIRST_USER + USERS; n += 1) {
    const shard = reference(`u-${n}`)
    buckets.set(shard, (buckets.get(shard) ?? 0) + 1)
  }
  return buckets
}

function reference(userId: string): number {
  return createHash('sha1').update(userId, 'utf8').digest().readUInt32BE(0) % SHARD_COUNT
}
