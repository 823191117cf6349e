/**
 * Connections to Redis. A worker has two: one for commands, and one that does nothing but blocking
 * reads, since a renewal that queues behind a read would come too late.
 *
 * Outages end no program: ioredis connects again by itself, and what was under way is rejected
 * meanwhile, which a caller takes as "unknown".
 */

import { Redis } from 'ioredis'
import { say } from './log.ts'

/** For short commands. What waits for an answer when the connection breaks is sent again. */
export function connectForCommands(url: string): Redis {
  return watched(new Redis(url, { maxRetriesPerRequest: 3, retryStrategy }), 'commands')
}

/**
 * For blocking reads. Nothing is sent again here: a read whose answer was lost has left entries
 * pending with us, which must be fetched before anything newer is asked for.
 */
export function connectForReads(url: string): Redis {
  const options = { maxRetriesPerRequest: 3, retryStrategy, autoResendUnfulfilledCommands: false }
  return watched(new Redis(url, options), 'reads')
}

function retryStrategy(attempt: number): number {
  return Math.min(attempt * 50, 1000)
}

function watched(redis: Redis, connection: string): Redis {
  let lastText = ''
  redis.on('error', (error: Error) => {
    const text = error.message || error.name
    if (text !== lastText) say('redis.error', { connection, error: text })
    lastText = text
  })
  redis.on('ready', () => {
    lastText = ''
  })
  return redis
}
