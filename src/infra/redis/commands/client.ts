/** CLIENT: a connection's name and number, and the list of them. Source: networking.c. */
import { error, OK, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, container, word } from '../command.ts'
import { SYNTAX } from '../errors.ts'
import { parseInt64 } from '../integers.ts'
import type { Session } from '../session.ts'

const BAD_NAME = error('ERR Client names cannot contain spaces, newlines or special characters.')

/** Printable ASCII without space. */
export function setName(session: Session, name: Buffer): void {
  if (name.some((byte) => byte < 33 || byte > 126)) throw BAD_NAME
  session.name = name.toString('latin1')
}

function describe(call: Call, session: Session): string {
  const seconds = (sinceUs: number): number =>
    Math.max(0, Math.floor((call.clock.nowUs - sinceUs) / 1_000_000))
  const flags = session.blocked !== null ? 'b' : session.queue !== null ? 'x' : 'N'
  return [
    `id=${session.id} addr=${session.addr} laddr=127.0.0.1:6379 fd=${session.id + 7}`,
    `name=${session.name} age=${seconds(session.openedAtUs)} idle=${seconds(session.lastCommandUs)}`,
    `flags=${flags} db=${session.db} sub=0 psub=0 ssub=0 multi=${session.queue?.length ?? -1}`,
    'qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem=2272',
    `events=r cmd=${session.lastCommand} user=default redir=-1 resp=2\n`,
  ].join(' ')
}

function list(call: Call): Reply {
  const { args, engine } = call
  let sessions = [...engine.sessions.values()]
  if (args.length === 4 && word(args[2]) === 'type') {
    const type = word(args[3])
    if (!['normal', 'master', 'replica', 'slave', 'pubsub'].includes(type)) {
      throw error(`ERR Unknown client type '${cText(args[3] as Buffer)}'`)
    }
    if (type !== 'normal') sessions = []
  } else if (args.length > 3 && word(args[2]) === 'id') {
    const ids = args.slice(3).map((bytes) => {
      const id = parseInt64(bytes)
      if (id === null) throw error('ERR Invalid client ID')
      return Number(id)
    })
    sessions = ids.flatMap((id) => engine.sessions.get(id) ?? [])
  } else if (args.length !== 2) throw SYNTAX
  return Buffer.from(sessions.map((session) => describe(call, session)).join(''), 'latin1')
}

function noEvict(call: Call): Reply {
  const mode = word(call.args[2])
  if (mode !== 'on' && mode !== 'off') throw SYNTAX
  call.session.noEvict = mode === 'on'
  return OK
}

export const client = [
  container('client', [
    command('id', 2, ['noscript', 'fast'], null, (call) => call.session.id),
    command('getname', 2, ['noscript'], null, (call) => {
      return call.session.name === '' ? null : Buffer.from(call.session.name, 'latin1')
    }),
    command('setname', 3, ['noscript'], null, (call) => {
      setName(call.session, call.args[2] as Buffer)
      return OK
    }),
    command('info', 2, ['noscript'], null, (call) => {
      return Buffer.from(describe(call, call.session), 'latin1')
    }),
    command('list', -2, ['noscript'], null, list),
    command('no-evict', 3, ['noscript'], null, noEvict),
  ]),
]
