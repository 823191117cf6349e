/**
 * What an arm tells: the closed list of trace events.
 *
 * A trace is a list of these, ordered by `i`. It is all that comes out of an arm; the judge, the
 * digest and every report are computed from it alone. Units: `t` is whole microseconds since the
 * start of the world (virtual in the simulated arm). Bytes are carried as latin1 strings, one
 * character a byte, so that an event is plain JSON and loses nothing.
 */

export const TRACE_VERSION = 1

/** Whole microseconds since the world began. */
export type Micros = number

interface Base {
  /** Place in the trace, from 0, without gaps. */
  readonly i: number
  readonly t: Micros
}

/** A process came to life. `incarnation` counts the lives of one name, from 1. */
export interface ProcessStarted extends Base {
  readonly kind: 'process.started'
  readonly process: string
  readonly incarnation: number
  readonly program: string
}

/**
 * A process ended. Exactly one of `code` and `signal` is not null.
 * `cause`: `exit` it called process.exit or was left without work; `signal` killed from outside or by
 * a signal without handler; `uncaught` an error or rejection nobody caught (also at load).
 */
export interface ProcessExited extends Base {
  readonly kind: 'process.exited'
  readonly process: string
  readonly incarnation: number
  readonly code: number | null
  readonly signal: string | null
  readonly cause: 'exit' | 'signal' | 'uncaught'
}

/** The error that ended a process: for the reader, not part of the digest (it holds paths). */
export interface ProcessError extends Base {
  readonly kind: 'process.error'
  readonly process: string
  readonly incarnation: number
  /** e.g. `SyntaxError`, `TypeError`, `LeakError`. */
  readonly name: string
  readonly message: string
  readonly stack: string
  /** First frame in the code under test, where one is known. Lines and columns from 1. */
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
}

/** One line of stdout or stderr, without its newline. */
export interface ProcessOutput extends Base {
  readonly kind: 'process.output'
  readonly process: string
  readonly incarnation: number
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

/** A verb was carried out on a process. */
export interface ProcessVerb extends Base {
  readonly kind: 'process.frozen' | 'process.thawed' | 'process.signalled'
  readonly process: string
  readonly incarnation: number
  /** For `process.signalled`. */
  readonly signal?: string
}

/** A command reached a Redis server and was executed there at `t`. `id` is unique in the trace. */
export interface RedisCommand extends Base {
  readonly kind: 'redis.command'
  readonly id: number
  /** Process that sent it. */
  readonly process: string
  readonly incarnation: number
  readonly server: string
  readonly conn: number
  /** As sent; `argv[0]` in capitals. */
  readonly argv: readonly string[]
}

/** The answer to command `id`. For a blocking command it may come later than the command. */
export interface RedisReply extends Base {
  readonly kind: 'redis.reply'
  readonly id: number
  readonly process: string
  readonly incarnation: number
  readonly server: string
  /** `argv[0]` of the command. */
  readonly command: string
  readonly reply: ReplyValue
}

/** A reply as plain JSON. Errors are `{ error: 'WRONGTYPE …' }`, status lines `{ ok: 'OK' }`. */
export type ReplyValue =
  | null
  | number
  | string
  | readonly ReplyValue[]
  | { readonly error: string }
  | { readonly ok: string }

/**
 * The key space changed: the servers' truth, also for writes made inside a script.
 * `op`: `set` a string value was written (value and expiry given) · `expire` only the expiry moved ·
 * `del` removed by a command · `expired` removed because its time was over · `write` any other write
 * (streams, hashes; value not told). `expireAt` is on the trace's clock, null for "never".
 */
export interface RedisEffect extends Base {
  readonly kind: 'redis.effect'
  readonly server: string
  /** Command that did it; null for a lapse noticed by the server itself. */
  readonly id: number | null
  readonly op: 'set' | 'expire' | 'del' | 'expired' | 'write'
  readonly key: string
  readonly value: string | null
  readonly expireAt: Micros | null
}

/** An HTTP request reached the process `to`. Body as text, cut at 64 KiB. */
export interface HttpRequest extends Base {
  readonly kind: 'http.request'
  readonly id: number
  readonly process: string
  readonly incarnation: number
  readonly to: string
  readonly method: string
  readonly path: string
  readonly body: string
}

/** The answer to request `id`, as it left the server. */
export interface HttpResponse extends Base {
  readonly kind: 'http.response'
  readonly id: number
  readonly process: string
  readonly incarnation: number
  readonly from: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: string
}

/** A connection: opened (accepted), refused, or ended, and why. */
export interface NetEvent extends Base {
  readonly kind: 'net.opened' | 'net.refused' | 'net.closed'
  readonly process: string
  readonly incarnation: number
  readonly conn: number
  readonly to: string
  readonly why?: string
}

/** A rule of the timeline took hold of traffic or a process: the bit that makes a check conclusive. */
export interface FaultBit extends Base {
  readonly kind: 'fault.bit'
  /** Id of the timeline step. */
  readonly step: string
  readonly verb: string
  readonly process: string | null
}

/** A held command was let go. */
export interface FaultReleased extends Base {
  readonly kind: 'fault.released'
  readonly step: string
}

/** Last event of a world, and why it ended. `never` lists the timeline steps that never came due. */
export interface WorldEnded extends Base {
  readonly kind: 'world.ended'
  readonly why:
    | 'until'
    | 'time-limit'
    | 'idle'
    | 'hang'
    | 'event-limit'
    | 'memory'
    | 'crash'
    | 'leak'
  readonly detail: string | null
  readonly never: readonly string[]
}

export type TraceEvent =
  | ProcessStarted
  | ProcessExited
  | ProcessError
  | ProcessOutput
  | ProcessVerb
  | RedisCommand
  | RedisReply
  | RedisEffect
  | HttpRequest
  | HttpResponse
  | NetEvent
  | FaultBit
  | FaultReleased
  | WorldEnded

export type TraceEventKind = TraceEvent['kind']

/** An event before the recorder gives it `i` and `t`. */
export type Unplaced<E extends TraceEvent = TraceEvent> = E extends TraceEvent
  ? Omit<E, 'i' | 't'>
  : never
