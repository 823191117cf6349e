/** XADD, XTRIM, XDEL, XLEN, XSETID: what a stream holds. Source: t_stream.c. */
import { error, OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, kept, keyOf, word } from '../command.ts'
import { NO_SUCH_KEY, SYNTAX, wrongArity } from '../errors.ts'
import type { Stream } from '../stream.ts'
import { type EntryId, idBytes, MAX_ID, MIN_ID, makeId, msOf } from '../stream-id.ts'
import { type AddOrTrimArgs, addOrTrimArgs, integer, strictId, toCount } from './stream-args.ts'

const ZERO_ID = error('ERR The ID specified in XADD must be greater than 0-0')
const TOO_SMALL = error(
  'ERR The ID specified in XADD is equal or smaller than the target stream top item',
)
/** The sequence numbers of a millisecond are used up: Redis' words for it. */
const NO_SEQUENCE_LEFT = error('ERR Elements are too large to be stored')
const EXHAUSTED = error(
  'ERR The stream has exhausted the last possible ID, unable to add more items',
)

function nextId(stream: Stream, given: AddOrTrimArgs['id'], nowMs: number): EntryId {
  if (given === '*') {
    const now = makeId(BigInt(nowMs), 0n)
    return now > stream.lastId ? now : stream.lastId + 1n
  }
  let { id } = given
  if (given.autoSeq && msOf(stream.lastId) === msOf(id)) {
    id = stream.lastId + 1n
    if (msOf(id) !== msOf(stream.lastId)) throw NO_SEQUENCE_LEFT
  }
  if (id <= stream.lastId) throw TOO_SMALL
  return id
}

function xadd(call: Call): Reply {
  const options = addOrTrimArgs(call, true)
  const fieldPlace = options.idPlace + 1
  const fieldArgs = call.args.length - fieldPlace
  if (fieldArgs < 2 || fieldArgs % 2 === 1) throw wrongArity('xadd')
  if (options.id !== '*' && !options.id.autoSeq && options.id.id === MIN_ID) throw ZERO_ID
  const key = keyOf(call)
  const existing = call.db.stream(key)
  if (existing === undefined && !options.createStream) return null
  const stream = existing ?? call.db.createStream(key)
  if (stream.lastId === MAX_ID) throw EXHAUSTED
  const id = nextId(stream, options.id, call.clock.nowMs)
  stream.append(id, call.args.slice(fieldPlace).map(kept))
  if (options.trim !== null) stream.trim(options.trim)
  call.db.streamGrew(key)
  call.db.wrote(key)
  return idBytes(id)
}

function xtrim(call: Call): Reply {
  const { trim } = addOrTrimArgs(call, false)
  const key = keyOf(call)
  const stream = call.db.stream(key)
  if (stream === undefined || trim === null) return 0
  const removed = stream.trim(trim)
  if (removed > 0) call.db.wrote(key)
  return removed
}

function xdel(call: Call): Reply {
  const key = keyOf(call)
  const stream = call.db.stream(key)
  if (stream === undefined) return 0
  let removed = 0
  for (const id of call.args.slice(2).map(strictId)) if (stream.remove(id)) removed++
  if (removed > 0) call.db.wrote(key)
  return removed
}

function xsetid(call: Call): Reply {
  const id = strictId(call.args[2] as Buffer)
  let entriesAdded: number | null = null
  let maxDeletedId: EntryId = MIN_ID
  for (let i = 3; i < call.args.length; i += 2) {
    const name = word(call.args[i])
    const bytes = call.args[i + 1]
    if (bytes === undefined) throw SYNTAX
    if (name === 'entriesadded') {
      entriesAdded = toCount(integer(bytes))
      if (entriesAdded < 0) throw error('ERR entries_added must be positive')
    } else if (name === 'maxdeletedid') {
      maxDeletedId = strictId(bytes)
      if (id < maxDeletedId) {
        throw error(
          'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
        )
      }
    } else throw SYNTAX
  }
  const key = keyOf(call)
  const stream = call.db.stream(key)
  if (stream === undefined) throw NO_SUCH_KEY
  const { size } = stream.entries
  if (size > 0) {
    if (id < stream.entries.idAt(size - 1)) {
      throw error('ERR The ID specified in XSETID is smaller than the target stream top item')
    }
    if (entriesAdded !== null && size > entriesAdded) {
      throw error(
        'ERR The entries_added specified in XSETID is smaller than the target stream length',
      )
    }
  }
  stream.lastId = id
  if (entriesAdded !== null) stream.entriesAdded = entriesAdded
  if (maxDeletedId !== MIN_ID) stream.maxDeletedId = maxDeletedId
  call.db.wrote(key)
  return OK
}

export const streamAdd = [
  command('xadd', -5, ['write', 'fast'], FIRST_KEY, xadd),
  command('xtrim', -4, ['write'], FIRST_KEY, xtrim),
  command('xdel', -3, ['write', 'fast'], FIRST_KEY, xdel),
  command('xlen', 2, ['readonly', 'fast'], FIRST_KEY, (call) => {
    return call.db.stream(keyOf(call))?.entries.size ?? 0
  }),
  command('xsetid', -3, ['write', 'fast'], FIRST_KEY, xsetid),
]
