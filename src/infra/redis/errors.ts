/**
 * The error texts of Redis 7.0.15, in one place, to the byte.
 *
 * A command refuses by throwing the error reply itself: it is an answer, not a fault, so it carries
 * no stack and the engine hands it on as the reply.
 */
import { type ErrorReply, error } from '../../wire/resp.ts'
import { untilZero } from './c-text.ts'

export const WRONG_TYPE = error('WRONGTYPE Operation against a key holding the wrong kind of value')
export const SYNTAX = error('ERR syntax error')
export const NOT_AN_INTEGER = error('ERR value is not an integer or out of range')
export const NO_SUCH_KEY = error('ERR no such key')
export const OVERFLOW = error('ERR increment or decrement would overflow')
export const INVALID_STREAM_ID = error('ERR Invalid stream ID specified as stream command argument')
export const NO_SCRIPT = error('NOSCRIPT No matching script. Please use EVAL.')
export const EXEC_ABORT = error('EXECABORT Transaction discarded because of previous errors.')

export function wrongArity(fullName: string): ErrorReply {
  return error(`ERR wrong number of arguments for '${fullName}' command`)
}

export function invalidExpire(command: string): ErrorReply {
  return error(`ERR invalid expire time in '${command}' command`)
}

export function noGroup(key: string, group: string): ErrorReply {
  return error(`NOGROUP No such key '${untilZero(key)}' or consumer group '${untilZero(group)}'`)
}

export function noSuchGroup(group: string, key: string): ErrorReply {
  const [name, place] = [untilZero(group), untilZero(key)]
  return error(`NOGROUP No such consumer group '${name}' for key name '${place}'`)
}

/** A line of the protocol cannot hold a line break; Redis writes spaces there. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ')
}
