/** Every spelling of an id in every place where a stream command takes one. */
import type { Family } from '../case.ts'

const SPELLINGS = [
  ...[
    '+',
    '-',
    '$',
    '>',
    '(',
    '(1',
    '(1-1',
    '(-',
    '(+',
    '($',
    '1-',
    '-1',
    '1--1',
    '1-1-1',
    '--',
    '++',
  ],
  ...[
    '" 1"',
    '"1 "',
    '1-+1',
    '+1-1',
    '01-01',
    '1-*',

    '*-*',
    '5',
    '5-0',
    '(5',
    '(5-0',
    '9-9',
  ],
  ...['18446744073709551615', '18446744073709551616', '18446744073709551615-18446744073709551615'],
  ...['18446744073709551615-18446744073709551616', '(18446744073709551615-18446744073709551615'],
  ...[
    '0',
    '0-0',
    '(0-0',
    '""',
    '"1\\x00"',
    '"1-1\\x00x"',
    '"+\\x00"',
    'x',
    '1-x',
    'x-1',
    '1.5',
    '0x1',
  ],
  ...['4-18446744073709551615', '1'.repeat(127), '0'.repeat(126).concat('1'), '0'.repeat(128)],
]

/** A stream of three entries, all of them pending for `c` of the group `g`. */
const SETUP = [
  ...['FLUSHALL', 'XADD s 1-1 f v', 'XADD s 1-2 f v', 'XADD s 5-0 f v'],
  ...['XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >'],
]
const STATE = `EVAL "return {redis.call('xinfo','stream','s'), redis.call('xinfo','groups','s')}" 0`
/** XPENDING without the idle times, which differ from server to server. */
const PENDING = `EVAL "local r = redis.pcall(unpack(ARGV)) for _, e in ipairs(r) do e[3] = 0 end return r" 0 XPENDING`

const WRITING = [
  ...['XGROUP SETID s g @', 'XGROUP SETID s g @ ENTRIESREAD 1', 'XGROUP CREATE s new @'],
  ...[
    'XGROUP CREATE other new @ MKSTREAM',
    'XADD s @ f v',
    'XADD other @ f v',
    'XADD s MINID @ 77-* f v',
  ],
  ...['XTRIM s MINID @', 'XREADGROUP GROUP g c STREAMS s @', 'XREADGROUP GROUP g d STREAMS s @'],
  ...[
    'XAUTOCLAIM s g d 0 @',
    'XCLAIM s g d 0 @',
    'XCLAIM s g d 0 1-1 @',
    'XCLAIM s g d 0 1-1 LASTID @',
  ],
  ...['XCLAIM s g d 0 @ FORCE JUSTID', 'XDEL s 1-1 @', 'XACK s g 1-1 @', 'XSETID s @'],
  ...['XSETID s 9-9 MAXDELETEDID @', 'XSETID s 9-9 ENTRIESADDED 9 MAXDELETEDID @'],
]
const READING = [
  ...['XRANGE s @ +', 'XRANGE s - @', 'XREVRANGE s @ -', 'XREVRANGE s + @', 'XRANGE nope @ @'],
  ...['XREAD STREAMS s @', 'XREAD STREAMS s nope @ @', 'XREADGROUP GROUP nope c STREAMS s @'],
  ...['XAUTOCLAIM s nope d 0 @', 'XDEL nope @', 'XACK nope g @', 'XSETID nope @'],
  ...[`${PENDING} s g @ + 10`, `${PENDING} s g - @ 10 c`, `${PENDING} nope g @ + 10`],
]

export const streamIds: Family = {
  name: 'ids of streams',
  cases: [
    ...WRITING.map((template) => ({
      title: `${template}, in every spelling`,
      steps: SPELLINGS.flatMap((id) => [...SETUP, template.replaceAll('@', id), STATE]),
    })),
    ...READING.map((template) => ({
      title: `${template.replace(PENDING, 'XPENDING')}, in every spelling`,
      steps: [...SETUP, ...SPELLINGS.map((id) => template.replaceAll('@', id))],
    })),
  ],
}
