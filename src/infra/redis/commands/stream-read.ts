/**
 * XREAD and XREADGROUP, at once or blocking, and XACK. Source: t_stream.c.
 *
 * `$` and `>` are resolved when the command runs. A read for a group with an id other than `>` gives
 * the consumer's own pending entries and never blocks.
 */
import { type ErrorReply, error, NULL_ARRAY, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { Block, type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { noGroup, SYNTAX } from '../errors.ts'
import { acknowledge, consumerOf, type Group, type Stream } from '../stream.ts'
import { type EntryId, MAX_ID, MIN_ID } from '../stream-id.ts'
import { readAfter, readHistory, readNew } from '../stream-read.ts'
import { integer, strictId, toCount } from './stream-args.ts'

const TIMEOUT_NOT_INTEGER = error('ERR timeout is not an integer or out of range')
const TIMEOUT_NEGATIVE = error('ERR timeout is negative')
const DOLLAR_IN_GROUP = error(
  'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this ' +
    'consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just ' +
    'return an empty result set.',
)
const NEW_WITHOUT_GROUP = error(
  'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> ' +
    'option.',
)

const UNBALANCED = error(
  "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
)

interface ReadOptions {
  count: number
  /** Null when the read must not wait; 0 for without end. */
  blockMs: number | null
  group: { readonly name: string; readonly consumer: string } | null
  noAck: boolean
  keys: string[]
  ids: Buffer[]
}

function onlyInGroup(option: string): ErrorReply {
  return error(
    `ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`,
  )
}

function parseOptions(call: Call, forGroup: boolean): ReadOptions {
  const { args } = call
  const options: ReadOptions = {
    count: 0,
    blockMs: null,
    group: null,
    noAck: false,
    keys: [],
    ids: [],
  }
  for (let i = 1; i < args.length; i++) {
    const name = word(args[i])
    const more = args.length - i - 1
    if (name === 'block' && more > 0) {
      if (call.fromScript) throw noBlockInScripts(forGroup)
      options.blockMs = timeout(args[++i] as Buffer)
    } else if (name === 'count' && more > 0)
      options.count = Math.max(0, toCount(integer(args[++i])))
    else if (name === 'streams' && more > 0) {
      if (more % 2 !== 0) throw UNBALANCED
      const middle = i + 1 + more / 2
      options.keys = args.slice(i + 1, middle).map((key) => key.toString('latin1'))
      options.ids = args.slice(middle)
      break
    } else if (name === 'group' && more >= 2) {
      if (!forGroup) throw onlyInGroup('GROUP')
      options.group = { name: keyOf(call, i + 1), consumer: keyOf(call, i + 2) }
      i += 2
    } else if (name === 'noack') {
      if (!forGroup) throw onlyInGroup('NOACK')
      options.noAck = true
    } else throw SYNTAX
  }
  if (options.keys.length === 0) throw SYNTAX
  if (forGroup && options.group === null) throw error('ERR Missing GROUP option for XREADGROUP')
  return options
}

function noBlockInScripts(forGroup: boolean): ErrorReply {
  const name = forGroup ? 'xreadgroup' : 'xread'
  return error(`ERR ${name} command is not allowed with BLOCK option from scripts`)
}

function timeout(bytes: Buffer): number {
  const ms = integer(bytes, TIMEOUT_NOT_INTEGER)
  if (ms < 0) throw TIMEOUT_NEGATIVE
  return toCount(ms)
}

interface Wanted {
  readonly key: string
  readonly stream: Stream | undefined
  readonly group: Group | undefined
  /** Read what lies after it; `'new'` is `>`. */
  readonly after: EntryId | 'new'
}

function wantedStreams(call: Call, options: ReadOptions): Wanted[] {
  return options.keys.map((key, at) => {
    const bytes = options.ids[at] as Buffer
    const stream = call.db.stream(key)
    let group: Group | undefined
    if (options.group !== null) {
      group = stream?.groups.get(options.group.name)
      if (group === undefined) {
        throw error(`${noGroup(key, options.group.name).text} in XREADGROUP with GROUP option`)
      }
    }
    const text = cText(bytes)
    if (text === '$') {
      if (options.group !== null) throw DOLLAR_IN_GROUP
      return { key, stream, group, after: stream?.lastId ?? MIN_ID }
    }
    if (text === '>') {
      if (options.group === null) throw NEW_WITHOUT_GROUP
      return { key, stream, group, after: 'new' }
    }
    const id = strictId(bytes)
    return { key, stream, group, after: group !== undefined && id === MAX_ID ? 'new' : id }
  })
}

/** The entries that `wanted` can be given now, or null when it has to wait. */
function readNow(call: Call, wanted: Wanted, options: ReadOptions): Reply | null {
  const { stream, group, after } = wanted
  if (stream === undefined) return null
  const { size } = stream.entries
  const lastId = size === 0 ? null : stream.entries.idAt(size - 1)
  if (group === undefined || options.group === null) {
    if (after === 'new' || lastId === null || lastId <= after) return null
    return readAfter(stream, after, options.count)
  }
  const { nowMs } = call.clock
  if (after === 'new' && (lastId === null || lastId <= group.lastId)) return null
  const consumer = consumerOf(group, options.group.consumer, nowMs)
  const entries =
    after === 'new'
      ? readNew(stream, group, consumer, options.count, options.noAck, nowMs)
      : readHistory(stream, consumer, after, options.count, nowMs)
  call.db.wrote(wanted.key)
  return entries
}

function read(forGroup: boolean) {
  return (call: Call): Reply | Block => {
    const options = parseOptions(call, forGroup)
    const wanted = wantedStreams(call, options)
    const found: Reply[] = []
    for (const one of wanted) {
      const entries = readNow(call, one, options)
      if (entries !== null) found.push([Buffer.from(one.key, 'latin1'), entries])
    }
    if (found.length > 0) return found
    if (options.blockMs === null || call.mayNotBlock) return NULL_ARRAY
    return new Block({
      db: call.db.index,
      deadlineUs: options.blockMs === 0 ? null : call.clock.nowUs + options.blockMs * 1000,
      after: new Map(wanted.map(({ key, after }) => [key, after === 'new' ? MIN_ID : after])),
      count: options.count,
      group: options.group === null ? null : { ...options.group, noAck: options.noAck },
    })
  }
}

function xack(call: Call): Reply {
  const key = keyOf(call)
  const group = call.db.stream(key)?.groups.get(keyOf(call, 2))
  if (group === undefined) return 0
  let confirmed = 0
  for (const id of call.args.slice(3).map(strictId)) if (acknowledge(group, id)) confirmed++
  if (confirmed > 0) call.db.wrote(key)
  return confirmed
}

export const streamRead = [
  command('xread', -4, ['readonly', 'blocking'], 'streams', read(false)),
  command('xreadgroup', -7, ['write', 'blocking'], 'streams', read(true)),
  command('xack', -4, ['write', 'fast'], FIRST_KEY, xack),
]
