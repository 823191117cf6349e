/** XPENDING: what is handed out and not confirmed, in sum or one by one. Source: t_stream.c. */
import { NULL_ARRAY, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { noGroup, SYNTAX } from '../errors.ts'
import type { OrderedById } from '../ordered.ts'
import { type Group, type Pending, sortedByName } from '../stream.ts'
import { type EntryId, idBytes } from '../stream-id.ts'
import { integer, intervalEnd, intervalStart, toCount } from './stream-args.ts'

interface Listing {
  readonly minIdleMs: number
  readonly from: EntryId
  readonly to: EntryId
  readonly count: number
  readonly consumer: string | null
}

function parseListing(call: Call): Listing | null {
  const { args } = call
  if (args.length === 3) return null
  if (args.length < 6 || args.length > 9) throw SYNTAX
  let place = 3
  let minIdleMs = 0
  if (word(args[3]) === 'idle') {
    minIdleMs = toCount(integer(args[4]))
    if (args.length < 8) throw SYNTAX
    place = 5
  }
  const count = Math.max(0, toCount(integer(args[place + 2])))
  const from = intervalStart(args[place] as Buffer)
  const to = intervalEnd(args[place + 1] as Buffer)
  const consumer = place + 3 < args.length ? keyOf(call, place + 3) : null
  return { minIdleMs, from, to, count, consumer }
}

function summary(group: Group): Reply {
  const { pending } = group
  if (pending.size === 0) return [0, null, null, NULL_ARRAY]
  const busy = sortedByName(group.consumers.values()).filter((c) => c.pending.size > 0)
  return [
    pending.size,
    idBytes(pending.idAt(0)),
    idBytes(pending.idAt(pending.size - 1)),
    busy.map((c) => [Buffer.from(c.name, 'latin1'), Buffer.from(String(c.pending.size))]),
  ]
}

function list(pending: OrderedById<Pending>, wanted: Listing, nowMs: number): Reply {
  const found: Reply[] = []
  for (let at = pending.place(wanted.from); at < pending.size; at++) {
    const id = pending.idAt(at)
    if (id > wanted.to || found.length >= wanted.count) break
    const entry = pending.valueAt(at)
    const idleMs = nowMs - entry.deliveredAtMs
    if (wanted.minIdleMs !== 0 && idleMs < wanted.minIdleMs) continue
    const owner = Buffer.from(entry.consumer.name, 'latin1')
    found.push([idBytes(id), owner, Math.max(0, idleMs), entry.deliveries])
  }
  return found
}

function xpending(call: Call): Reply {
  const wanted = parseListing(call)
  const [key, name] = [keyOf(call), keyOf(call, 2)]
  const group = call.db.stream(key)?.groups.get(name)
  if (group === undefined) throw noGroup(key, name)
  if (wanted === null) return summary(group)
  if (wanted.consumer === null) return list(group.pending, wanted, call.clock.nowMs)
  const consumer = group.consumers.get(wanted.consumer)
  return consumer === undefined ? [] : list(consumer.pending, wanted, call.clock.nowMs)
}

export const streamPending = [command('xpending', -3, ['readonly'], FIRST_KEY, xpending)]
