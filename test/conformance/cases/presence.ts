/**
 * What the workers' rows and the gateway's publishing rest on, as scripts do it: the server's time before
 * a write, rows as JSON in a hash, ages of pending entries, arguments handed on.
 */

import type { Family } from '../case.ts'

const script = (text: string, ...rest: string[]): string =>
  `EVAL ${JSON.stringify(text)} ${rest.length === 0 ? '0' : rest.join(' ')}`

const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
const SET_AGE =
  "local p = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1) " +
  'if #p == 0 or p[1][2] ~= ARGV[2] then return 0 end ' +
  "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'IDLE', ARGV[4], 'JUSTID') return 1"
const PUBLISH =
  "if not redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[1]) then return false end " +
  "return redis.call('XADD', KEYS[1], '5-1', unpack(ARGV, 2))"

export const presence: Family = {
  name: 'presence',
  cases: [
    {
      title: 'the server’s time in a script: two strings, whole milliseconds, and a write after it',
      steps: [
        script("local t = redis.call('TIME') return {#t, type(t[1]), type(t[2])}"),
        script(`${NOW}return now == math.floor(now) and now > 1600000000000`),
        script(`${NOW}return redis.call('SET', KEYS[1], 'v', 'PX', 60000)`, '1', 'k'),
        script(
          `${NOW}redis.call('HSET', KEYS[1], 'w', now) return #redis.call('HGET', KEYS[1], 'w')`,
          '1',
          'h',
        ),
      ],
    },
    {
      title: 'a row: milliseconds since 1970 stay whole in JSON, there and back',
      steps: [
        script('return cjson.encode({beatAt=1800000000123})'),
        script('return cjson.decode(\'{"beatAt":1800000000123}\').beatAt'),
        script(
          'return cjson.decode(cjson.encode({inFlight=tonumber(ARGV[1]),version=ARGV[2]})).version',
          '0',
          '1',
          'v',
        ),
        script('return tostring(1800000000123 - 1799999985000)'),
      ],
    },
    {
      title: 'rows in a hash: read flat, swept by age in one script',
      steps: [
        'HSET rows a "{\\"beatAt\\":1000}" b "{\\"beatAt\\":9000}"',
        script("return redis.call('HGETALL', KEYS[1])", '1', 'rows'),
        script("return {7, redis.call('HGETALL', KEYS[1])}", '1', 'rows'),
        script("return {7, redis.call('HGETALL', KEYS[1])}", '1', 'nope'),
        script(
          "local r, n = redis.call('HGETALL', KEYS[1]), 0 for i = 1, #r, 2 do if 10000 - cjson.decode(r[i + 1]).beatAt > tonumber(ARGV[1]) then n = n + redis.call('HDEL', KEYS[1], r[i]) end end return n",
          '1',
          'rows',
          '5000',
        ),
        'HGETALL rows',
        'HDEL rows b',
        'EXISTS rows',
      ],
    },
    {
      title: 'the age of a pending entry: set by its owner only, and never raising its deliveries',
      steps: [
        'XADD s 1-1 a 1',
        'XGROUP CREATE s g 0',
        'XREADGROUP GROUP g me STREAMS s >',
        script(SET_AGE, '1', 's', 'g', 'me', '1-1', '60000'),
        'XAUTOCLAIM s g you 50000 0-0 COUNT 1',
        script(SET_AGE, '1', 's', 'g', 'me', '1-1', '0'),
        script(SET_AGE, '1', 's', 'g', 'you', '1-1', '0'),
        'XAUTOCLAIM s g me 50000 0-0 COUNT 1',
        'XACK s g 1-1',
        script(SET_AGE, '1', 's', 'g', 'you', '1-1', '0'),
        script(SET_AGE, '1', 'nope', 'g', 'you', '1-1', '0'),
      ],
    },
    {
      title: 'publishing: arguments handed on, once',
      steps: [
        script(PUBLISH, '2', 's', 'mark', '60000', 'runId', 'r1', 'text', 't'),
        script(PUBLISH, '2', 's', 'mark', '60000', 'runId', 'r1', 'text', 't'),
        'XRANGE s - +',
        script(PUBLISH, '2', 's', 'other', '0', 'runId', 'r1'),
        script(PUBLISH, '2', 's', 'third', '60000', 'runId'),
      ],
    },
  ],
}
