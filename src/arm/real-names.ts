/**
 * Where the names of a scenario lead on one machine: ports, and environments that speak of them.
 *
 * In a world every process is a host of its own. Here all share loopback, so `redis:6379` and
 * `store:7310` in an environment are replaced by the address of a proxy, one for each who asks, and
 * the `PORT` that a process is to listen on by a free one. `KEY_PREFIX` gets the run's own in front.
 * Ports are taken below the range from which the system draws for outgoing connections, since a proxy
 * takes its port long before it listens there.
 */

import net from 'node:net'
import type { ProcessSpec } from '../scenario/scenario.ts'

const LOWEST_PORT = 21_000
const HIGHEST_PORT = 31_999
/** Of the machine, not of a world: two runs at a time must not begin at the same port. */
let nextPort = LOWEST_PORT + (process.pid % (HIGHEST_PORT - LOWEST_PORT))

/** A port of loopback where nobody listens, answered to one caller only. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < HIGHEST_PORT - LOWEST_PORT; tries += 1) {
    nextPort = nextPort >= HIGHEST_PORT ? LOWEST_PORT : nextPort + 1
    if (await isFree(nextPort)) return nextPort
  }
  throw new Error(`no port from ${LOWEST_PORT} to ${HIGHEST_PORT} is free`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', () => resolve(false))
    // Where a program would listen: on all addresses.
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

/** Whether somebody listens there. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** The port that a process of a scenario serves on, or null. */
export function servedPort(spec: ProcessSpec): number | null {
  const port = Number(spec.env?.PORT)
  return Number.isInteger(port) && port > 0 ? port : null
}

/** `host:port` where it stands as a place in an address, not as a part of another word. */
function placePattern(place: string): RegExp {
  const literal = place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<=//|@|,|^)${literal}(?![\\w.:-])`, 'g')
}

export function mentions(env: Readonly<Record<string, string>>, place: string): boolean {
  return Object.values(env).some((value) => placePattern(place).test(value))
}

/** The environment of a real process. `places`: what `host:port` is here. */
export function realEnvironment(
  env: Readonly<Record<string, string>>,
  places: ReadonlyMap<string, string>,
  port: number | null,
  prefix: string,
): Readonly<Record<string, string>> {
  const told: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    told[name] = value
    for (const [place, real] of places) {
      told[name] = told[name].replace(placePattern(place), real)
    }
  }
  if (port !== null) told.PORT = String(port)
  told.KEY_PREFIX = prefix + (env.KEY_PREFIX ?? '')
  return told
}
