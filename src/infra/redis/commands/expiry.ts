/** How long a key lives: the EXPIRE and TTL families, PERSIST. Times are Unix. Source: expire.c. */
import { error, type Reply } from '../../../wire/resp.ts'
import { cText } from '../c-text.ts'
import { type Call, command, FIRST_KEY, keyOf, word } from '../command.ts'
import { type Int, toInt } from '../integers.ts'
import type { Entry } from '../keyspace.ts'
import { EX, EXAT, type ExpireUnit, expireAtMs, PX, PXAT } from './expire-time.ts'

const NX_CONFLICT = error('ERR NX and XX, GT or LT options at the same time are not compatible')
const GT_LT_CONFLICT = error('ERR GT and LT options at the same time are not compatible')

interface Conditions {
  nx: boolean
  xx: boolean
  gt: boolean
  lt: boolean
}

function parseConditions(call: Call): Conditions {
  const conditions: Conditions = { nx: false, xx: false, gt: false, lt: false }
  for (const bytes of call.args.slice(3)) {
    const name = word(bytes)
    if (!Object.hasOwn(conditions, name)) throw error(`ERR Unsupported option ${cText(bytes)}`)
    conditions[name as keyof Conditions] = true
  }
  const { nx, xx, gt, lt } = conditions
  if (nx && (xx || gt || lt)) throw NX_CONFLICT
  if (gt && lt) throw GT_LT_CONFLICT
  return conditions
}

/** A key without expiry counts as living for ever. */
function mayMove(conditions: Conditions, current: Int | null, wanted: Int): boolean {
  if (conditions.nx && current !== null) return false
  if (conditions.xx && current === null) return false
  if (conditions.gt && (current === null || wanted <= current)) return false
  return !(conditions.lt && current !== null && wanted >= current)
}

function expireBy(name: string, unit: ExpireUnit) {
  return (call: Call): Reply => {
    const conditions = parseConditions(call)
    const wanted = expireAtMs(call, call.args[2] as Buffer, unit, name, false)
    const key = keyOf(call)
    const entry = call.db.find(key)
    if (entry === undefined || !mayMove(conditions, entry.expireAtMs, wanted)) return 0
    if (wanted <= call.clock.nowMs) call.db.remove(key)
    else call.db.setExpiry(key, entry, wanted)
    return 1
  }
}

const MISSING = -2
const FOREVER = -1

function lifetime(answer: (call: Call, entry: Entry, expireAt: Int) => Int) {
  return (call: Call): Reply => {
    const entry = call.db.find(keyOf(call))
    if (entry === undefined) return MISSING
    return entry.expireAtMs === null ? FOREVER : answer(call, entry, entry.expireAtMs)
  }
}

function leftMs(call: Call, expireAt: Int): Int {
  return toInt(BigInt(expireAt) - BigInt(call.clock.nowMs))
}

/** To the nearest second, as Redis rounds. */
function roundedSeconds(ms: Int): Int {
  return toInt((BigInt(ms) + 500n) / 1000n)
}

function persist(call: Call): Reply {
  const key = keyOf(call)
  const entry = call.db.find(key)
  if (entry === undefined || entry.expireAtMs === null) return 0
  call.db.setExpiry(key, entry, null)
  return 1
}

export const expiry = [
  command('expire', -3, ['write', 'fast'], FIRST_KEY, expireBy('expire', EX)),
  command('pexpire', -3, ['write', 'fast'], FIRST_KEY, expireBy('pexpire', PX)),
  command('expireat', -3, ['write', 'fast'], FIRST_KEY, expireBy('expireat', EXAT)),
  command('pexpireat', -3, ['write', 'fast'], FIRST_KEY, expireBy('pexpireat', PXAT)),
  command(
    'ttl',
    2,
    ['readonly', 'fast'],
    FIRST_KEY,
    lifetime((call, _, at) => roundedSeconds(leftMs(call, at))),
  ),
  command(
    'pttl',
    2,
    ['readonly', 'fast'],
    FIRST_KEY,
    lifetime((call, _, at) => leftMs(call, at)),
  ),
  command(
    'expiretime',
    2,
    ['readonly', 'fast'],
    FIRST_KEY,
    lifetime((_call, _entry, at) => roundedSeconds(at)),
  ),
  command(
    'pexpiretime',
    2,
    ['readonly', 'fast'],
    FIRST_KEY,
    lifetime((_call, _entry, at) => at),
  ),
  command('persist', 2, ['write', 'fast'], FIRST_KEY, persist),
]
