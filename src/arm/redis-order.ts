/**
 * A command of a process on its way to the real Redis: what it is, and what must not get through.
 *
 * The proxy answers some itself: keys outside the run's space and what concerns others on the server
 * get an error that says so; logins and the choice of a database are answered as the simulated server
 * does, since the proxy has done both.
 */

import { error, OK, type Reply } from '../wire/resp.ts'
import type { CommandVerdict } from './director.ts'
import { isForAll, keysOf } from './redis-keys.ts'
import type { RedisRun } from './redis-run.ts'

/** A command on its way, with what the timeline says to it. */
export interface Order {
  readonly args: readonly Buffer[]
  /** `argv[0]` in capitals. */
  readonly argv: readonly string[]
  /** As the trace has it. */
  readonly shown: readonly string[]
  readonly verdict: CommandVerdict
  /** Resolves when what is held is let go. */
  readonly released: Promise<void>
  /** The proxy's own answer, where the server is not asked. */
  readonly own: Reply
  /** Its answer may take as long as it likes. */
  readonly blocks: boolean
}

const NO_PASSWORD =
  'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?'
const NO_PROTO = 'NOPROTO unsupported protocol version'

/** Passwords are not for the trace. */
export function masked(argv: string[]): readonly string[] {
  if (argv[0] === 'AUTH') return argv.map((arg, at) => (at === 0 ? arg : '***'))
  const auth = argv.findIndex((arg, at) => at > 1 && arg.toUpperCase() === 'AUTH')
  if (argv[0] === 'HELLO' && auth > 0 && argv[auth + 2] !== undefined) argv[auth + 2] = '***'
  return argv
}

/** An answer that the server is not asked for, or null. */
export async function ownAnswer(argv: readonly string[], run: RedisRun): Promise<Reply> {
  const { prefix, control } = run
  const [name = '', first = ''] = argv
  if (name === 'SELECT') return first === '0' ? OK : error('ERR DB index is out of range')
  if (name === 'AUTH') return error(NO_PASSWORD)
  if (name === 'HELLO' && argv.length > 1 && first !== '2') return error(NO_PROTO)
  if (isForAll(argv)) {
    return error(
      `ERR ${name}${argv.length > 1 ? ` ${first}` : ''} concerns others who use this server, and is not passed on in the real arm`,
    )
  }
  let keys = keysOf(argv)
  if (keys === null) {
    const told = await control.send('COMMAND', 'GETKEYS', ...argv)
    keys = Array.isArray(told) ? told.map((key) => (key as Buffer).toString('latin1')) : []
  }
  const stray = keys.find((key) => !key.startsWith(prefix))
  if (stray === undefined) return null
  return error(
    `ERR the key '${stray}' lies outside this run's key space: put KEY_PREFIX from the environment in front of every key (keys.ts does)`,
  )
}
