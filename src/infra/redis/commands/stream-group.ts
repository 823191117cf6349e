/** XGROUP: consumer groups and their consumers. Source: t_stream.c. */
import { type ErrorReply, error, OK, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, container, type KeyPlaces, keyOf, word } from '../command.ts'
import { noSuchGroup } from '../errors.ts'
import { acknowledge, consumerOf, type Group, type Stream, UNKNOWN } from '../stream.ts'
import { MIN_ID } from '../stream-id.ts'
import { integer, intervalId, strictId, toCount } from './stream-args.ts'

const KEY: KeyPlaces = [2, 2, 1]
const KEY_NEEDED = error(
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use ' +
    'the MKSTREAM option to create an empty stream automatically.',
)
const BUSY_GROUP = error('BUSYGROUP Consumer Group name already exists')
/** An option that is given twice is noticed only by the number of arguments. */
const MOST_FOR_CREATE = 8
const MOST_FOR_SETID = 7
const ENTRIES_READ = error('ERR value for ENTRIESREAD must be positive or -1')

function parseOptions(call: Call, mayCreate: boolean) {
  let makeStream = false
  let entriesRead = UNKNOWN
  for (let i = 5; i < call.args.length; i++) {
    const name = word(call.args[i])
    if (mayCreate && name === 'mkstream') makeStream = true
    else if (name === 'entriesread' && i + 1 < call.args.length) {
      entriesRead = toCount(integer(call.args[++i]))
      if (entriesRead < 0 && entriesRead !== UNKNOWN) throw ENTRIES_READ
    } else {
      throw malformed(call)
    }
  }
  return { makeStream, entriesRead }
}

function malformed(call: Call): ErrorReply {
  const shown = cText(call.args[1] as Buffer).slice(0, 128)
  return error(
    `ERR unknown subcommand or wrong number of arguments for '${shown}'. Try XGROUP HELP.`,
  )
}

function needStream(call: Call): Stream {
  const stream = call.db.stream(keyOf(call, 2))
  if (stream === undefined) throw KEY_NEEDED
  return stream
}

function needGroup(call: Call): { stream: Stream; group: Group } {
  const stream = needStream(call)
  const name = keyOf(call, 3)
  const group = stream.groups.get(name)
  if (group === undefined) {
    throw noSuchGroup(name, keyOf(call, 2))
  }
  return { stream, group }
}

const isLast = (bytes: Buffer): boolean => cText(bytes) === '$'

function create(call: Call): Reply {
  const { makeStream, entriesRead } = parseOptions(call, true)
  const key = keyOf(call, 2)
  const existing = makeStream ? call.db.stream(key) : needStream(call)
  if (call.args.length > MOST_FOR_CREATE) throw malformed(call)
  const start = call.args[4] as Buffer
  const id = isLast(start) ? (existing?.lastId ?? MIN_ID) : strictId(start)
  const stream = existing ?? call.db.createStream(key)
  if (stream.addGroup(keyOf(call, 3), id, entriesRead) === null) throw BUSY_GROUP
  call.db.wrote(key)
  return OK
}

function setId(call: Call): Reply {
  const { entriesRead } = parseOptions(call, false)
  const { stream, group } = needGroup(call)
  if (call.args.length > MOST_FOR_SETID) throw malformed(call)
  const start = call.args[4] as Buffer
  // Unlike CREATE, SETID takes `-` and `+`.
  group.lastId = isLast(start) ? stream.lastId : intervalId(start)
  group.entriesRead = entriesRead
  call.db.wrote(keyOf(call, 2))
  return OK
}

function destroy(call: Call): Reply {
  const key = keyOf(call, 2)
  if (!needStream(call).groups.delete(keyOf(call, 3))) return 0
  call.db.streamGrew(key)
  call.db.wrote(key)
  return 1
}

function createConsumer(call: Call): Reply {
  const { group } = needGroup(call)
  const name = keyOf(call, 4)
  if (group.consumers.has(name)) return 0
  consumerOf(group, name, call.clock.nowMs)
  call.db.wrote(keyOf(call, 2))
  return 1
}

/** The consumer goes with its pending entries; how many they were is the answer. */
function deleteConsumer(call: Call): Reply {
  const { group } = needGroup(call)
  const name = keyOf(call, 4)
  const consumer = group.consumers.get(name)
  if (consumer === undefined) return 0
  const ids = [...consumer.pending.entries()].map(([id]) => id)
  for (const id of ids) acknowledge(group, id)
  group.consumers.delete(name)
  call.db.wrote(keyOf(call, 2))
  return ids.length
}

export const streamGroup = [
  container('xgroup', [
    command('create', -5, ['write'], KEY, create),
    command('setid', -5, ['write'], KEY, setId),
    command('destroy', 4, ['write'], KEY, destroy),
    command('createconsumer', 5, ['write'], KEY, createConsumer),
    command('delconsumer', 5, ['write'], KEY, deleteConsumer),
  ]),
]
