/**
 * COMMAND: what this server can do. COUNT is the number of its own commands; DOCS is empty, which
 * clients take as "nothing is known".
 */
import type { Reply } from '../../../wire/resp.ts'
import { error, status } from '../../../wire/resp.ts'
import { type Call, type Command, command, container } from '../command.ts'
import { COMMANDS } from './registry.ts'

const INVALID = error('ERR Invalid command specified')

/** Name, arity, flags, first key, last key, step: the part that clients read. */
function describe(found: Command): Reply {
  const places = Array.isArray(found.keys) ? found.keys : [0, 0, 0]
  return [
    Buffer.from(found.name, 'latin1'),
    found.arity,
    found.flags.filter((flag) => flag !== 'unqueued').map(status),
    ...places,
  ]
}

function info(call: Call): Reply {
  const names = call.args.slice(2).map((bytes) => bytes.toString('latin1').toLowerCase())
  const asked = names.length === 0 ? [...COMMANDS.keys()] : names
  return asked.map((name) => {
    const found = COMMANDS.get(name)
    return found === undefined ? null : describe(found)
  })
}

function keysOf(call: Call): Reply {
  const found = COMMANDS.get((call.args[2] as Buffer).toString('latin1').toLowerCase())
  if (found === undefined) throw INVALID
  const places = found.keys
  if (places === null || typeof places === 'string') {
    throw error('ERR The command has no key arguments')
  }
  const args = call.args.slice(2)
  const last = places[1] < 0 ? args.length + places[1] : places[1]
  const keys: Reply[] = []
  for (let i = places[0]; i <= last; i += places[2]) keys.push(args[i] as Buffer)
  return keys
}

export const introspection = [
  {
    ...container('command', [
      command('count', 2, [], null, () => COMMANDS.size),
      command('docs', -2, [], null, () => []),
      command('info', -2, [], null, info),
      command('getkeys', -4, [], null, keysOf),
    ]),
    arity: -1,
    run: info,
  },
]
