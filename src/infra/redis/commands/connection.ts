/** A connection's own commands: PING, ECHO, SELECT, AUTH, HELLO, RESET, QUIT, WAIT. */
import { error, OK, type Reply, status } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, keyOf, word } from '../command.ts'
import { NOT_AN_INTEGER, SYNTAX, wrongArity } from '../errors.ts'
import { parseInt64 } from '../integers.ts'
import { discardTransaction } from '../watch.ts'
import { setName } from './client.ts'

const NOT_AN_INT = error('ERR value is out of range, value must between -2147483648 and 2147483647')
const PONG = status('PONG')
const NO_PASSWORD = error(
  'ERR AUTH <password> called without any password configured for the default user. ' +
    'Are you sure your configuration is correct?',
)
const WRONG_PASSWORD = error('WRONGPASS invalid username-password pair or user is disabled.')
const NO_PROTO = error('NOPROTO unsupported protocol version')

function ping(call: Call): Reply {
  if (call.args.length > 2) throw wrongArity('ping')
  return call.args[1] ?? PONG
}

function select(call: Call): Reply {
  const index = parseInt64(call.args[1] as Buffer)
  if (index === null) throw NOT_AN_INTEGER
  if (index > 2147483647 || index < -2147483648) throw NOT_AN_INT
  if (index < 0 || index >= call.engine.databases.length)
    throw error('ERR DB index is out of range')
  call.session.db = Number(index)
  return OK
}

/** No password is set: the user `default` may come in with any, nobody else. */
function checkUser(user: string): void {
  if (user !== 'default') throw WRONG_PASSWORD
}

function auth(call: Call): Reply {
  if (call.args.length > 3) throw SYNTAX
  if (call.args.length === 2) throw NO_PASSWORD
  checkUser(keyOf(call, 1))
  return OK
}

/** Version 3 of the protocol is refused as a server would that does not know it. */
function hello(call: Call): Reply {
  const { args, session } = call
  let place = 1
  if (args.length > 1) {
    const version = parseInt64(args[1] as Buffer)
    if (version === null) throw error('ERR Protocol version is not an integer or out of range')
    if (version !== 2) throw NO_PROTO
    place = 2
  }
  let name: Buffer | null = null
  for (; place < args.length; place++) {
    const option = word(args[place])
    const more = args.length - 1 - place
    if (option === 'auth' && more >= 2) {
      checkUser(keyOf(call, place + 1))
      place += 2
    } else if (option === 'setname' && more > 0) name = args[++place] as Buffer
    else throw error(`ERR Syntax error in HELLO option '${cText(args[place] as Buffer)}'`)
  }
  if (name !== null) setName(session, name)
  const text = (latin1: string): Buffer => Buffer.from(latin1, 'latin1')
  return [
    ...[text('server'), text('redis'), text('version'), text('7.0.15'), text('proto'), 2],
    ...[text('id'), session.id, text('mode'), text('standalone')],
    ...[text('role'), text('master'), text('modules'), []],
  ]
}

function reset(call: Call): Reply {
  const { session } = call
  discardTransaction(session)
  session.db = 0
  session.name = ''
  session.noEvict = false
  return status('RESET')
}

function quit(call: Call): Reply {
  call.session.closing = true
  return OK
}

/** There are no replicas, so none can confirm. Redis would wait for the timeout first. */
function wait(call: Call): Reply {
  const [count, timeout] = [call.args[1], call.args[2]].map((arg) => parseInt64(arg as Buffer))
  if (count === null || count === undefined) throw NOT_AN_INTEGER
  if (timeout === null || timeout === undefined) {
    throw error('ERR timeout is not an integer or out of range')
  }
  if (timeout < 0) throw error('ERR timeout is negative')
  return 0
}

export const connection = [
  command('ping', -1, ['fast'], null, ping),
  command('echo', 2, ['fast'], null, (call) => call.args[1] as Buffer),
  command('select', 2, ['fast'], null, select),
  command('auth', -2, ['noscript', 'fast'], null, auth),
  command('hello', -1, ['noscript', 'fast'], null, hello),
  command('reset', 1, ['noscript', 'unqueued', 'fast'], null, reset),
  command('quit', -1, ['noscript', 'unqueued', 'fast'], null, quit),
  command('wait', 3, ['noscript'], null, wait),
]
