/** MULTI, EXEC, DISCARD, WATCH, UNWATCH. Source: multi.c. */
import { error, NULL_ARRAY, OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command } from '../command.ts'
import { EXEC_ABORT } from '../errors.ts'
import { discardTransaction, unwatchAll, watch, watchedKeyLapsed } from '../watch.ts'

function multi(call: Call): Reply {
  if (call.session.queue !== null) throw error('ERR MULTI calls can not be nested')
  call.session.queue = []
  call.session.queueFailed = false
  return OK
}

function exec(call: Call): Reply {
  const { session, engine } = call
  const { queue } = session
  if (queue === null) throw error('ERR EXEC without MULTI')
  const lapsed = watchedKeyLapsed(session, engine.databases)
  const changed = session.watchBroken || lapsed
  const failed = session.queueFailed
  discardTransaction(session)
  if (failed) throw EXEC_ABORT
  return changed ? NULL_ARRAY : engine.runQueue(session, queue)
}

function discard(call: Call): Reply {
  if (call.session.queue === null) throw error('ERR DISCARD without MULTI')
  discardTransaction(call.session)
  return OK
}

function watchKeys(call: Call): Reply {
  if (call.session.queue !== null) throw error('ERR WATCH inside MULTI is not allowed')
  if (call.session.watchBroken) return OK
  for (const key of call.args.slice(1)) watch(call.session, call.db, key.toString('latin1'))
  return OK
}

export const transactions = [
  command('multi', 1, ['noscript', 'unqueued', 'fast'], null, multi),
  command('exec', 1, ['noscript', 'unqueued'], null, exec),
  command('discard', 1, ['noscript', 'unqueued', 'fast'], null, discard),
  command('watch', -2, ['noscript', 'unqueued', 'fast'], [1, -1, 1], watchKeys),
  command('unwatch', 1, ['noscript', 'fast'], null, (call) => {
    unwatchAll(call.session)
    return OK
  }),
]
