/**
 * The stream and its pending list: reading one entry, keeping it, leaving it, acknowledging it.
 *
 * An entry that was handed out and not acknowledged is *pending*, and ages. Whoever works on one keeps
 * it young; one that is older than a worker may be silent has been left, and anybody may take it.
 * Parsed at the edge: an entry that the gateway cannot have written is told as `malformed`.
 */

import type { Redis } from 'ioredis'
import { GROUP, runsStream } from '#exercises/env.ts'

export interface Entry {
  readonly id: string
  readonly runId: string
  readonly text: string
  /** Null where the run does not say how long it takes. */
  readonly workMs: number | null
}

export type Taken =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'malformed'; readonly id: string }
  | { readonly kind: 'nothing' }

type RawEntry = readonly [id: string, fields: readonly string[] | null]
type ReadReply = readonly (readonly [stream: string, entries: readonly RawEntry[]])[] | null
type AutoclaimReply = readonly [cursor: string, entries: readonly RawEntry[], ...unknown[]]

/**
 * Sets the age of a pending entry, if it is still this consumer's.
 * KEYS[1] stream · ARGV[1] group · ARGV[2] consumer · ARGV[3] entry id · ARGV[4] age in ms
 * Answers 1 done, 0 it is not ours: acknowledged, or taken by another.
 */
const SET_AGE = `
local found = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1)
if #found == 0 or found[1][2] ~= ARGV[2] then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'IDLE', ARGV[4], 'JUSTID')
return 1`

/** Makes the group, if there is none. */
export async function ensureGroup(redis: Redis): Promise<void> {
  try {
    await redis.xgroup('CREATE', runsStream(), GROUP, '0', 'MKSTREAM')
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error
  }
}

/** One new entry, or nothing when none came within `blockMs`. Needs a connection of its own. */
export async function readOne(reads: Redis, consumer: string, blockMs: number): Promise<Taken> {
  const stream = runsStream()
  const reply = (await reads.xreadgroup(
    'GROUP',
    GROUP,
    consumer,
    'COUNT',
    1,
    'BLOCK',
    blockMs,
    'STREAMS',
    stream,
    '>',
  )) as ReadReply
  return parse(reply?.[0]?.[1][0])
}

/** One entry that nobody has kept young for `leftMs`, now ours; or nothing. */
export async function takeOver(redis: Redis, consumer: string, leftMs: number): Promise<Taken> {
  const options = ['0-0', 'COUNT', 1] as const
  const [, entries] = (await redis.xautoclaim(
    runsStream(),
    GROUP,
    consumer,
    leftMs,
    ...options,
  )) as unknown as AutoclaimReply
  return parse(entries[0])
}

/** Keeps an entry young. False if it is not ours any more. */
export async function keep(redis: Redis, consumer: string, entryId: string): Promise<boolean> {
  return (await redis.eval(SET_AGE, 1, runsStream(), GROUP, consumer, entryId, 0)) === 1
}

/** Leaves an entry to whoever looks next, instead of letting it age. */
export async function leave(
  redis: Redis,
  consumer: string,
  entryId: string,
  leftMs: number,
): Promise<void> {
  await redis.eval(SET_AGE, 1, runsStream(), GROUP, consumer, entryId, leftMs)
}

export async function acknowledge(redis: Redis, entryId: string): Promise<void> {
  await redis.xack(runsStream(), GROUP, entryId)
}

function parse(raw: RawEntry | undefined): Taken {
  if (raw === undefined) return { kind: 'nothing' }
  const [id, fields] = raw
  const named = new Map<string, string>()
  for (let i = 0; fields && i + 1 < fields.length; i += 2) named.set(fields[i]!, fields[i + 1]!)
  const [runId, text, work] = ['runId', 'text', 'workMs'].map((name) => named.get(name))
  if (runId === undefined || text === undefined) return { kind: 'malformed', id }
  const workMs = work === undefined ? null : Number(work)
  if (workMs !== null && !Number.isSafeInteger(workMs)) return { kind: 'malformed', id }
  return { kind: 'entry', entry: { id, runId, text, workMs } }
}
