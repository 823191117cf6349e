/**
 * A thread of a world child that ends the child when its judge is gone.
 *
 * A judge that was killed outright can take nobody along, and a world that hangs would go on for
 * ever: its own thread never looks up. This one does, twice a second. It touches nothing of the
 * world. Not on Windows, where a process keeps the number of a parent that is gone.
 */

import { workerData } from 'node:worker_threads'

const LOOK_EVERY_MS = 500
const judge: unknown = workerData

setInterval(() => {
  if (process.ppid !== judge) process.kill(process.pid, 'SIGKILL')
}, LOOK_EVERY_MS)
