/**
 * XINFO: a stream, its groups, a group's consumers. Source: t_stream.c.
 *
 * The two radix-tree figures tell of Redis' own storage; they are right for streams whose blocks are
 * full (100 entries) and estimates otherwise.
 */
import { error, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, container, type KeyPlaces, keyOf, word } from '../command.ts'
import { NO_SUCH_KEY, noSuchGroup } from '../errors.ts'
import { type Consumer, type Group, type Stream, sortedByName, UNKNOWN } from '../stream.ts'
import { idBytes, MAX_ID, MIN_ID } from '../stream-id.ts'
import { range } from '../stream-read.ts'
import { integer, toCount } from './stream-args.ts'

const KEY: KeyPlaces = [2, 2, 1]
const DEFAULT_FULL_COUNT = 10

const text = (latin1: string): Buffer => Buffer.from(latin1, 'latin1')

function needStream(call: Call): Stream {
  const stream = call.db.stream(keyOf(call, 2))
  if (stream === undefined) throw NO_SUCH_KEY
  return stream
}

/** A map in RESP2: name, value, name, value … */
function map(fields: Readonly<Record<string, Reply>>): Reply[] {
  return Object.entries(fields).flatMap(([name, value]) => [text(name), value])
}

function heading(stream: Stream): Record<string, Reply> {
  const blocks = stream.blocks.count
  return {
    length: stream.entries.size,
    'radix-tree-keys': blocks,
    'radix-tree-nodes': blocks + 1,
    'last-generated-id': idBytes(stream.lastId),
    'max-deleted-entry-id': idBytes(stream.maxDeletedId),
    'entries-added': stream.entriesAdded,
    'recorded-first-entry-id': idBytes(stream.firstId),
  }
}

function aboutStream(call: Call): Reply {
  const stream = needStream(call)
  if (call.args.length > 3) return fullStream(call, stream)
  const edge = (reverse: boolean): Reply => range(stream, MIN_ID, MAX_ID, 1, reverse)[0] ?? null
  return map({
    ...heading(stream),
    groups: stream.groups.size,
    'first-entry': edge(false),
    'last-entry': edge(true),
  })
}

function fullStream(call: Call, stream: Stream): Reply {
  const { args } = call
  if (word(args[3]) !== 'full' || (args.length !== 4 && args.length !== 6)) {
    throw wrongSubcommand(call)
  }
  let count = DEFAULT_FULL_COUNT
  if (args.length === 6) {
    if (word(args[4]) !== 'count') throw wrongSubcommand(call)
    const wanted = toCount(integer(args[5]))
    count = wanted < 0 ? DEFAULT_FULL_COUNT : wanted
  }
  return map({
    ...heading(stream),
    entries: range(stream, MIN_ID, MAX_ID, count, false),
    groups: sortedByName(stream.groups.values()).map((group) => fullGroup(stream, group, count)),
  })
}

function wrongSubcommand(call: Call) {
  const shown = cText(call.args[1] as Buffer).slice(0, 128)
  return error(
    `ERR unknown subcommand or wrong number of arguments for '${shown}'. Try XINFO HELP.`,
  )
}

function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const list = [...all]
  return count === 0 ? list : list.slice(0, count)
}

function fullGroup(stream: Stream, group: Group, count: number): Reply {
  const pending = firstOf(group.pending.entries(), count)
  return map({
    name: text(group.name),
    'last-delivered-id': idBytes(group.lastId),
    'entries-read': group.entriesRead === UNKNOWN ? null : group.entriesRead,
    lag: stream.lagOf(group),
    'pel-count': group.pending.size,
    pending: pending.map(([id, entry]) => [
      idBytes(id),
      text(entry.consumer.name),
      entry.deliveredAtMs,
      entry.deliveries,
    ]),
    consumers: sortedByName(group.consumers.values()).map((consumer) =>
      fullConsumer(consumer, count),
    ),
  })
}

function fullConsumer(consumer: Consumer, count: number): Reply {
  const pending = firstOf(consumer.pending.entries(), count)
  return map({
    name: text(consumer.name),
    'seen-time': consumer.seenAtMs,
    'pel-count': consumer.pending.size,
    pending: pending.map(([id, entry]) => [idBytes(id), entry.deliveredAtMs, entry.deliveries]),
  })
}

function groups(call: Call): Reply {
  const stream = needStream(call)
  return sortedByName(stream.groups.values()).map((group) =>
    map({
      name: text(group.name),
      consumers: group.consumers.size,
      pending: group.pending.size,
      'last-delivered-id': idBytes(group.lastId),
      'entries-read': group.entriesRead === UNKNOWN ? null : group.entriesRead,
      lag: stream.lagOf(group),
    }),
  )
}

function consumers(call: Call): Reply {
  const name = keyOf(call, 3)
  const group = needStream(call).groups.get(name)
  if (group === undefined) throw noSuchGroup(name, keyOf(call, 2))
  return sortedByName(group.consumers.values()).map((consumer) =>
    map({
      name: text(consumer.name),
      pending: consumer.pending.size,
      idle: Math.max(0, call.clock.nowMs - consumer.seenAtMs),
    }),
  )
}

export const streamInfo = [
  container('xinfo', [
    command('stream', -3, ['readonly'], KEY, aboutStream),
    command('groups', 3, ['readonly'], KEY, groups),
    command('consumers', 4, ['readonly'], KEY, consumers),
  ]),
]
