/** Random sequences of commands over a few keys, reproducible from a seed. */
import seedrandom from 'seedrandom'
import type { Step } from './case.ts'

const idle = 'idle times of two servers'

export function randomSteps(seed: number, count: number): Step[] {
  const random = seedrandom(`conformance-${seed}`)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const int = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  const key = () => pick(['a', 'b', 'c', 'h', 's', 't'])
  const stream = () => pick(['s', 's', 's', 't', 't', 'a'])
  const hash = () => pick(['h', 'h', 'h', 'b'])
  const value = () =>
    pick([
      '1',
      '2',
      '-7',
      '9223372036854775807',
      'text',
      '""',
      String.raw`"\x00\xff"`,
      '3.5',
      '010',
    ])
  const field = () => pick(['f', 'g', 'i'])
  const when = () =>
    pick([
      '33177117420000',
      '33177117430500',
      '33177117410001',
      '1',
      '0',
      '-1',
      'x',
      '9223372036854775807',
    ])
  const group = () => pick(['g', 'g', 'w'])
  const consumer = () => pick(['amy', 'bob', 'zoe'])
  let next = 1
  const freshId = () => {
    next += int(0, 2)
    return `${next}-${pick(['*', '1', '2', '0', '5'])}`
  }
  const someId = () => `${int(0, next + 1)}-${int(0, 5)}`
  const edge = () => pick(['-', '+', someId(), `(${someId()}`, String(int(0, next))])
  const count_ = () => pick(['', '', ` COUNT ${int(0, 4)}`])
  const drawn: (() => Step)[] = [
    () =>
      `SET ${key()} ${value()}${pick(['', '', ' NX', ' XX', ' GET', ' NX GET', ' XX GET', ' KEEPTTL'])}`,
    () =>
      `SET ${key()} ${value()} ${pick(['PXAT', 'EXAT'])} ${when()}${pick(['', ' NX', ' XX', ' GET', ' KEEPTTL'])}`,
    () => `GET ${key()}`,
    () => `GETEX ${key()}${pick(['', ' PERSIST', ` PXAT ${when()}`])}`,
    () =>
      `${pick(['GETDEL', 'STRLEN', 'TYPE', 'PERSIST', 'PEXPIRETIME', 'EXPIRETIME', 'DEL', 'EXISTS'])} ${key()}`,
    () => `${pick(['APPEND', 'SETNX', 'GETSET'])} ${key()} ${value()}`,
    () => `${pick(['INCR', 'DECR'])} ${key()}`,
    () => `${pick(['INCRBY', 'DECRBY'])} ${key()} ${value()}`,
    () =>
      `PEXPIREAT ${key()} ${when()}${pick(['', ' NX', ' XX', ' GT', ' LT', ' XX GT', ' NX LT'])}`,
    () => `MGET ${key()} ${key()} ${key()}`,
    () => `MSET ${key()} ${value()} ${key()} ${value()}`,
    () => `HSET ${hash()} ${field()} ${value()} ${field()} ${value()}`,
    () => `HINCRBY ${hash()} ${field()} ${value()}`,
    () => `HDEL ${hash()} ${field()} ${field()}`,
    () => `${pick(['HGETALL', 'HLEN', 'HKEYS', 'HVALS'])} ${hash()}`,
    () => `HGET ${hash()} ${field()}`,
    () => `HSETNX ${hash()} ${field()} ${value()}`,
    () => `XADD ${stream()} ${freshId()} f ${value()}`,
    () =>
      `XADD ${stream()} ${pick(['NOMKSTREAM', `MAXLEN ${int(0, 6)}`, `MINID ${someId()}`])} ${freshId()} f ${value()}`,
    () => `XADD ${stream()} ${freshId()} f 1 g 2`,
    () => `XRANGE ${stream()} ${edge()} ${edge()}${count_()}`,
    () => `XREVRANGE ${stream()} ${edge()} ${edge()}${count_()}`,
    () => `XDEL ${stream()} ${someId()} ${someId()}`,
    () => `XTRIM ${stream()} ${pick(['MAXLEN', 'MAXLEN =', 'MINID'])} ${int(0, 8)}`,
    () => `XREAD${count_()} STREAMS ${stream()} ${stream()} ${someId()} ${someId()}`,
    () =>
      `XGROUP CREATE ${stream()} ${group()} ${pick(['0', '$', someId()])}${pick(['', ' MKSTREAM'])}${pick(['', '', ' ENTRIESREAD 2'])}`,
    () =>
      `XGROUP ${pick(['DESTROY', 'SETID', 'SETID'])} ${stream()} ${group()} ${pick(['0', '$', someId()])}`,
    () => `XGROUP ${pick(['DELCONSUMER', 'CREATECONSUMER'])} ${stream()} ${group()} ${consumer()}`,
    () =>
      `XREADGROUP GROUP ${group()} ${consumer()}${count_()}${pick(['', '', ' NOACK'])} STREAMS ${stream()} ${pick(['>', '>', '>', '0', someId()])}`,
    () => `XREADGROUP GROUP ${group()} ${consumer()}${count_()} STREAMS ${stream()} >`,
    () => `XACK ${stream()} ${group()} ${someId()} ${someId()}`,
    () => `XPENDING ${stream()} ${group()}`,
    () => ({
      run: `XPENDING ${stream()} ${group()} ${edge()} ${edge()} ${int(0, 5)} ${pick(['', consumer()])}`,
      mask: 'near',
      why: idle,
    }),
    () =>
      `XCLAIM ${stream()} ${group()} ${consumer()} 0 ${someId()} ${someId()}${pick(['', ' FORCE', ' JUSTID', ' FORCE JUSTID', ' RETRYCOUNT 4'])}`,
    () =>
      `XAUTOCLAIM ${stream()} ${group()} ${consumer()} 0 ${edge()}${pick(['', ` COUNT ${int(1, 3)}`])}${pick(['', ' JUSTID'])}`,
    () => `XINFO GROUPS ${stream()}`,
    () => ({ run: `XINFO CONSUMERS ${stream()} ${group()}`, mask: 'near', why: idle }),
    () => `XINFO STREAM ${stream()}`,
    () => ({ run: `XINFO STREAM ${stream()} FULL`, mask: 'near', why: idle }),
    () => `KEYS ${pick(['a', 'b*', '[s]', '?x', 'h*'])}`,
    () =>
      `EVAL "return redis.call(ARGV[1],KEYS[1])" 1 ${key()} ${pick(['get', 'type', 'del', 'hgetall', 'xlen', 'incr'])}`,
    () => pick(['MULTI', 'DISCARD', `WATCH ${key()}`, 'UNWATCH', 'DBSIZE']),
    () => ({ run: 'EXEC', mask: 'near', why: idle }),
    () => ({ run: 'EXEC', mask: 'near', why: idle }),
    () => `b> ${pick(['SET', 'APPEND'])} ${key()} ${value()}`,
  ]
  return Array.from({ length: count }, () => pick(drawn)())
}
