/**
 * Holds a lease of 30 s for as long as it can, and says what it believes. For `leaselab run`, with two
 * of it and a freeze of the holder: an ordinary Node program, wrong on purpose. It renews without
 * asking whose lease it is, so one that wakes up late takes back what another holds by now.
 */

import { hostname } from 'node:os'
import { Redis } from 'ioredis'

const KEY = 'lease'
const TTL_MS = 30_000
const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const me = hostname()
const began = Date.now()
let held = false

function say(what: string): void {
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${what}`)
}

setInterval(async () => {
  if (held) {
    await redis.set(KEY, me, 'PX', TTL_MS)
  } else if ((await redis.set(KEY, me, 'PX', TTL_MS, 'NX')) === 'OK') {
    held = true
    say('holds the lease')
  }
}, 5000)
setTimeout(async () => {
  say(`${held ? 'believes that it holds it' : 'holds nothing'}; Redis says ${await redis.get(KEY)}`)
  redis.disconnect()
  process.exit(0)
}, 60_000)
