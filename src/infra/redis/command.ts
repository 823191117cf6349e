/**
 * What a command is: a row of the registry and a function from a call to a reply.
 *
 * A command returns its reply or asks to be blocked; it refuses by throwing an error reply. It never
 * writes to a connection and knows neither sockets nor the real clock.
 */
import type { Reply } from '../../wire/resp.ts'
import { cText } from './c-text.ts'
import type { RedisEngine } from './engine.ts'
import { WRONG_TYPE } from './errors.ts'
import type { Clock, Keyspace } from './keyspace.ts'
import type { BlockedRead, Session } from './session.ts'

export interface Call {
  readonly engine: RedisEngine
  readonly session: Session
  readonly db: Keyspace
  readonly clock: Clock
  /** As sent, with the command's name (and subcommand) in front. */
  readonly args: readonly Buffer[]
  /** In a transaction or a script: a blocking command must answer at once. */
  readonly mayNotBlock: boolean
  readonly fromScript: boolean
}

/** "Answer me later": the engine keeps the session and answers when data or the deadline comes. */
export class Block {
  readonly read: BlockedRead

  constructor(read: BlockedRead) {
    this.read = read
  }
}

export type Flag =
  /** Changes keys; refused in read-only scripts. */
  | 'write'
  | 'readonly'
  /** Refused in scripts. */
  | 'noscript'
  /** Run at once inside MULTI instead of being queued. */
  | 'unqueued'
  | 'blocking'
  | 'fast'
  | 'admin'

/** Places of the keys among the arguments: first, last (-1 is the last one), step. */
export type KeyPlaces = readonly [first: number, last: number, step: number]

export interface Command {
  /** Lower case; of a subcommand `client|setname`. */
  readonly name: string
  /** Number of arguments with the name; negative: at least so many. */
  readonly arity: number
  readonly flags: readonly Flag[]
  /** `'script'` for those that carry a number of keys; null for none. */
  readonly keys: KeyPlaces | 'numkeys' | 'streams' | null
  readonly run: (call: Call) => Reply | Block
  /** A container: the second argument chooses, `run` is not used. */
  readonly subcommands?: ReadonlyMap<string, Command>
}

export function command(
  name: string,
  arity: number,
  flags: readonly Flag[],
  keys: Command['keys'],
  run: Command['run'],
): Command {
  return { name, arity, flags, keys, run }
}

/** `name` with a command for each second word. Names of `subcommands` are given without the prefix. */
export function container(name: string, subcommands: readonly Command[]): Command {
  const named = subcommands.map((sub) => ({ ...sub, name: `${name}|${sub.name}` }))
  return {
    name,
    arity: -2,
    flags: [],
    keys: null,
    run: () => WRONG_TYPE,
    subcommands: new Map(named.map((sub) => [sub.name.slice(name.length + 1), sub])),
  }
}

export const FIRST_KEY: KeyPlaces = [1, 1, 1]

export function keyOf(call: Call, place = 1): string {
  return (call.args[place] as Buffer).toString('latin1')
}

/** An argument as a word: lower case, for names of options. */
export function word(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : cText(bytes).toLowerCase()
}

/** A copy to keep: arguments may be views of a chunk that the network reuses. */
export function kept(bytes: Buffer): Buffer {
  return Buffer.from(bytes)
}
