/**
 * What all ways to the Redis of one real run share: its key space, its trace, its turnstile.
 */

import type { Recorder } from '../trace/recorder.ts'
import type { RedisLink } from './redis-link.ts'
import type { RedisTruth } from './redis-truth.ts'
import type { Turnstile } from './turnstile.ts'

export interface RedisRun {
  /** Its name in scenarios and trace. */
  readonly server: string
  /** In front of every key. */
  readonly prefix: string
  readonly record: Recorder['record']
  /** A command, what it changed and its answer are one instant, as they are for the server. */
  readonly atOneInstant: (tell: () => void) => void
  readonly truth: RedisTruth
  /** One connection at a time has commands at the server that do not block. */
  readonly turnstile: Turnstile
  /** The run's own connection. */
  readonly control: RedisLink
  readonly open: () => Promise<RedisLink>
  readonly nextCommand: () => number
  readonly nextConn: () => number
  /** A bug of ours: ends the run. */
  readonly fail: (error: Error) => void
}
