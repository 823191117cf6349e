/** Keys as such: DEL, EXISTS, TYPE, KEYS, whole databases. Source: db.c. */
import { OK, type Reply, status } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { SYNTAX } from '../errors.ts'
import { globMatches } from '../glob.ts'

function del(call: Call): Reply {
  let removed = 0
  for (let i = 1; i < call.args.length; i++) if (call.db.remove(keyOf(call, i))) removed++
  return removed
}

function countExisting(call: Call): Reply {
  let found = 0
  for (let i = 1; i < call.args.length; i++) if (call.db.find(keyOf(call, i)) !== undefined) found++
  return found
}

function type(call: Call): Reply {
  return status(call.db.find(keyOf(call))?.value.kind ?? 'none')
}

function keysMatching(call: Call): Reply {
  const pattern = (call.args[1] as Buffer).toString('latin1')
  const found: Reply[] = []
  for (const key of [...call.db.names()]) {
    if (!globMatches(pattern, key) || call.db.find(key) === undefined) continue
    found.push(Buffer.from(key, 'latin1'))
  }
  return found
}

function checkFlushMode(call: Call): void {
  const mode = word(call.args[1])
  if (call.args.length > 2) throw SYNTAX
  if (call.args.length === 2 && mode !== 'sync' && mode !== 'async') throw SYNTAX
}

function flushDb(call: Call): Reply {
  checkFlushMode(call)
  call.db.clear()
  return OK
}

function flushAll(call: Call): Reply {
  checkFlushMode(call)
  for (const db of call.engine.databases) db.clear()
  return OK
}

export const keys = [
  command('del', -2, ['write'], [1, -1, 1], del),
  command('unlink', -2, ['write', 'fast'], [1, -1, 1], del),
  command('exists', -2, ['readonly', 'fast'], [1, -1, 1], countExisting),
  command('touch', -2, ['readonly', 'fast'], [1, -1, 1], countExisting),
  command('type', 2, ['readonly', 'fast'], FIRST_KEY, type),
  command('keys', 2, ['readonly'], null, keysMatching),
  command('dbsize', 1, ['readonly', 'fast'], null, (call) => call.db.size),
  command('flushdb', -1, ['write'], null, flushDb),
  command('flushall', -1, ['write'], null, flushAll),
]
