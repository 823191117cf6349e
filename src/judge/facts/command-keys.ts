/**
 * Which arguments of a Redis command are keys.
 *
 * A table of the commands that workers of this kind use; of a command that is not in it no key is
 * known, and rules that ask for keys pass it over. Source: COMMAND GETKEYS of Redis 7.0.
 */

/** Commands whose first argument is their only key. */
const FIRST = new Set(
  (
    'GET SET SETNX SETEX PSETEX GETSET GETEX GETDEL APPEND STRLEN INCR INCRBY DECR DECRBY ' +
    'EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TTL PTTL EXPIRETIME PEXPIRETIME TYPE ' +
    'HGET HSET HSETNX HMSET HMGET HGETALL HDEL HEXISTS HINCRBY HKEYS HLEN HVALS HSCAN ' +
    'XADD XLEN XRANGE XREVRANGE XDEL XTRIM XACK XPENDING XCLAIM XAUTOCLAIM'
  ).split(' '),
)
/** Commands all of whose arguments are keys. */
const ALL = new Set(['DEL', 'UNLINK', 'EXISTS', 'TOUCH', 'MGET', 'WATCH'])
const SCRIPTS = new Set(['EVAL', 'EVALSHA', 'EVAL_RO', 'EVALSHA_RO', 'FCALL', 'FCALL_RO'])

/** Keys that a command names, in its order. */
export function keysOf(argv: readonly string[]): readonly string[] {
  const name = argv[0]?.toUpperCase() ?? ''
  if (FIRST.has(name)) return argv.slice(1, 2)
  if (ALL.has(name)) return argv.slice(1)
  if (name === 'MSET' || name === 'MSETNX') return argv.filter((_, at) => at % 2 === 1)
  if (SCRIPTS.has(name)) {
    const many = Number(argv[2])
    return Number.isSafeInteger(many) && many > 0 ? argv.slice(3, 3 + many) : []
  }
  if (name === 'XGROUP' || name === 'XINFO') return argv.slice(2, 3)
  if (name === 'XREAD' || name === 'XREADGROUP') {
    const rest = argv.slice(argv.findIndex((arg) => arg.toUpperCase() === 'STREAMS') + 1)
    return rest.length < argv.length ? rest.slice(0, rest.length / 2) : []
  }
  return []
}
