/**
 * The key space of one run on a real server: every key begins with `leaselab:<id>:`.
 *
 * A run gives its connection the name of its space before the first key, and the server forgets that
 * name when the connection ends, however it ended. So at the next start whatever carries an id that
 * no connection bears is left over from a run that was killed, and is removed; other runs of this
 * minute, from this machine or another, are left alone. Only keys of exactly that shape are touched.
 */

import { randomBytes } from 'node:crypto'
import { isError, type Reply } from '../wire/resp.ts'
import type { RedisAddress } from './redis-address.ts'
import type { RedisLink } from './redis-link.ts'
import { notPermitted } from './redis-survey.ts'

const MARK = 'leaselab'
const SPACE = new RegExp(`^(${MARK}:[0-9a-f]{16}):`)
const PAGE = '1000'

export interface RedisSpace {
  /** In front of every key of the run, e.g. `leaselab:0123456789abcdef:`. */
  readonly prefix: string
}

/** Takes a fresh space; it stays taken while `link` is open. */
export async function takeSpace(link: RedisLink, address: RedisAddress): Promise<RedisSpace> {
  const name = `${MARK}:${randomBytes(8).toString('hex')}`
  await ask(link, address, 'CLIENT', 'SETNAME', name)
  return { prefix: `${name}:` }
}

/** Removes the keys of a space; answers how many there were. */
export async function emptySpace(
  link: RedisLink,
  address: RedisAddress,
  { prefix }: RedisSpace,
): Promise<number> {
  return await removeKeys(link, address, `${prefix}*`, (key) => key.startsWith(prefix))
}

/** Removes what runs left behind that are no more; answers how many keys there were. */
export async function removeLeftovers(link: RedisLink, address: RedisAddress): Promise<number> {
  let living: Set<string> | null = null
  const found = new Set<string>()
  for await (const key of keysLike(link, address, `${MARK}:*`)) {
    const space = SPACE.exec(key)?.[1]
    if (space !== undefined) found.add(space)
  }
  if (found.size === 0) return 0
  // Asked after the keys were seen: a space that was taken since then has none among them.
  living = await livingSpaces(link, address)
  let removed = 0
  for (const space of found) {
    if (!living.has(space)) removed += await emptySpace(link, address, { prefix: `${space}:` })
  }
  return removed
}

async function livingSpaces(link: RedisLink, address: RedisAddress): Promise<Set<string>> {
  const list = String(await ask(link, address, 'CLIENT', 'LIST'))
  return new Set([...list.matchAll(/ name=(\S+)/g)].map(([, name]) => name ?? ''))
}

async function removeKeys(
  link: RedisLink,
  address: RedisAddress,
  pattern: string,
  isOurs: (key: string) => boolean,
): Promise<number> {
  let removed = 0
  let keys: string[] = []
  const remove = async (): Promise<void> => {
    if (keys.length > 0) removed += Number(await ask(link, address, 'UNLINK', ...keys))
    keys = []
  }
  for await (const key of keysLike(link, address, pattern)) {
    if (isOurs(key)) keys.push(key)
    if (keys.length >= 500) await remove()
  }
  await remove()
  return removed
}

async function* keysLike(
  link: RedisLink,
  address: RedisAddress,
  pattern: string,
): AsyncGenerator<string> {
  let cursor = '0'
  do {
    const page = await ask(link, address, 'SCAN', cursor, 'MATCH', pattern, 'COUNT', PAGE)
    const [next, keys] = page as readonly [Reply, readonly Buffer[]]
    for (const key of keys) yield key.toString('latin1')
    cursor = String(next)
  } while (cursor !== '0')
}

async function ask(link: RedisLink, address: RedisAddress, ...args: string[]): Promise<Reply> {
  const reply = await link.send(...args)
  if (isError(reply)) throw notPermitted(address, args.slice(0, 2).join(' '), reply.text)
  return reply
}
