/** XRANGE and XREVRANGE. Source: t_stream.c. */
import { NULL_ARRAY, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { SYNTAX } from '../errors.ts'
import { range } from '../stream-read.ts'
import { integer, intervalEnd, intervalStart, toCount } from './stream-args.ts'

function ranged(reverse: boolean) {
  return (call: Call): Reply => {
    const from = intervalStart(call.args[reverse ? 3 : 2] as Buffer)
    const to = intervalEnd(call.args[reverse ? 2 : 3] as Buffer)
    let count: number | null = null
    for (let i = 4; i < call.args.length; i += 2) {
      if (word(call.args[i]) !== 'count' || i + 1 >= call.args.length) throw SYNTAX
      count = Math.max(0, toCount(integer(call.args[i + 1])))
    }
    const stream = call.db.stream(keyOf(call))
    if (stream === undefined) return []
    if (count === 0) return NULL_ARRAY
    return range(stream, from, to, count ?? 0, reverse)
  }
}

export const streamRange = [
  command('xrange', -4, ['readonly'], FIRST_KEY, ranged(false)),
  command('xrevrange', -4, ['readonly'], FIRST_KEY, ranged(true)),
]
