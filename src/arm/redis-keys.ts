/**
 * Which keys a command names, and which commands must not reach a server that others use too.
 *
 * Positions are those of Redis's own command table. A command that is not listed is answered `null`:
 * the server can be asked (COMMAND GETKEYS). Text is latin1, one character a byte.
 */

const ONE = `GET SET SETNX SETEX PSETEX GETSET GETDEL GETEX APPEND STRLEN INCR DECR INCRBY DECRBY
INCRBYFLOAT SETRANGE GETRANGE EXPIRE PEXPIRE EXPIREAT PEXPIREAT TTL PTTL EXPIRETIME PEXPIRETIME PERSIST
TYPE DUMP HSET HSETNX HMSET HGET HMGET HGETALL HDEL HEXISTS HLEN HKEYS HVALS HINCRBY HINCRBYFLOAT HSCAN
XADD XLEN XRANGE XREVRANGE XDEL XTRIM XACK XPENDING XCLAIM XAUTOCLAIM XSETID LPUSH RPUSH LPUSHX RPUSHX
LPOP RPOP LLEN LRANGE LINDEX LREM LSET LTRIM SADD SREM SMEMBERS SCARD SISMEMBER SPOP ZADD ZREM ZRANGE
ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZREMRANGEBYSCORE ZREMRANGEBYRANK ZSCORE ZCARD ZINCRBY ZRANK
ZCOUNT ZPOPMIN ZPOPMAX`
const ALL = 'DEL UNLINK EXISTS TOUCH MGET WATCH'
const EVERY_SECOND = 'MSET MSETNX'
const SECOND = 'XGROUP XINFO OBJECT'
const FIRST_TWO = 'RENAME RENAMENX COPY LMOVE RPOPLPUSH SMOVE'
const COUNTED = 'EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO'
const STREAMS = 'XREAD XREADGROUP'
const NONE = `PING ECHO AUTH HELLO CLIENT SELECT INFO COMMAND TIME MULTI EXEC DISCARD UNWATCH QUIT RESET
SCRIPT WAIT WAITAOF SCAN KEYS RANDOMKEY DBSIZE CONFIG LOLWUT ROLE PUBLISH LASTSAVE`

type KeysOf = (argv: readonly string[]) => readonly string[]

const KEYS_OF = new Map<string, KeysOf>()
function list(names: string, keysOf: KeysOf): void {
  for (const name of names.split(/\s+/)) KEYS_OF.set(name, keysOf)
}
list(ONE, (argv) => argv.slice(1, 2))
list(ALL, (argv) => argv.slice(1))
list(EVERY_SECOND, (argv) => argv.filter((_, at) => at % 2 === 1))
list(SECOND, (argv) => argv.slice(2, 3))
list(FIRST_TWO, (argv) => argv.slice(1, 3))
list(COUNTED, (argv) => argv.slice(3, 3 + Math.max(0, Number(argv[2]) || 0)))
list(NONE, () => [])
list(STREAMS, (argv) => {
  const at = argv.findIndex((arg) => arg.toUpperCase() === 'STREAMS')
  return at < 0 ? [] : argv.slice(at + 1, at + 1 + Math.floor((argv.length - at - 1) / 2))
})

/** `argv[0]` in capitals. Null for a command that is not known here. */
export function keysOf(argv: readonly string[]): readonly string[] | null {
  return KEYS_OF.get(argv[0] ?? '')?.(argv) ?? null
}

const FOR_ALL = new Set(
  `FLUSHALL FLUSHDB SWAPDB SHUTDOWN DEBUG REPLICAOF SLAVEOF CLUSTER MIGRATE FAILOVER ACL MODULE FUNCTION
SAVE BGSAVE BGREWRITEAOF MOVE MONITOR SUBSCRIBE PSUBSCRIBE SSUBSCRIBE SYNC PSYNC RESTORE LATENCY SLOWLOG
KEYS SCAN RANDOMKEY`.split(/\s+/),
)
const FOR_ALL_BY_SUBCOMMAND: Readonly<Record<string, readonly string[]>> = {
  CONFIG: ['SET', 'RESETSTAT', 'REWRITE'],
  SCRIPT: ['FLUSH', 'KILL', 'DEBUG'],
  CLIENT: ['KILL', 'PAUSE', 'UNPAUSE', 'REPLY', 'TRACKING', 'NO-EVICT'],
}

/** Whether a command concerns the whole server or its other users, or takes replies out of order. */
export function isForAll(argv: readonly string[]): boolean {
  const [name = '', sub = ''] = argv
  return FOR_ALL.has(name) || FOR_ALL_BY_SUBCOMMAND[name]?.includes(sub.toUpperCase()) === true
}

const WAITING = new Set(
  `BLPOP BRPOP BRPOPLPUSH BLMOVE BLMPOP BZPOPMIN BZPOPMAX BZMPOP WAIT WAITAOF`.split(' '),
)

/** Whether its answer may take as long as it likes. */
export function mayBlock(argv: readonly string[]): boolean {
  const name = argv[0] ?? ''
  if (WAITING.has(name)) return true
  if (name !== 'XREAD' && name !== 'XREADGROUP') return false
  const streams = argv.findIndex((arg) => arg.toUpperCase() === 'STREAMS')
  return argv.slice(1, streams).some((arg) => arg.toUpperCase() === 'BLOCK')
}

const READING = new Set(
  `GET EXISTS TTL PTTL EXPIRETIME PEXPIRETIME TYPE STRLEN MGET GETRANGE HGET HMGET HGETALL HEXISTS HLEN
HKEYS HVALS XLEN XRANGE XREVRANGE XPENDING XINFO XREAD LLEN LRANGE LINDEX SMEMBERS SCARD SISMEMBER ZRANGE
ZSCORE ZCARD ZRANK ZCOUNT OBJECT WATCH EVAL_RO EVALSHA_RO FCALL_RO DUMP TOUCH`.split(/\s+/),
)

/** Whether it changes nothing, so that nobody need look what it did. */
export function onlyReads(argv: readonly string[]): boolean {
  return READING.has(argv[0] ?? '')
}
