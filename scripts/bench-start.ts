/** Measured by `leaselab bench`: a process that loads ioredis, makes a client and leaves. */

import { Redis } from 'ioredis'

new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { lazyConnect: true }).disconnect()
