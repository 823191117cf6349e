/**
 * SCAN and HSCAN: the keys a few at a time, a hash's fields.
 *
 * A cursor is the serial number of a key's creation (in Redis: a place in a hash table), so keys come
 * in that order, and one that is there from start to end is told exactly once. HSCAN hands out the
 * whole hash in one go, as Redis does for a small one. Source: db.c.
 */
import { error, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { NOT_AN_INTEGER, SYNTAX } from '../errors.ts'
import { globMatches } from '../glob.ts'
import { parseInt64 } from '../integers.ts'

const DEFAULT_COUNT = 10
const MAX_CURSOR = 0xffffffffffffffffn
const INVALID_CURSOR = error('ERR invalid cursor')

interface ScanOptions {
  count: number
  pattern: string | null
  type: string | null
}

/** As C's strtoul reads it: nothing is 0, a minus counts down from 2^64. */
function cursorOf(bytes: Buffer): number {
  const [, sign, digits] = /^([+-]?)([0-9]+)$|^$/.exec(cText(bytes)) ?? [null, '', null]
  if (digits === null) throw INVALID_CURSOR
  const value = BigInt(digits ?? 0)
  if (value > MAX_CURSOR) throw INVALID_CURSOR
  return Number(sign === '-' ? BigInt.asUintN(64, -value) : value)
}

function parseOptions(call: Call, from: number, withType: boolean): ScanOptions {
  const options: ScanOptions = { count: DEFAULT_COUNT, pattern: null, type: null }
  for (let i = from; i < call.args.length; i += 2) {
    const name = word(call.args[i])
    const value = call.args[i + 1]
    if (value === undefined) throw SYNTAX
    if (name === 'count') {
      const count = parseInt64(value)
      if (count === null) throw NOT_AN_INTEGER
      if (count < 1) throw SYNTAX
      options.count = Number(count)
    } else if (name === 'match') options.pattern = value.toString('latin1')
    else if (name === 'type' && withType) options.type = word(value)
    else throw SYNTAX
  }
  return options
}

function scanKeys(call: Call): Reply {
  const cursor = cursorOf(call.args[1] as Buffer)
  const options = parseOptions(call, 2, true)
  const { names, next } = call.db.page(cursor, options.count)
  const found = names.filter((key) => {
    if (options.pattern !== null && !globMatches(options.pattern, key)) return false
    const entry = call.db.find(key)
    return entry !== undefined && (options.type === null || entry.value.kind === options.type)
  })
  return [Buffer.from(String(next)), found.map((key) => Buffer.from(key, 'latin1'))]
}

function scanHash(call: Call): Reply {
  const cursor = cursorOf(call.args[2] as Buffer)
  const fields = call.db.hash(keyOf(call))
  if (fields === undefined) return [Buffer.from('0'), []]
  const { pattern } = parseOptions(call, 3, false)
  const all = cursor === 0 ? [...fields] : []
  const found = all.filter(([field]) => pattern === null || globMatches(pattern, field))
  return [
    Buffer.from('0'),
    found.flatMap(([field, value]) => [Buffer.from(field, 'latin1'), value]),
  ]
}

export const scan = [
  command('scan', -2, ['readonly'], null, scanKeys),
  command('hscan', -3, ['readonly'], FIRST_KEY, scanHash),
]
