/**
 * An in-memory Redis 7.0 as a pure state machine: `execute(session, args, now)` gives the reply.
 *
 * No promise, no clock, no randomness of its own, no sockets: the same engine stands behind the
 * simulated network, a real port and its tests. Time is what the caller says, in whole microseconds
 * since the Unix epoch. Bad commands come back as error replies; only misuse by the host throws.
 * Held against a real redis-server in test/conformance; README.md lists what is missing.
 */
import { type ErrorReply, error, QUEUED, type Reply } from '../../wire/resp.ts'
import { BlockedReaders, type Woken } from './blocking.ts'
import { untilZero } from './c-text.ts'
import { Block, type Call, type Command } from './command.ts'
import { findCommand } from './commands/registry.ts'
import { wrongArity } from './errors.ts'
import { type Clock, type EngineEffect, Keyspace, type KeyspaceEvents } from './keyspace.ts'
import type { LuaRuntime } from './lua.ts'
import { ScriptHost } from './scripting.ts'
import { type QueuedCommand, Session } from './session.ts'
import { breakWatches, discardTransaction } from './watch.ts'

export type { EngineEffect } from './keyspace.ts'
export { Session } from './session.ts'

export const DATABASES = 16

export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'blocked'; readonly deadlineUs: number | null }

export interface EngineOptions {
  readonly lua: LuaRuntime
  /** In [0, 1). Used where Redis makes ids up (run_id); never for `math.random` in scripts. */
  readonly random: () => number
  readonly onEffect?: (effect: EngineEffect) => void
  /** Microseconds since the Unix epoch, for uptime. Default: the time of the first command. */
  readonly startedAtUs?: number
}

export class RedisEngine {
  readonly clock: Clock = { nowUs: 0, nowMs: 0 }
  readonly databases: readonly Keyspace[]
  readonly readers = new BlockedReaders()
  readonly sessions = new Map<number, Session>()
  readonly scripts: ScriptHost
  readonly runId: string
  readonly stats = { commands: 0, connections: 0 }
  startedAtUs: number | null
  #lastSessionId = 0

  constructor(options: EngineOptions) {
    const events: KeyspaceEvents = {
      onEffect: options.onEffect,
      touched: (db, key) => breakWatches(this.sessions.values(), db, key),
      streamChanged: (db, key) => this.readers.noteChange(db, key),
    }
    this.databases = Array.from(
      { length: DATABASES },
      (_, index) => new Keyspace(index, this.clock, events),
    )
    this.runId = Array.from({ length: 40 }, () =>
      Math.floor(options.random() * 16).toString(16),
    ).join('')
    this.startedAtUs = options.startedAtUs ?? null
    this.scripts = new ScriptHost(options.lua, this)
  }

  open(info: { readonly addr?: string } = {}): Session {
    const addr = info.addr ?? '127.0.0.1:0'
    const session = new Session(++this.#lastSessionId, addr, this.clock.nowUs)
    this.sessions.set(session.id, session)
    this.stats.connections++
    return session
  }

  /** The connection is gone: what it waited for, watched or queued is forgotten. */
  close(session: Session): void {
    this.readers.drop(session)
    discardTransaction(session)
    this.sessions.delete(session.id)
  }

  /**
   * Runs one command. A blocked session must not be given another one until `takeWoken` has told its
   * answer; doing so throws.
   */
  execute(session: Session, args: readonly Buffer[], nowUs: number): Outcome {
    if (session.blocked !== null) throw new Error(`session ${session.id} is blocked`)
    this.#moveTo(nowUs)
    session.lastCommandUs = nowUs
    const result = this.#process(session, args)
    this.readers.serve(this.clock.nowMs)
    if (!(result instanceof Block)) return { kind: 'reply', reply: result }
    session.blocked = result.read
    this.readers.add(session)
    return { kind: 'blocked', deadlineUs: result.read.deadlineUs }
  }

  /** Sessions whose blocking command has been answered since the last call, in order. */
  takeWoken(): Woken[] {
    return this.readers.takeWoken()
  }

  /** When `tick` is due at the latest, or null. */
  nextDeadlineUs(): number | null {
    return this.readers.nextDeadlineUs()
  }

  /** Time has passed: blocked sessions at or past their deadline are answered. */
  tick(nowUs: number): void {
    this.#moveTo(nowUs)
    this.readers.expire(nowUs)
  }

  /** Runs a command that has been found and checked: from a connection, a transaction, a script. */
  run(
    session: Session,
    command: Command,
    args: readonly Buffer[],
    from: 'client' | 'transaction' | 'script',
  ): Reply | Block {
    const db = this.databases[session.db] as Keyspace
    const call: Call = {
      engine: this,
      session,
      db,
      clock: this.clock,
      args,
      mayNotBlock: from !== 'client',
      fromScript: from === 'script',
    }
    this.stats.commands++
    try {
      return command.run(call)
    } catch (refusal) {
      if ((refusal as { kind?: string }).kind === 'error') return refusal as Reply
      throw refusal
    }
  }

  /** The replies of a transaction's commands. */
  runQueue(session: Session, queue: readonly QueuedCommand[]): Reply[] {
    return queue.map(({ command, args }) => {
      const reply = this.run(session, command, args, 'transaction')
      if (reply instanceof Block) throw new Error(`${command.name} blocked inside EXEC`)
      return reply
    })
  }

  #moveTo(nowUs: number): void {
    this.clock.nowUs = nowUs
    this.clock.nowMs = Math.floor(nowUs / 1000)
    this.startedAtUs ??= nowUs
  }

  #process(session: Session, args: readonly Buffer[]): Reply | Block {
    const found = resolve(args)
    if ('kind' in found) {
      if ((args[0] as Buffer).toString('latin1').toLowerCase() === 'exec') {
        discardTransaction(session)
        return error(`EXECABORT Transaction discarded because of: ${found.text.slice(4)}`)
      }
      if (session.queue !== null) session.queueFailed = true
      return found
    }
    session.lastCommand = found.name
    if (session.queue !== null && !found.flags.includes('unqueued')) {
      session.queue.push({ command: found, args: args.map((arg) => Buffer.from(arg)) })
      return QUEUED
    }
    return this.run(session, found, args, 'client')
  }
}

/** Whether `args` name a command, however many they are. */
export function isCommand(args: readonly Buffer[]): boolean {
  const [name, second] = args.map((arg) => arg.toString('latin1'))
  const found = findCommand(name as string)
  if (second === undefined || found?.subcommands === undefined) return found !== undefined
  return found.subcommands.has(second.toLowerCase())
}

/** The command that `args` call, or the error that refuses them. */
export function resolve(args: readonly Buffer[]): Command | ErrorReply {
  const name = (args[0] as Buffer).toString('latin1')
  const found = findCommand(name)
  if (found === undefined) return unknownCommand(name, args)
  const sub = found.subcommands
  if (sub === undefined) return arityFits(found, args) ? found : wrongArity(found.name)
  if (args.length < 2) return wrongArity(found.name)
  const chosen = sub.get((args[1] as Buffer).toString('latin1').toLowerCase())
  if (chosen === undefined) {
    const tried = (args[1] as Buffer).toString('latin1', 0, 128)
    return error(
      `ERR unknown subcommand '${printable(tried)}'. Try ${found.name.toUpperCase()} HELP.`,
    )
  }
  return arityFits(chosen, args) ? chosen : wrongArity(chosen.name)
}

function arityFits({ arity }: Command, args: readonly Buffer[]): boolean {
  return arity >= 0 ? args.length === arity : args.length >= -arity
}

const MAX_SHOWN = 128

function unknownCommand(name: string, args: readonly Buffer[]) {
  let shown = ''
  for (let i = 1; i < args.length && shown.length < MAX_SHOWN; i++) {
    const room = MAX_SHOWN - shown.length
    shown += `'${printable((args[i] as Buffer).toString('latin1', 0, room))}' `
  }
  const start = printable(name.slice(0, MAX_SHOWN))
  return error(`ERR unknown command '${start}', with args beginning with: ${shown}`)
}

/** Text ends at a zero byte, as in C; line breaks become spaces. */
function printable(text: string): string {
  return untilZero(text).replace(/[\r\n]/g, ' ')
}
