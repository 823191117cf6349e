/**
 * Can this server carry a run? Asked before anything is run.
 *
 * Refuses what would spoil a verdict: a version without XAUTOCLAIM, a policy that evicts keys, a
 * replica, a cluster (a claim's keys need one slot). Answers what the run has to know: whether the
 * server tells expiries as instants, and how far its clock is from ours.
 */

import { isError, type Reply } from '../wire/resp.ts'
import { RealRefusal } from './real-refusal.ts'
import type { RedisAddress } from './redis-address.ts'
import type { RedisLink } from './redis-link.ts'

/** XAUTOCLAIM came with it. */
const OLDEST = [6, 2] as const
const CLOCK_SAMPLES = 7

export interface Survey {
  readonly version: string
  /** From 7.0 on: PEXPIRETIME. */
  readonly tellsExpiry: boolean
  /** Server's Unix µs minus our `performance.now()` in µs. */
  readonly clockOffsetUs: number
}

/** Throws RealRefusal. */
export async function survey(link: RedisLink, address: RedisAddress): Promise<Survey> {
  const facts = new Map<string, string>()
  for (const section of ['server', 'memory', 'replication', 'cluster']) {
    const said = await link.send('INFO', section)
    if (isError(said)) throw notPermitted(address, 'INFO', said.text)
    for (const [, name, value] of String(said).matchAll(/^(\w+):(.*?)\r?$/gm)) {
      facts.set(name ?? '', value ?? '')
    }
  }
  const version = facts.get('redis_version') ?? '0'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const refuse = (message: string, expected: string, got: string, next: string): never => {
    throw new RealRefusal(message, { expected, got: `${got} (${address.shown})`, next })
  }
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    refuse(
      'The Redis server is too old: it has no XAUTOCLAIM.',
      `version ${OLDEST.join('.')} or newer`,
      version,
      'point REDIS_URL at a newer server; compose.yaml of the lab starts one',
    )
  }
  const policy = facts.get('maxmemory_policy') ?? 'noeviction'
  if (policy !== 'noeviction') {
    refuse(
      'The Redis server may evict keys, and a lease that it evicts is a lease that two workers hold.',
      'maxmemory-policy noeviction',
      policy,
      'redis-cli config set maxmemory-policy noeviction, or another server',
    )
  }
  if (facts.get('role') === 'slave') {
    refuse(
      'The Redis server is a replica, which takes no writes.',
      'a primary',
      'role:slave',
      'point REDIS_URL at the primary',
    )
  }
  if (facts.get('cluster_enabled') === '1') {
    refuse(
      'The Redis server is part of a cluster: the keys of one claim lie in several slots there.',
      'a server on its own',
      'cluster_enabled:1',
      'point REDIS_URL at a server on its own',
    )
  }
  const tellsExpiry = major >= 7
  return { version, tellsExpiry, clockOffsetUs: await clockOffset(link, address) }
}

/** Of the samples the one whose answer came quickest is the most exact. */
async function clockOffset(link: RedisLink, address: RedisAddress): Promise<number> {
  let best = { tripUs: Number.POSITIVE_INFINITY, offsetUs: 0 }
  for (let n = 0; n < CLOCK_SAMPLES; n += 1) {
    const sentUs = performance.now() * 1000
    const said = await link.send('TIME')
    const tripUs = performance.now() * 1000 - sentUs
    if (isError(said)) throw notPermitted(address, 'TIME', said.text)
    if (tripUs >= best.tripUs) continue
    best = { tripUs, offsetUs: unixUs(said) - (sentUs + tripUs / 2) }
  }
  return best.offsetUs
}

function unixUs(reply: Reply): number {
  const [seconds, micros] = reply as readonly Reply[]
  return Number(String(seconds)) * 1e6 + Number(String(micros))
}

export function notPermitted(address: RedisAddress, command: string, said: string): RealRefusal {
  return new RealRefusal(`The Redis server does not let this user call ${command}.`, {
    expected: 'a user that may call INFO, TIME, SCAN, UNLINK, EVAL, CLIENT SETNAME and CLIENT LIST',
    got: `${said} (${address.shown})`,
    next: 'give the user these commands, or name another in REDIS_URL',
  })
}
