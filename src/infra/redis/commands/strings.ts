/** Strings as they are: GET and its kin, APPEND, STRLEN, several at once. Source: t_string.c. */
import { error, OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, kept, keyOf } from '../command.ts'
import { wrongArity } from '../errors.ts'

const MAX_STRING_BYTES = 512 * 1024 * 1024
const TOO_LONG = error('ERR string exceeds maximum allowed size (proto-max-bulk-len)')

function get(call: Call): Reply {
  return call.db.string(keyOf(call)) ?? null
}

function getDel(call: Call): Reply {
  const key = keyOf(call)
  const bytes = call.db.string(key)
  if (bytes === undefined) return null
  call.db.remove(key)
  return bytes
}

function getSet(call: Call): Reply {
  const key = keyOf(call)
  const old = call.db.string(key) ?? null
  call.db.setString(key, kept(call.args[2] as Buffer), null)
  return old
}

function mget(call: Call): Reply {
  return call.args.slice(1).map((bytes) => {
    const value = call.db.find(bytes.toString('latin1'))?.value
    return value?.kind === 'string' ? value.bytes : null
  })
}

function checkPairs(call: Call, name: string): void {
  if (call.args.length % 2 === 0) throw wrongArity(name)
}

function setPairs(call: Call): void {
  for (let i = 1; i < call.args.length; i += 2) {
    call.db.setString(keyOf(call, i), kept(call.args[i + 1] as Buffer), null)
  }
}

function mset(call: Call): Reply {
  checkPairs(call, 'mset')
  setPairs(call)
  return OK
}

function msetnx(call: Call): Reply {
  checkPairs(call, 'msetnx')
  for (let i = 1; i < call.args.length; i += 2) {
    if (call.db.find(keyOf(call, i)) !== undefined) return 0
  }
  setPairs(call)
  return 1
}

function append(call: Call): Reply {
  const key = keyOf(call)
  const old = call.db.string(key)
  const more = call.args[2] as Buffer
  if ((old?.length ?? 0) + more.length > MAX_STRING_BYTES) throw TOO_LONG
  const bytes = old === undefined ? kept(more) : Buffer.concat([old, more])
  call.db.updateString(key, bytes)
  return bytes.length
}

function strlen(call: Call): Reply {
  return call.db.string(keyOf(call))?.length ?? 0
}

export const strings = [
  command('get', 2, ['readonly', 'fast'], FIRST_KEY, get),
  command('getdel', 2, ['write', 'fast'], FIRST_KEY, getDel),
  command('getset', 3, ['write', 'fast'], FIRST_KEY, getSet),
  command('mget', -2, ['readonly', 'fast'], [1, -1, 1], mget),
  command('mset', -3, ['write'], [1, -1, 2], mset),
  command('msetnx', -3, ['write'], [1, -1, 2], msetnx),
  command('append', 3, ['write', 'fast'], FIRST_KEY, append),
  command('strlen', 2, ['readonly', 'fast'], FIRST_KEY, strlen),
]
