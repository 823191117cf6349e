/** SET with all its options, GETEX, and their older shapes SETNX, SETEX, PSETEX. Source: t_string.c. */
import { OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, FIRST_KEY, kept, keyOf, word } from '../command.ts'
import { SYNTAX } from '../errors.ts'
import type { Int } from '../integers.ts'
import { EX, EXAT, type ExpireUnit, expireAtMs, PX, PXAT } from './expire-time.ts'

const UNITS: Readonly<Record<string, ExpireUnit>> = { ex: EX, px: PX, exat: EXAT, pxat: PXAT }

interface SetOptions {
  onlyIf: 'absent' | 'present' | null
  get: boolean
  keepTtl: boolean
  persist: boolean
  expire: { readonly unit: ExpireUnit; readonly bytes: Buffer } | null
}

function parseOptions(call: Call, from: number, allowed: 'set' | 'getex'): SetOptions {
  const options: SetOptions = {
    onlyIf: null,
    get: false,
    keepTtl: false,
    persist: false,
    expire: null,
  }
  for (let i = from; i < call.args.length; i++) {
    const name = word(call.args[i])
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined
    const expiryFree =
      !options.keepTtl && !options.persist && (options.expire?.unit ?? unit) === unit
    if (allowed === 'set' && (name === 'nx' || name === 'xx')) {
      const onlyIf = name === 'nx' ? 'absent' : 'present'
      if (options.onlyIf !== null && options.onlyIf !== onlyIf) throw SYNTAX
      options.onlyIf = onlyIf
    } else if (allowed === 'set' && name === 'get') options.get = true
    else if (allowed === 'set' && name === 'keepttl' && options.expire === null) {
      options.keepTtl = true
    } else if (allowed === 'getex' && name === 'persist' && options.expire === null) {
      options.persist = true
    } else if (unit !== undefined && expiryFree && i + 1 < call.args.length) {
      options.expire = { unit, bytes: call.args[++i] as Buffer }
    } else throw SYNTAX
  }
  return options
}

function expiryOf(call: Call, options: SetOptions, name: string): Int | null {
  if (options.expire === null) return null
  return expireAtMs(call, options.expire.bytes, options.expire.unit, name, true)
}

function runSet(call: Call): Reply {
  const options = parseOptions(call, 3, 'set')
  const expireAt = expiryOf(call, options, 'set')
  const key = keyOf(call)
  const old = options.get ? (call.db.string(key) ?? null) : null
  const entry = call.db.find(key)
  if (options.onlyIf !== null && (options.onlyIf === 'absent') === (entry !== undefined)) return old
  const keepUntil = options.keepTtl ? (entry?.expireAtMs ?? null) : expireAt
  store(call, key, call.args[2] as Buffer, keepUntil)
  return options.get ? old : OK
}

/** An instant that is not in the future deletes the key that has just been written. */
function store(call: Call, key: string, bytes: Buffer, expireAt: Int | null): void {
  call.db.setString(key, kept(bytes), expireAt)
}

function runGetEx(call: Call): Reply {
  const options = parseOptions(call, 2, 'getex')
  const key = keyOf(call)
  const bytes = call.db.string(key)
  if (bytes === undefined) return null
  const expireAt = expiryOf(call, options, 'getex')
  const entry = call.db.find(key)
  if (entry === undefined) return bytes
  if (options.expire !== null && expireAt !== null) {
    if (!options.expire.unit.relative && expireAt <= call.clock.nowMs) call.db.remove(key)
    else call.db.setExpiry(key, entry, expireAt)
  } else if (options.persist && entry.expireAtMs !== null) call.db.setExpiry(key, entry, null)
  return bytes
}

function runSetNx(call: Call): Reply {
  const key = keyOf(call)
  if (call.db.find(key) !== undefined) return 0
  store(call, key, call.args[2] as Buffer, null)
  return 1
}

function setWithTtl(name: string, unit: ExpireUnit) {
  return (call: Call): Reply => {
    const expireAt = expireAtMs(call, call.args[2] as Buffer, unit, name, true)
    store(call, keyOf(call), call.args[3] as Buffer, expireAt)
    return OK
  }
}

export const set = [
  command('set', -3, ['write'], FIRST_KEY, runSet),
  command('getex', -2, ['write', 'fast'], FIRST_KEY, runGetEx),
  command('setnx', 3, ['write', 'fast'], FIRST_KEY, runSetNx),
  command('setex', 4, ['write'], FIRST_KEY, setWithTtl('setex', EX)),
  command('psetex', 4, ['write'], FIRST_KEY, setWithTtl('psetex', PX)),
]
