/**
 * XCLAIM and XAUTOCLAIM: pending entries change hands. Source: t_stream.c.
 *
 * Idle times are whole milliseconds of the server's clock; an entry idle for exactly the minimum is
 * taken. A pending entry that has been deleted from the stream is dropped from the pending lists.
 */
import { type ErrorReply, error, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { noGroup, SYNTAX } from '../errors.ts'
import { acknowledge, assign, type Consumer, consumerOf, type Group } from '../stream.ts'
import { type EntryId, idBytes, MIN_ID, parseId } from '../stream-id.ts'
import { integer, intervalStart, strictId, toCount } from './stream-args.ts'

const invalid = (what: string, name: string): ErrorReply =>
  error(`ERR Invalid ${what} argument for ${name}`)

interface ClaimOptions {
  deliveredAtMs: number | null
  deliveries: number | null
  force: boolean
  justId: boolean
  lastId: EntryId
}

function parseClaim(call: Call, from: number): ClaimOptions {
  const { args } = call
  const { nowMs } = call.clock
  const options: ClaimOptions = {
    deliveredAtMs: null,
    deliveries: null,
    force: false,
    justId: false,
    lastId: MIN_ID,
  }
  for (let i = from; i < args.length; i++) {
    const name = word(args[i])
    const more = i + 1 < args.length
    if (name === 'force') options.force = true
    else if (name === 'justid') options.justId = true
    else if (name === 'idle' && more) {
      options.deliveredAtMs = nowMs - toCount(integer(args[++i], invalid('IDLE option', 'XCLAIM')))
    } else if (name === 'time' && more) {
      options.deliveredAtMs = toCount(integer(args[++i], invalid('TIME option', 'XCLAIM')))
    } else if (name === 'retrycount' && more) {
      options.deliveries = toCount(integer(args[++i], invalid('RETRYCOUNT option', 'XCLAIM')))
    } else if (name === 'lastid' && more) options.lastId = strictId(args[++i] as Buffer)
    else throw error(`ERR Unrecognized XCLAIM option '${cText(args[i] as Buffer)}'`)
  }
  return options
}

function idleMinimum(call: Call, name: string): number {
  return Math.max(0, toCount(integer(call.args[4], invalid('min-idle-time', name))))
}

function groupOf(call: Call): Group {
  const [key, name] = [keyOf(call), keyOf(call, 2)]
  const group = call.db.stream(key)?.groups.get(name)
  if (group === undefined) throw noGroup(key, name)
  return group
}

function xclaim(call: Call): Reply {
  const key = keyOf(call)
  const group = groupOf(call)
  const stream = call.db.stream(key)
  const minIdleMs = idleMinimum(call, 'XCLAIM')
  const ids: EntryId[] = []
  while (5 + ids.length < call.args.length) {
    const parsed = parseId(call.args[5 + ids.length] as Buffer, 0n, { strict: true })
    if (parsed === null) break
    ids.push(parsed.id)
  }
  const options = parseClaim(call, 5 + ids.length)
  const { nowMs } = call.clock
  if (options.lastId > group.lastId) group.lastId = options.lastId
  const given = options.deliveredAtMs
  const deliveredAtMs = given === null || given < 0 || given > nowMs ? nowMs : given
  const replies: Reply[] = []
  for (const id of ids) {
    const fields = stream?.entries.get(id)
    if (fields === undefined) {
      acknowledge(group, id)
      continue
    }
    const old = group.pending.get(id)
    if (old === undefined && !options.force) continue
    if (old !== undefined && minIdleMs > 0 && nowMs - old.deliveredAtMs < minIdleMs) continue
    const entry = assign(group, id, consumerOf(group, keyOf(call, 3), nowMs))
    if (old === undefined) entry.deliveries = 1
    entry.deliveredAtMs = deliveredAtMs
    if (options.deliveries !== null && options.deliveries >= 0) {
      entry.deliveries = options.deliveries
    } else if (!options.justId) entry.deliveries++
    replies.push(options.justId ? idBytes(id) : [idBytes(id), fields])
  }
  call.db.wrote(key)
  return replies
}

/** Pending entries looked at for each one that may be claimed. */
const ATTEMPTS_PER_ENTRY = 10
const MAX_COUNT = 576460752303423487n
/** Redis sets 16 bytes aside for each of COUNT; no process has an address space for so many. */
const MOST_ALLOCATED = 2 ** 43
const NO_MEMORY = error(
  'ERR Insufficient memory, failed allocating transient memory, COUNT too high.',
)

function xautoclaim(call: Call): Reply {
  const minIdleMs = idleMinimum(call, 'XAUTOCLAIM')
  const start = intervalStart(call.args[5] as Buffer)
  let count = 100
  let justId = false
  for (let i = 6; i < call.args.length; i++) {
    const name = word(call.args[i])
    if (name === 'count' && i + 1 < call.args.length) {
      const wanted = integer(call.args[++i], error('ERR COUNT must be > 0'))
      if (wanted < 1 || wanted > MAX_COUNT) throw error('ERR COUNT must be > 0')
      count = toCount(wanted)
    } else if (name === 'justid') justId = true
    else throw SYNTAX
  }
  const group = groupOf(call)
  if (count >= MOST_ALLOCATED) throw NO_MEMORY
  const key = keyOf(call)
  const stream = call.db.stream(key)
  const { nowMs } = call.clock
  const claimed: Reply[] = []
  const deleted: Reply[] = []
  let consumer: Consumer | null = null
  let place = group.pending.place(start)
  let attempts = count * ATTEMPTS_PER_ENTRY
  while (attempts-- > 0 && claimed.length + deleted.length < count && place < group.pending.size) {
    const id = group.pending.idAt(place)
    const fields = stream?.entries.get(id)
    if (fields === undefined) {
      acknowledge(group, id)
      deleted.push(idBytes(id))
      continue
    }
    const entry = group.pending.valueAt(place++)
    if (minIdleMs > 0 && nowMs - entry.deliveredAtMs < minIdleMs) continue
    consumer ??= consumerOf(group, keyOf(call, 3), nowMs)
    assign(group, id, consumer)
    entry.deliveredAtMs = nowMs
    if (!justId) entry.deliveries++
    claimed.push(justId ? idBytes(id) : [idBytes(id), fields])
  }
  const next = place < group.pending.size ? group.pending.idAt(place) : MIN_ID
  if (claimed.length + deleted.length > 0) call.db.wrote(key)
  return [idBytes(next), claimed, deleted]
}

export const streamClaim = [
  command('xclaim', -6, ['write', 'fast'], FIRST_KEY, xclaim),
  command('xautoclaim', -6, ['write', 'fast'], FIRST_KEY, xautoclaim),
]
