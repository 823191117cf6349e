/**
 * COMMAND: what this server can do. COUNT is the number of its own commands; DOCS is empty, which
 * clients take as "nothing is known".
 */
import type { Reply } from '../../../wire/resp.ts'
import { error, status } from '../../../wire/resp.ts'
import { type Call, type Command, command, container, word } from '../command.ts'
import { parseInt64 } from '../integers.ts'
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

const NO_KEYS = error('ERR The command has no key arguments')
const WRONG_COUNT = error('ERR Invalid number of arguments specified for command')
const WRONG_ARGUMENTS = error('ERR Invalid arguments specified for command')

function keysOf(call: Call): Reply {
  const args = call.args.slice(2)
  const [name, second] = args.map((bytes) => bytes.toString('latin1').toLowerCase())
  const container = COMMANDS.get(name as string)
  const subcommands = container?.subcommands
  const found = subcommands === undefined ? container : subcommands.get(second ?? '')
  if (found === undefined) throw INVALID
  const { keys: places, arity } = found
  if (places === null) throw NO_KEYS
  if (arity > 0 ? args.length !== arity : args.length < -arity) throw WRONG_COUNT
  if (places === 'numkeys') return countedKeys(args)
  if (places === 'streams') return streamKeys(args)
  const last = places[1] < 0 ? args.length + places[1] : places[1]
  const keys: Reply[] = []
  for (let i = places[0]; i <= last; i += places[2]) keys.push(args[i] as Buffer)
  return keys
}

/** Of a script: their number is the third argument; a wrong one is no key at all. */
function countedKeys(args: readonly Buffer[]): Reply[] {
  const count = Number(parseInt64(args[2] as Buffer) ?? 0)
  return count < 1 || count > args.length - 3 ? [] : args.slice(3, 3 + count)
}

/** Behind the word STREAMS, the first half. A group and its consumer may have that name, too. */
function streamKeys(args: readonly Buffer[]): Reply[] {
  const from = word(args[0]) === 'xreadgroup' ? 4 : 1
  const first = args.findIndex((bytes, at) => at >= from && word(bytes) === 'streams') + 1
  const keys = first === 0 ? [] : args.slice(first, first + Math.floor((args.length - first) / 2))
  if (keys.length === 0) throw WRONG_ARGUMENTS
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
