/** I16: a program that was set up wrongly refuses to start. */

import type { RedisCommand } from '../../trace/events.ts'
import type { History, RedisExchange } from '../../trace/history.ts'
import { type Life, livesOf, type Moment } from '../facts/lives.ts'
import type { BootSetting, StartedWith } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, type Violation, verdict, violation } from './invariant.ts'

export const bootChecks: Invariant = {
  id: 'I16',
  name: 'boot checks',
  sentence:
    'A program starts only if its drain fits into the grace, the stored shard count is its own, its prefix is not empty and Redis evicts nothing; and its blocking reads have a connection of their own.',
  scope:
    'What programs were started with, what they read of the stored shard count and of maxmemory-policy, whether they went on (said that they are ready, or claimed or read), and what else was sent over connections that read blocking.',
  check(history, setting) {
    const { boot } = setting
    if (!boot) return notApplicable('the lab states no boot checks')
    const rules = [...figures(history, boot), ...replies(history, boot), ...connections(history)]
    if (rules.length === 0) {
      return notApplicable('nothing in this run tells of a boot check or of a blocking read')
    }
    const violations = rules.flatMap(({ broken }) => (broken ? [broken] : []))
    return verdict(rules.length, violations, 'no boot check was seen')
  },
}

interface Looked {
  readonly broken: Violation | null
}

/** Programs whose own figures are wrong must not become ready. */
function figures(history: History, boot: BootSetting): readonly Looked[] {
  return livesOf(history).flatMap((life) => {
    const started = boot.started[life.process]
    if (!started) return []
    const wrong = wrongFigure(started)
    const ready = wrong === null ? null : wentOn(history, life, life.from, boot)
    return [{ broken: ready && wrong ? refusedNot(life, life.from, ready, wrong) : null }]
  })
}

function wrongFigure({ drainMs, graceMs, preStopMs = 0, keyPrefix }: StartedWith): string | null {
  if (keyPrefix === '') return 'its key prefix is empty'
  if (drainMs === undefined || graceMs === undefined || drainMs < graceMs - preStopMs) return null
  return `its drain of ${drainMs} ms does not fit into a grace of ${graceMs} ms${preStopMs > 0 ? ` less ${preStopMs} ms of preStop` : ''}`
}

/** What a program was told by Redis must be what it needs, or it must not go on. */
function replies(history: History, boot: BootSetting): readonly Looked[] {
  return livesOf(history).flatMap((life) => {
    const own = history.redis
      .exchanges(life.process)
      .filter(({ command }) => command.incarnation === life.incarnation)
    return own.flatMap((exchange): Looked[] => {
      const wrong = wrongReply(exchange, boot)
      if (wrong === undefined) return []
      const at = exchange.answer!
      const ready = wrong === null ? null : wentOn(history, life, at, boot)
      return [{ broken: ready && wrong ? refusedNot(life, at, ready, wrong) : null }]
    })
  })
}

/** Undefined: not one of the questions. Null: the answer is as it must be. */
function wrongReply(
  { command, answer }: RedisExchange,
  { shardCount, maxmemoryPolicy }: BootSetting,
): string | null | undefined {
  const [name, key, what] = command.argv
  const reply = answer?.reply
  if (shardCount && name === 'GET' && key === shardCount.key && typeof reply === 'string') {
    if (reply === String(shardCount.count)) return null
    return `the stored shard count is ${reply} and not its own ${shardCount.count}`
  }
  if (!maxmemoryPolicy || name !== 'CONFIG' || what?.toLowerCase() !== 'maxmemory-policy') {
    return undefined
  }
  const policy = Array.isArray(reply) ? reply[1] : undefined
  if (policy === undefined) return undefined
  return policy === 'noeviction' ? null : `maxmemory-policy is ${String(policy)}`
}

/** Where a life shows after `since` that it did not refuse: it is ready, or it claims or reads. */
function wentOn(history: History, life: Life, since: Moment, boot: BootSetting): Moment | null {
  const mine = <T extends { readonly incarnation: number; readonly i: number }>(each: T) =>
    each.incarnation === life.incarnation && each.i > since.i
  const ready = history.output.said(life.process, boot.ready).find(mine) ?? null
  const read = history.redis
    .exchanges(life.process)
    .map(({ command }) => command)
    .find((command) => mine(command) && isRead(command))
  if (!ready || !read) return ready ?? read ?? null
  return ready.i < read.i ? ready : read
}

function refusedNot(life: Life, at: Moment, ready: Moment, why: string): Violation {
  return violation({
    of: [at, ready],
    actors: [life.process],
    resource: life.process,
    sentence: `${life.process} went on at ${sec(ready.t)} although ${why}, as it could know at ${sec(at.t)}: it had to refuse to start`,
  })
}

/** Each connection that reads blocking, and the first other command on it. */
function connections(history: History): readonly Looked[] {
  const reading = new Map<string, RedisCommand>()
  const others = new Map<string, RedisCommand>()
  for (const { command } of history.redis.exchanges()) {
    const key = `${command.process} ${command.incarnation} ${command.conn}`
    if (isBlocking(command)) {
      if (!reading.has(key)) reading.set(key, command)
    } else if (!ON_ANY_CONNECTION.has(command.argv[0] ?? '') && !isRead(command)) {
      if (!others.has(key)) others.set(key, command)
    }
  }
  return [...reading].map(([key, read]) => {
    const other = others.get(key)
    if (!other) return { broken: null }
    const { process } = read
    const [name] = other.argv
    return {
      broken: violation({
        of: [read, other],
        actors: [process],
        resource: `connection ${read.conn}`,
        sentence: `${process} sent ${name} at ${sec(other.t)} over connection ${read.conn}, on which it reads blocking (at ${sec(read.t)}): such a command queues behind the read`,
      }),
    }
  })
}

/** What a client sends over any connection to set it up. */
const ON_ANY_CONNECTION = new Set('AUTH CLIENT HELLO INFO PING QUIT SELECT'.split(' '))

function isRead({ argv }: RedisCommand): boolean {
  return /^(XREAD|XREADGROUP|BLPOP|BRPOP|BLMOVE|BZPOPMIN|BZPOPMAX)$/.test(argv[0] ?? '')
}

function isBlocking(command: RedisCommand): boolean {
  if (!isRead(command)) return false
  const [name = ''] = command.argv
  return name.startsWith('B') || command.argv.some((arg) => arg.toUpperCase() === 'BLOCK')
}
