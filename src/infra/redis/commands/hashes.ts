/**
 * Hashes. Fields keep the order in which they were first written, as small hashes do in Redis; the
 * order of a large one, which is arbitrary there, is the same here too. Source: t_hash.c.
 */
import { error, OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, kept, keyOf } from '../command.ts'
import { NOT_AN_INTEGER, OVERFLOW, wrongArity } from '../errors.ts'
import { addInt64, parseInt64 } from '../integers.ts'
import type { Hash } from '../keyspace.ts'

const HASH_NOT_AN_INTEGER = error('ERR hash value is not an integer')

function setFields(call: Call, name: string): number {
  if (call.args.length % 2 !== 0) throw wrongArity(name)
  const key = keyOf(call)
  const fields = call.db.hashForWrite(key)
  const before = fields.size
  for (let i = 2; i < call.args.length; i += 2) {
    fields.set(keyOf(call, i), kept(call.args[i + 1] as Buffer))
  }
  call.db.wrote(key)
  return fields.size - before
}

function hmset(call: Call): Reply {
  setFields(call, 'hmset')
  return OK
}

function hsetnx(call: Call): Reply {
  const key = keyOf(call)
  if (call.db.hash(key)?.has(keyOf(call, 2))) return 0
  call.db.hashForWrite(key).set(keyOf(call, 2), kept(call.args[3] as Buffer))
  call.db.wrote(key)
  return 1
}

function hmget(call: Call): Reply {
  const fields = call.db.hash(keyOf(call))
  return call.args.slice(2).map((bytes) => fields?.get(bytes.toString('latin1')) ?? null)
}

function hdel(call: Call): Reply {
  const key = keyOf(call)
  const fields = call.db.hash(key)
  if (fields === undefined) return 0
  let removed = 0
  for (let i = 2; i < call.args.length; i++) if (fields.delete(keyOf(call, i))) removed++
  if (fields.size === 0) call.db.remove(key)
  else if (removed > 0) call.db.wrote(key)
  return removed
}

function hincrby(call: Call): Reply {
  const by = parseInt64(call.args[3] as Buffer)
  if (by === null) throw NOT_AN_INTEGER
  const key = keyOf(call)
  const field = keyOf(call, 2)
  const old = call.db.hash(key)?.get(field)
  const before = old === undefined ? 0 : parseInt64(old)
  if (before === null) throw HASH_NOT_AN_INTEGER
  const after = addInt64(before, by)
  if (after === null) throw OVERFLOW
  call.db.hashForWrite(key).set(field, Buffer.from(String(after), 'latin1'))
  call.db.wrote(key)
  return after
}

const name = (field: string): Buffer => Buffer.from(field, 'latin1')

/** A read of the whole hash; a missing one is empty. */
function reading(answer: (fields: Hash, call: Call) => Reply) {
  return (call: Call): Reply => answer(call.db.hash(keyOf(call)) ?? new Map(), call)
}

export const hashes = [
  command('hset', -4, ['write', 'fast'], FIRST_KEY, (call) => setFields(call, 'hset')),
  command('hmset', -4, ['write', 'fast'], FIRST_KEY, hmset),
  command('hsetnx', 4, ['write', 'fast'], FIRST_KEY, hsetnx),
  command(
    'hget',
    3,
    ['readonly', 'fast'],
    FIRST_KEY,
    reading((fields, call) => fields.get(keyOf(call, 2)) ?? null),
  ),
  command('hmget', -3, ['readonly', 'fast'], FIRST_KEY, hmget),
  command(
    'hgetall',
    2,
    ['readonly'],
    FIRST_KEY,
    reading((fields) => [...fields].flatMap(([field, value]) => [name(field), value])),
  ),
  command('hdel', -3, ['write', 'fast'], FIRST_KEY, hdel),
  command(
    'hexists',
    3,
    ['readonly', 'fast'],
    FIRST_KEY,
    reading((fields, call) => (fields.has(keyOf(call, 2)) ? 1 : 0)),
  ),
  command('hincrby', 4, ['write', 'fast'], FIRST_KEY, hincrby),
  command(
    'hkeys',
    2,
    ['readonly'],
    FIRST_KEY,
    reading((fields) => [...fields.keys()].map(name)),
  ),
  command(
    'hvals',
    2,
    ['readonly'],
    FIRST_KEY,
    reading((fields) => [...fields.values()]),
  ),
  command(
    'hlen',
    2,
    ['readonly', 'fast'],
    FIRST_KEY,
    reading((fields) => fields.size),
  ),
  command(
    'hstrlen',
    3,
    ['readonly', 'fast'],
    FIRST_KEY,
    reading((fields, call) => fields.get(keyOf(call, 2))?.length ?? 0),
  ),
]
