/**
 * pino to stdout by its synchronous destination, and to a collector over TCP; this process is killed
 * at 5 s and starts anew at 6 s. Its transports are worker threads, which a world has not.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'

const out = pino(
  { base: { app: 'sample' }, timestamp: pino.stdTimeFunctions.isoTime },
  pino.destination({ fd: 1, sync: true }),
)
assert.throws(
  () => pino({ transport: { target: 'pino/file', options: { destination: 1 } } }),
  /worker_threads\.Worker does not exist inside the world .*pino\.mjs:\d+/,
)

await pause(200)
const socket = net.connect(5170, 'collector')
await once(socket, 'connect')
const log = pino({ level: 'info', redact: ['user.password'] }, socket)
const child = log.child({ part: 'child' })
log.debug('not told')
log.info({ user: { name: 'a', password: 'secret' } }, 'hello %s', 'world')
child.error(new RangeError('too far'))
for (let n = 1; n <= 20; n += 1) {
  child.info({ n }, 'tick')
  out.info({ n, bytes: Buffer.from('ab') }, 'tick')
  await pause(500)
}
out.flush()
log.warn('done')
