/**
 * Histories told in the words of the domain, for tests of invariants: who is granted, handed, writes.
 * One resource (`131`), one conversation (`run-u-1`), TTL 30 s, unless said otherwise.
 */

import type { Setting } from '../../src/judge/setting.ts'
import type { ReplyValue } from '../../src/trace/events.ts'
import { TraceScript } from '../trace/trace-script.ts'

export const A = 'worker-a'
export const B = 'worker-b'
export const TTL_MS = 30_000
export const RUN = 'run-u-1'
const RESOURCE = '131'
const stream = (resource: string) => `runs:${resource}`

export const SETTING: Setting = {
  leases: {
    keyStart: 'lease:',
    separator: '|',
    counterStart: 'fence',
    ttlMs: TTL_MS,
    sweepMs: 5000,
    staged: ['staged'],
  },
  messages: {
    keyStart: 'runs:',
    group: 'workers',
    fields: { run: 'run', seq: 'seq' },
    deadLetterStart: 'dead',
    published: { server: 'gateway', path: '/messages', status: 202, resource: 'shard' },
  },
  store: {
    server: 'store',
    write: {
      path: '/messages',
      resource: 'shard',
      token: 'token',
      run: 'run',
      seq: 'seq',
      rows: 'rows',
    },
    plant: { path: '/plant', resource: 'shard', token: 'token' },
    refusedStatus: 409,
  },
  beliefs: {
    held: 'lease.held',
    lost: 'lease.lost',
    began: 'handler.start',
    resource: 'shard',
    run: 'run',
    seq: 'seq',
    selfStop: true,
  },
  bounds: {
    latencyMs: 500,
    longestHandlingMs: 1000,
    selfStopMs: 20_000,
    watchMs: 2000,
    graceMs: 25_000,
  },
  workers: { [A]: { share: 2, resources: null }, [B]: { share: 2, resources: null } },
  health: { livenessPath: '/healthz', dependencies: ['redis', 'store'], wedgedAfterMs: 10_000 },
  environments: [
    { name: 'prod', keyPrefix: 'prod:', processes: ['prod-a', 'prod-b'] },
    { name: 'dev', keyPrefix: 'dev:', processes: ['dev-a'] },
  ],
  panel: {
    server: 'panel',
    path: '/workers',
    list: 'workers',
    worker: 'name',
    state: 'state',
    alive: ['busy', 'idle'],
    beatStart: 'beat:',
    staleMs: 15_000,
  },
  boot: {
    ready: 'worker.ready',
    shardCount: { key: 'shard-count', count: 256 },
    maxmemoryPolicy: true,
    started: { [A]: { drainMs: 20_000, graceMs: 25_000, keyPrefix: 'prod:' } },
  },
}

export class Story extends TraceScript {
  /** A lease is granted, whatever was there before. */
  grant(who: string, token: number, ttlMs: number | null = TTL_MS, resource = RESOURCE): this {
    const key = `lease:${resource}`
    const expireAtMs = ttlMs === null ? null : this.nowMs + ttlMs
    const set = { op: 'set', key, value: `${who}|${token}`, expireAtMs } as const
    return this.redis(who, ['EVAL', 'claim', '1', key, who], token, set)
  }

  /** The lease that is there gets more time by somebody's command. */
  renew(who: string, argument = '', ttlMs = TTL_MS): this {
    const key = `lease:${RESOURCE}`
    const expire = { op: 'expire', key, expireAtMs: this.nowMs + ttlMs } as const
    return this.redis(who, ['EVAL', 'renew', '1', key, argument], 1, expire)
  }

  release(who: string, argument = ''): this {
    const key = `lease:${RESOURCE}`
    return this.redis(who, ['EVAL', 'release', '1', key, argument], 1, { op: 'del', key })
  }

  lapses(): this {
    return this.lapsed(`lease:${RESOURCE}`)
  }

  holds(who: string, shard: string | number = 131): this {
    return this.said(who, 'lease.held', { shard })
  }

  loses(who: string, shard: string | number = 131): this {
    return this.said(who, 'lease.lost', { shard })
  }

  publish(seq: number, run = RUN): this {
    return this.post('customer', 'gateway', '/messages', {}, 202, { run, seq, shard: 131 })
  }

  /** Entries are handed out; their ids follow their seqs unless `ids` says otherwise. */
  hand(who: string, seqs: readonly number[], run = RUN, ids: readonly string[] = []): this {
    const entries = seqs.map((seq, at) => [ids[at] ?? `${seq}-0`, ['run', run, 'seq', String(seq)]])
    const key = stream(RESOURCE)
    const argv = ['XREADGROUP', 'GROUP', 'workers', who, 'BLOCK', '1000', 'STREAMS', key, '>']
    return this.redis(who, argv, [[key, entries]] as ReplyValue, { op: 'write', key })
  }

  /** Entries change hands. */
  claim(who: string, seqs: readonly number[], run = RUN): this {
    const entries = seqs.map((seq) => [`${seq}-0`, ['run', run, 'seq', String(seq)]])
    const key = stream(RESOURCE)
    const argv = ['XAUTOCLAIM', key, 'workers', who, '0', '0-0']
    return this.redis(who, argv, ['0-0', entries, []] as ReplyValue, { op: 'write', key })
  }

  /** A plain XACK, or with a token a script that carries the lease's value. */
  acknowledge(who: string, seq: number, token: number | null = null): this {
    const key = stream(RESOURCE)
    const plain = ['XACK', key, 'workers', `${seq}-0`]
    const script = ['EVAL', 'ack', '2', `lease:${RESOURCE}`, key, `${who}|${token}`, 'workers']
    const argv = token === null ? plain : [...script, `${seq}-0`]
    return this.redis(who, argv, 1, { op: 'write', key })
  }

  bury(who: string, seq: number, run = RUN): this {
    const key = 'dead'
    return this.redis(who, ['XADD', key, '*', 'run', run, 'seq', String(seq)], '9-0', {
      op: 'write',
      key,
    })
  }

  plant(who: string, token: number): this {
    return this.post(who, 'store', '/plant', { shard: 131, token }, 200)
  }

  write(
    who: string,
    token: number,
    seq: number,
    answer: 'accepted' | 'refused' = 'accepted',
  ): this {
    const row = { shard: 131, token, run: RUN, seq }
    if (answer === 'refused') return this.post(who, 'store', '/messages', row, 409, { rows: [] })
    return this.post(who, 'store', '/messages', row, 200, { rows: [[RUN, seq, token]] })
  }

  begins(who: string, seq: number): this {
    return this.said(who, 'handler.start', { shard: 131, run: RUN, seq })
  }

  alive(who: string, status: number): this {
    return this.get('kubelet', who, '/healthz', status, {})
  }
}
