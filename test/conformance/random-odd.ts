/**
 * Random sequences of commands that are often not quite right, reproducible from a seed: missing,
 * repeated and swapped arguments, numbers at and beyond their ends, keys that are no UTF-8, errors
 * inside transactions and scripts.
 *
 * Left out, since two servers cannot agree on it: small expiries, ids made of the clock, commands
 * that block outside of MULTI, cursors of SCAN, counters of streams beyond 2^53.
 */
import seedrandom from 'seedrandom'
import type { Mask, Step } from './case.ts'

const TIMES = 'times of two servers'
/** In the notation of redis-cli, as all that follows. */
const KEYS = ['a', 'b', 'h', 's', 't', String.raw`"k\xff\x00"`, String.raw`"\xc3("`, '""']
const NUMBERS = [
  ...['0', '-1', '100000', '5000000', '9223372036854775807', '-9223372036854775808'],
  ...[
    '9223372036854775808',
    '99999999999999999999',
    '1.5',
    '1e3',
    '+1',
    '01',
    '" 1"',
    '"1 "',
    '""',
  ],
  ...[
    String.raw`"1\x00"`,
    'x',
    '-0',
    '-',
    '0x10',
    '33177117420000',
    '33177117420',
    '9223372036854775',
  ],
]
const VALUES = [
  '100000',
  '-7',
  '9223372036854775807',
  'text',
  '""',
  String.raw`"\x00\xff\r\n"`,
  '3.5',
]
const IDS = [
  ...[
    '0',
    '0-0',
    '1-1',
    '1-2',
    '2',
    '2-1',
    '3-0',
    '5-0',
    '5-1',
    '9-9',
    '(1-1',
    '(0',
    '-',
    '+',
    '$',
  ],
  ...['>', '1-', '-1', '18446744073709551615', '18446744073709551615-18446744073709551615'],
  ...['(18446744073709551615-18446744073709551615', '(0-0', '18446744073709551616', 'x', '""'],
]
const WORDS = [
  ...['NX', 'XX', 'GT', 'LT', 'GET', 'KEEPTTL', 'PERSIST', 'EX', 'PX', 'EXAT', 'PXAT', 'COUNT'],
  ...['MAXLEN', 'MINID', '~', '=', 'LIMIT', 'NOMKSTREAM', 'MKSTREAM', 'ENTRIESREAD', 'STREAMS'],
  ...['GROUP', 'NOACK', 'IDLE', 'RETRYCOUNT', 'FORCE', 'JUSTID', 'LASTID', 'FULL', 'MATCH'],
  ...['ENTRIESADDED', 'MAXDELETEDID', 'ASYNC', 'nope', String.raw`"NX\x00x"`, 'nX'],
]
const SHAS = [
  'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', // return 1
  'E0E1F9FABFC9D4800C877A703B823AC0578FF8DB',
  '4ca238f611c9d0ae4e9a75a5dbac22aedc1e8a5a',
  'ffffffffffffffffffffffffffffffffffffffff',
  'ff',
]

const SCRIPTS = [
  'return 1',
  'return redis.call(unpack(ARGV))',
  'return redis.pcall(unpack(ARGV))',
  'local r = redis.pcall(unpack(ARGV)) return {type(r), type(r) == "table" and (r.err or r.ok) or r}',
  'return {pcall(redis.call, unpack(ARGV))}',
  '\n\n  return redis.call(unpack(ARGV))',
  'local function f() return (redis.call(unpack(ARGV))) end\nreturn {f(), f()}',
  'return {KEYS[1], ARGV[1], #KEYS, #ARGV, nil, 4}',
  'return {1.9, -1.9, true, false, {2, {3, {}}}, {ok="fine"}, {err="CODE bad"}, "s"}',
  'return {err = ARGV[1], ok = ARGV[2]}',
  'return {ok = ARGV[1], 1, 2}',
  'return redis.error_reply(ARGV[1])',
  'return redis.status_reply(ARGV[1])',
  'error(ARGV[1])',
  "error({err = ARGV[1] or 'none'})",
  'return redis.sha1hex(ARGV[1])',
  'return tonumber(ARGV[1])',
  'return tostring(tonumber(ARGV[1]))',
  'return ARGV[1] + 1',
  'return string.format("%d|%s|%g", ARGV[1], ARGV[1], ARGV[1])',
  'return cjson.encode({ARGV, KEYS})',
  'redis.setresp(ARGV[1]:find("3") and 2 or ARGV[1]) return 1',
  'redis.log(ARGV[1], "x")',
  'return ARGV[1].x.y',
  'x = 1',
  'return nope',
  'return (',
  'redis.call("set", KEYS[1], ARGV[1]) return redis.call(unpack(ARGV))',
  '#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))',
  'return redis.call("xadd", KEYS[1], ARGV[1], "f", 2^40)',
]

export function randomOddSteps(seed: number, count: number): Step[] {
  const random = seedrandom(`odd-${seed}`)
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T
  const some = (chance: number, ...words: readonly string[]): string[] =>
    random() < chance ? [...words] : []
  const key = () => pick(KEYS)
  const stream = () => pick(['s', 's', 's', 't', key()])
  const number = () => pick(NUMBERS)
  const value = () => pick(VALUES)
  const id = () => pick(IDS)
  const group = () => pick(['g', 'g', 'w'])
  const consumer = () => pick(['amy', 'bob', '""'])
  const expiry = () =>
    pick([
      ['EX', pick(['100000', number()])],
      ['PX', pick(['5000000', number()])],
      ['EXAT', pick(['33177117420', number()])],
      ['PXAT', pick(['33177117420000', number()])],
    ])
  const options = (...choices: readonly (() => readonly string[])[]) =>
    Array.from({ length: int(0, 3) }, () => pick(choices)()).flat()
  const counted = () => ['COUNT', pick(['0', '2', number()])]
  const plain = [
    () => ['SET', key(), value()],
    () => [
      ...['SET', key(), value()],
      ...options(() => [pick(['NX', 'XX', 'GET', 'KEEPTTL'])], expiry),
    ],
    () => ['GETEX', key(), ...options(() => ['PERSIST'], expiry)],
    () => [pick(['SETEX', 'PSETEX']), key(), number(), value()],
    () => [pick(['GET', 'GETDEL', 'STRLEN', 'TYPE', 'PERSIST', 'INCR', 'DECR', 'DUMPED']), key()],
    () => [
      pick(['APPEND', 'SETNX', 'GETSET', 'INCRBY', 'DECRBY']),
      key(),
      pick([value(), number()]),
    ],
    () => [pick(['DEL', 'UNLINK', 'EXISTS', 'TOUCH', 'MGET']), key(), key(), key()],
    () => [pick(['MSET', 'MSETNX']), key(), value(), key(), value()],
    () => [
      pick(['EXPIRE', 'PEXPIRE', 'EXPIREAT', 'PEXPIREAT']),
      ...[key(), pick(['5000000', '33177117420', number()])],
      ...options(() => [pick(['NX', 'XX', 'GT', 'LT'])]),
    ],
    () => ['HSET', pick(['h', key()]), 'f', value(), pick(['f', 'g']), value()],
    () => [pick(['HINCRBY', 'HSETNX']), pick(['h', key()]), 'f', pick([value(), number()])],
    () => [
      pick(['HGET', 'HDEL', 'HMGET', 'HEXISTS', 'HSTRLEN']),
      pick(['h', key()]),
      pick(['f', 'z']),
    ],
    () => [pick(['HGETALL', 'HLEN', 'HKEYS', 'HVALS', 'XLEN']), key()],
    () => [
      ...['XADD', stream()],
      ...options(
        () => ['NOMKSTREAM'],
        () => [
          pick(['MAXLEN', 'MINID']),
          ...some(0.5, pick(['~', '='])),
          pick(['3', '2-1', number()]),
        ],
        () => ['LIMIT', number()],
      ),
      ...[pick([`${int(1, 9)}-*`, `${int(1, 9)}-${int(0, 3)}`, id()]), 'f', value()],
    ],
    () => [
      ...['XTRIM', stream(), pick(['MAXLEN', 'MINID']), ...some(0.5, pick(['~', '=']))],
      ...[pick(['3', '2-1', number()]), ...some(0.3, 'LIMIT', number())],
    ],
    () => [pick(['XRANGE', 'XREVRANGE']), stream(), id(), id(), ...options(counted)],
    () => ['XDEL', stream(), id(), id()],
    () => ['XREAD', ...options(counted), 'STREAMS', stream(), stream(), id(), id()],
    () => [
      ...['XGROUP', pick(['CREATE', 'CREATE', 'SETID']), stream(), group(), id()],
      ...options(
        () => ['MKSTREAM'],
        () => ['ENTRIESREAD', number()],
      ),
    ],
    () => [
      'XGROUP',
      pick(['DESTROY', 'CREATECONSUMER', 'DELCONSUMER']),
      stream(),
      group(),
      consumer(),
    ],
    () => [
      ...['XREADGROUP', 'GROUP', group(), consumer()],
      ...options(counted, () => ['NOACK']),
      ...['STREAMS', stream(), pick(['>', '>', '0', id()])],
    ],
    () => ['XACK', stream(), group(), id(), id()],
    () => [
      ...['XCLAIM', stream(), group(), consumer(), pick(['0', number()]), id(), ...some(0.5, id())],
      ...options(
        () => ['FORCE'],
        () => ['JUSTID'],
        () => ['RETRYCOUNT', number()],
        () => [pick(['IDLE', 'TIME']), pick(['0', number()])],
        () => ['LASTID', id()],
      ),
    ],
    () => [
      ...['XAUTOCLAIM', stream(), group(), consumer(), pick(['0', number()]), id()],
      ...options(counted, () => ['JUSTID']),
    ],
    () => [
      ...['XSETID', stream(), id()],
      ...options(
        () => ['ENTRIESADDED', number()],
        () => ['MAXDELETEDID', id()],
      ),
    ],
    () => ['XINFO', 'GROUPS', stream()],
    () => ['XINFO', 'STREAM', stream()],
    () => ['SELECT', pick(['0', '0', '0', '1', number()])],
    () => [pick(['FLUSHDB', 'FLUSHALL']), ...options(() => [pick(['ASYNC', 'x'])])],
    () => ['PING', ...options(() => [value()])],
    () => ['ECHO', value()],
    () => ['SCRIPT', 'LOAD', quoted(pick(SCRIPTS))],
    () => ['SCRIPT', 'EXISTS', pick(SHAS), pick(SHAS)],
    () => ['SCRIPT', pick(['FLUSH', 'KILL', 'NOPE']), ...options(() => [pick(['ASYNC', 'x'])])],
    () => ['CLIENT', pick(['SETNAME', 'NO-EVICT', 'NOPE']), pick(['n', 'on', '"a b"', '""'])],
    () => ['CLIENT', 'GETNAME'],
    () => [pick(['MULTI', 'MULTI', 'MULTI', 'DISCARD', 'UNWATCH', 'RESET', 'DBSIZE', 'NOPE'])],
    () => ['WATCH', key(), key()],
  ]
  const timed = [
    () => [pick(['TTL', 'PTTL', 'EXPIRETIME', 'PEXPIRETIME']), key()],
    () => ['XINFO', 'CONSUMERS', stream(), group()],
    () => ['XINFO', 'STREAM', stream(), 'FULL', ...options(counted)],
    () => ['XPENDING', stream(), group()],
    () => [
      ...['XPENDING', stream(), group(), ...some(0.3, 'IDLE', number()), id(), id(), number()],
      ...some(0.3, consumer()),
    ],
  ]
  const scripted = () => {
    const call = [...pick(plain)()]
    const name = pick(['EVAL', 'EVAL', 'EVAL', 'EVAL_RO', 'EVALSHA', 'EVALSHA_RO'])
    const body = name.startsWith('EVALSHA') ? pick(SHAS) : quoted(pick(SCRIPTS))
    return [name, body, pick(['0', '0', '1', number()]), ...some(0.5, key()), ...bent(call, 0.3)]
  }
  /** `words`, with the given chance one or two of them changed. The first one stays. */
  const bent = (words: readonly string[], chance: number): string[] => {
    const bentWords = [...words]
    while (random() < chance) {
      const at = int(1, Math.max(1, bentWords.length - 1))
      const other = int(1, Math.max(1, bentWords.length - 1))
      const junk = () => pick([number(), pick(WORDS), id(), key()])
      const [here, there] = [bentWords[at] ?? junk(), bentWords[other] ?? junk()]
      const how = int(0, 5)
      if (how === 0) bentWords.splice(at, 1)
      else if (how === 1) bentWords.splice(at, 0, junk())
      else if (how === 2) bentWords.splice(at, 1, junk())
      else if (how === 3) bentWords.push(here)
      else if (how === 4) bentWords.splice(at)
      else {
        bentWords[at] = there
        bentWords[other] = here
      }
    }
    return bentWords
  }
  const step = (words: readonly string[], mask: Mask | null): Step => {
    const run = words.map((one, at) => (isHugeCounter(words[at - 1], one) ? '7' : one)).join(' ')
    return mask === null ? run : { run, mask, why: TIMES }
  }
  return Array.from({ length: count }, (): Step => {
    const dice = random()
    if (dice < 0.06) return step(['EXEC'], 'near')
    if (dice < 0.14) return step(bent(pick(timed)(), 0.2), 'near')
    if (dice < 0.3) return step(bent(scripted(), 0.1), null)
    if (dice < 0.33) return step(['b>', pick(['SET', 'APPEND']), key(), value()], null)
    return step(bent(pick(plain)(), 0.25), null)
  })
}

/** The engine counts a stream's entries and deliveries up to 2^53. */
function isHugeCounter(option: string | undefined, value: string): boolean {
  return (
    /^(entriesadded|entriesread|retrycount)$/i.test(option ?? '') && /^9[0-9]{15,18}$/.test(value)
  )
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
