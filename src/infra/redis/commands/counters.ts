/** INCR, DECR, INCRBY, DECRBY: a string that holds a whole number of 64 bits. Source: t_string.c. */
import { error, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, keyOf } from '../command.ts'
import { NOT_AN_INTEGER, OVERFLOW } from '../errors.ts'
import { addInt64, INT64_MIN, type Int, parseInt64, toInt } from '../integers.ts'

function addTo(call: Call, by: Int): Reply {
  const key = keyOf(call)
  const old = call.db.string(key)
  const before = old === undefined ? 0 : parseInt64(old)
  if (before === null) throw NOT_AN_INTEGER
  const after = addInt64(before, by)
  if (after === null) throw OVERFLOW
  call.db.updateString(key, Buffer.from(String(after), 'latin1'))
  return after
}

function amount(call: Call): Int {
  const by = parseInt64(call.args[2] as Buffer)
  if (by === null) throw NOT_AN_INTEGER
  return by
}

function decrBy(call: Call): Reply {
  const by = amount(call)
  if (by === INT64_MIN) throw error('ERR decrement would overflow')
  return addTo(call, toInt(-BigInt(by)))
}

export const counters = [
  command('incr', 2, ['write', 'fast'], FIRST_KEY, (call) => addTo(call, 1)),
  command('decr', 2, ['write', 'fast'], FIRST_KEY, (call) => addTo(call, -1)),
  command('incrby', 3, ['write', 'fast'], FIRST_KEY, (call) => addTo(call, amount(call))),
  command('decrby', 3, ['write', 'fast'], FIRST_KEY, decrBy),
]
