/**
 * The engine's scripts: cache by SHA-1, the `#!lua` line, and the calls that a script makes.
 *
 * A script runs in one instant, on a session of its own that starts in its client's database. Source:
 * eval.c and script_lua.c of Redis 7.0. Of the flags of the first line `no-writes` has an effect;
 * `allow-oom`, `allow-stale`, `no-cluster` and `allow-cross-slot-keys` say nothing to this server.
 */
import { createHash } from 'node:crypto'
import { splitInline } from '../../wire/inline.ts'
import { error, type Reply } from '../../wire/resp.ts'
import { Block } from './command.ts'
import { isCommand, type RedisEngine, resolve } from './engine.ts'
import { NO_SCRIPT } from './errors.ts'
import type { LuaRuntime, Script, ScriptCaller } from './lua.ts'
import { Session } from './session.ts'

const UNKNOWN_COMMAND = error('ERR Unknown Redis command called from script')
const WRONG_ARITY = error('ERR Wrong number of args calling Redis command from script')
const NOT_FROM_SCRIPT = error('ERR This Redis command is not allowed from script')
const WRITE_REFUSED = error('ERR Write commands are not allowed from read-only scripts.')
const FLAGS = new Set([
  'no-writes',
  'allow-oom',
  'allow-stale',
  'no-cluster',
  'allow-cross-slot-keys',
])

interface Stored extends Script {
  readonly noWrites: boolean
}

export class ScriptHost {
  readonly #lua: LuaRuntime
  readonly #engine: RedisEngine
  readonly #scripts = new Map<string, Stored>()
  /** The session on which scripts run their commands. */
  readonly #session: Session

  constructor(lua: LuaRuntime, engine: RedisEngine) {
    this.#lua = lua
    this.#engine = engine
    this.#session = new Session(0, '', 0)
  }

  get count(): number {
    return this.#scripts.size
  }

  has(sha: string): boolean {
    return this.#scripts.has(sha.toLowerCase())
  }

  /** The script's SHA-1; throws the error reply of a text that does not compile. */
  load(body: Buffer): string {
    return this.#store(body).sha
  }

  flush(): void {
    for (const script of this.#scripts.values()) this.#lua.release(script)
    this.#scripts.clear()
  }

  eval(body: Buffer, client: Session, run: ScriptRun): Reply {
    return this.#run(this.#store(body), client, run)
  }

  evalSha(sha: string, client: Session, run: ScriptRun): Reply {
    const script = this.#scripts.get(sha.toLowerCase())
    if (script === undefined) throw NO_SCRIPT
    return this.#run(script, client, run)
  }

  #store(body: Buffer): Stored {
    const sha = createHash('sha1').update(body).digest('hex')
    const known = this.#scripts.get(sha)
    if (known !== undefined) return known
    const { text, noWrites } = readFirstLine(body)
    const script: Stored = { sha, text, noWrites, compiled: null }
    const failed = this.#lua.compile(script)
    if (failed !== null) throw failed
    this.#scripts.set(sha, script)
    return script
  }

  #run(script: Stored, client: Session, run: ScriptRun): Reply {
    const session = this.#session
    session.db = client.db
    const readOnly = run.readOnly || script.noWrites
    const caller: ScriptCaller = {
      call: (args) => this.#call(session, args, readOnly),
      knows: isCommand,
    }
    return this.#lua.run(script, run.keys, run.args, caller)
  }

  #call(session: Session, args: readonly Buffer[], readOnly: boolean): Reply {
    const command = resolve(args)
    if ('kind' in command) {
      return command.text.startsWith('ERR wrong number') ? WRONG_ARITY : UNKNOWN_COMMAND
    }
    if (command.flags.includes('noscript')) return NOT_FROM_SCRIPT
    if (readOnly && command.flags.includes('write')) return WRITE_REFUSED
    const reply = this.#engine.run(session, command, args, 'script')
    if (reply instanceof Block) throw new Error(`${command.name} blocked inside a script`)
    return reply
  }
}

export interface ScriptRun {
  readonly keys: readonly Buffer[]
  readonly args: readonly Buffer[]
  readonly readOnly: boolean
}

const HASH = 35
const BANG = 33
const LF = 10

/** `#!lua name=value …`, split like an inline request, which Lua does not see: its line stays, empty, so that line numbers hold. */
function readFirstLine(body: Buffer): { readonly text: Buffer; readonly noWrites: boolean } {
  if (body[0] !== HASH || body[1] !== BANG) return { text: body, noWrites: false }
  const end = body.indexOf(LF)
  if (end === -1 || body.subarray(0, end).includes(0)) throw error('ERR Invalid script shebang')
  const parts = splitInline(body.toString('latin1', 0, end))
  if (parts === null) throw error('ERR Invalid engine in script shebang')
  const [engine, ...options] = parts.map((part) => part.toString('latin1'))
  if (engine !== '#!lua') throw error(`ERR Unexpected engine in script shebang: ${engine}`)
  let noWrites = false
  for (const option of options) {
    if (!option.startsWith('flags=')) throw error(`ERR Unknown lua shebang option: ${option}`)
    const flags = option.slice('flags='.length)
    for (const flag of flags === '' ? [] : flags.split(',')) {
      if (!FLAGS.has(flag)) throw error(`ERR Unexpected flag in script shebang: ${flag}`)
      if (flag === 'no-writes') noWrites = true
    }
  }
  return { text: body.subarray(end), noWrites }
}
