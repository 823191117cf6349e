/**
 * Each check's judge on traces written by hand: one that holds, those that do not, and those that
 * prove nothing.
 */

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { judgeClaim } from '../../../labs/agent-30days/day-10-sharding-lease/checks/claim.ts'
import {
  judgeFence,
  PROBE_WRITES,
} from '../../../labs/agent-30days/day-10-sharding-lease/checks/fence.ts'
import { judgeOrder } from '../../../labs/agent-30days/day-10-sharding-lease/checks/order.ts'
import { judgeRenewal } from '../../../labs/agent-30days/day-10-sharding-lease/checks/renewal.ts'
import { judgeSpread } from '../../../labs/agent-30days/day-10-sharding-lease/checks/spread.ts'
import { judgeTogether } from '../../../labs/agent-30days/day-10-sharding-lease/checks/together.ts'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import { History } from '../../../src/trace/history.ts'
import { TraceScript } from '../../trace/trace-script.ts'

const TTL_MS = 30_000
const LEASE = 'lease:shard:131'
const STREAM = 'koda:runs:s131'
const A = 'worker-a'
const B = 'worker-b'

const claimed = (who: string, token: number, expireAtMs: number | null, key = LEASE) =>
  ({ op: 'set', key, value: `${who}|${token}`, expireAtMs }) as const

describe('check 1, spread', () => {
  const probe = (place: (userId: string) => number, count = 256, script = new TraceScript()) => {
    script.said('probe', 'shard.count', { count })
    const drawn = Array.from({ length: 24 }, (_, n) => `user-${n * 7919}`)
    for (const userId of ['u-1001', 'ü-1', ...drawn]) {
      script.said('probe', 'shard', { userId, shard: place(userId) })
    }
    for (let first = 1000; first < 3000; first += 100) {
      const shards = Array.from({ length: 100 }, (_, i) => place(`u-${first + i}`))
      script.said('probe', 'shards', { first, shards })
    }
    return judgeSpread(new History(script.events))
  }
  const digest = (userId: string, encoding: 'utf8' | 'latin1' = 'utf8', hash = 'sha1') =>
    createHash(hash).update(Buffer.from(userId, encoding)).digest().readUInt32BE(0) % 256

  it('holds for the agreed formula, with the agreed figures', () => {
    const finding = probe((userId) => digest(userId))
    expect(finding.status).toBe('held')
    expect(finding.got).toBe('256/256 shards occupied, largest bucket 17')
  })

  it('is violated by the length of the id, with its figures', () => {
    const finding = probe((userId) => userId.length % 256)
    expect(finding).toMatchObject({
      status: 'violated',
      got: '1/256 shards occupied, largest bucket 2,000',
    })
    expect(finding.hint).toContain('SHA-1')
  })

  it('is violated by another digest, although that spreads as well', () => {
    expect(probe((userId) => digest(userId, 'utf8', 'md5')).status).toBe('violated')
  })

  it('is violated by bytes that are not UTF-8, which only an odd id shows', () => {
    const finding = probe((userId) => digest(userId, 'latin1'))
    expect(finding).toMatchObject({ status: 'violated' })
    expect(finding.got).toContain('ü-1')
  })

  it('is violated by another shard count', () => {
    const finding = probe((userId) => digest(userId), 512)
    expect(finding).toMatchObject({ status: 'violated', got: 'SHARD_COUNT is 512' })
  })

  it('is violated by a table of the users that are always asked', () => {
    const finding = probe((userId) => (/^u-|^ü/.test(userId) ? digest(userId) : 0))
    expect(finding).toMatchObject({ status: 'violated' })
  })

  it('is violated by a user with two answers, whichever comes first', () => {
    for (const place of [digest('u-1001'), 1]) {
      const script = new TraceScript().said('probe', 'shard', { userId: 'u-1001', shard: place })
      const finding = probe(
        (userId) => (userId === 'u-1001' ? 132 - place : digest(userId)),
        256,
        script,
      )
      expect(finding).toMatchObject({ status: 'violated', got: 'two answers for u-1001' })
    }
  })

  it('is violated by a second shard count, whichever comes first', () => {
    const script = new TraceScript().said('probe', 'shard.count', { count: 256 })
    expect(probe(digest, 1024, script)).toMatchObject({ got: 'SHARD_COUNT is 1024' })
  })

  it('proves nothing when the probe did not get to the end', () => {
    expect(judgeSpread(new History([])).status).toBe('inconclusive')
  })
})

describe('check 2, claim', () => {
  const ready = () => new TraceScript().said(A, 'worker.ready').said(B, 'worker.ready')
  const win = (
    script: TraceScript,
    who: string,
    shard: number,
    token: number,
    ttlMs: number | null = TTL_MS,
  ) => {
    const key = `lease:shard:${shard}`
    const minted = { op: 'set', key: 'lease:fence', value: String(token) } as const
    script.redis(who, ['EVAL'], token, minted, claimed(who, token, ttlMs, key))
    return script.said(who, 'lease.held', { shard, token })
  }
  const PROBED = 'lease:shard:300'
  /** The probes' claims: the second wins, the first comes too late, then from life to life. */
  const probe = (
    script: TraceScript,
    tokens: readonly number[] = [257, 258, 259],
    late?: number,
  ) => {
    const [one = 0, two = 0, three = 0] = tokens
    const take = (who: string, token: number) => {
      const minted = { op: 'set', key: 'lease:fence', value: String(token) } as const
      script.redis(who, ['EVAL'], token, minted, claimed(who, token, TTL_MS, PROBED))
      script.said(who, 'claim.answer', { token })
    }
    const clear = (who: string) => script.redis(who, ['DEL'], 1, { op: 'del', key: PROBED })
    take('probe-2', one)
    script.said('probe-1', 'claim.answer', { token: late ?? null })
    clear('probe-2')
    take('probe-2', two)
    clear('probe-3')
    take('probe-3', three)
    return script
  }
  const shared = () => {
    const script = ready()
    for (let n = 0; n < 256; n += 1) win(script, n % 2 ? A : B, n, n + 1)
    return script
  }
  const judge = (script: TraceScript) => judgeClaim(new History(script.events), TTL_MS)

  it('holds when each shard has one of the two, in belief and in truth', () => {
    expect(judge(probe(shared()))).toMatchObject({
      status: 'held',
      got: 'A holds 128, B holds 128, intersection 0, union 256',
    })
  })

  it('proves nothing when the probes did not get to the end', () => {
    expect(judge(shared()).status).toBe('inconclusive')
  })

  it('is violated when a claim that comes too late wins all the same', () => {
    const finding = judge(probe(shared(), [257, 258, 259], 260))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('came too late')
  })

  it.each([
    ['a token is used twice or goes back', [257, 257, 259]],
    ['a later life has a smaller token', [257, 258, 4]],
  ])('is violated when %s', (_, tokens) => {
    expect(judge(probe(shared(), tokens)).status).toBe('violated')
  })

  it('is violated by tokens that did not come from the counter', () => {
    const script = ready()
    for (let n = 0; n < 256; n += 1) {
      const who = n % 2 ? A : B
      script.redis(who, ['EVAL'], 1, claimed(who, n + 1, TTL_MS, `lease:shard:${n}`))
      script.said(who, 'lease.held', { shard: n, token: n + 1 })
    }
    const finding = judge(probe(script))
    expect(finding.got).toContain('did not come from the counter')
  })

  it('is violated when both take the same 128, and says that NX is missing', () => {
    const script = ready()
    for (let n = 0; n < 128; n += 1) win(script, A, n, n + 1)
    for (let n = 0; n < 128; n += 1) win(script, B, n, n + 129)
    const finding = judge(script)
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('A holds 128, B holds 128, intersection 128, union 128')
    expect(finding.got).toContain('NX is missing')
  })

  it('is violated by leases without an end, and by leases of another length', () => {
    for (const [ttlMs, text] of [
      [null, 'PX is missing'],
      [30, '30 ms instead of 30,000 ms'],
    ] as const) {
      const script = ready()
      for (let n = 0; n < 256; n += 1) win(script, n % 2 ? A : B, n, n + 1, ttlMs)
      const finding = judge(script)
      expect(finding.status).toBe('violated')
      expect(finding.got).toContain(text)
    }
  })

  it('is violated when a worker believes in a win that the server does not know', () => {
    const script = ready()
    for (let n = 0; n < 128; n += 1) win(script, A, n, n + 1)
    for (let n = 0; n < 128; n += 1)
      script.said(B, 'lease.held', { shard: n + 128, token: n + 129 })
    const finding = judge(script)
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('worker-b believes in shard 128')
  })

  it('is violated when free shards are left', () => {
    const script = ready()
    for (let n = 0; n < 200; n += 1) win(script, n < 128 ? A : B, n, n + 1)
    script.said(B, 'claim.failed', { error: 'ERR no such command' })
    const finding = judge(script)
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('ERR no such command')
  })

  it('proves nothing when a worker never became ready', () => {
    expect(judge(new TraceScript().said(A, 'worker.ready')).status).toBe('inconclusive')
  })
})

describe('check 3, renewal', () => {
  const PROBED = 'lease:shard:7'
  /** The probe's four questions, answered as given; the third at 2 s. */
  const probe = (script: TraceScript, answers: readonly number[], moves = true) => {
    const stored = (value: string) =>
      ({ op: 'set', key: PROBED, value, expireAtMs: 16_000 }) as const
    script.at(1000).redis('probe', ['SET', PROBED], { ok: 'OK' }, stored('probe|6'))
    if (moves) {
      const moved = { op: 'expire', key: PROBED, expireAtMs: 2000 + TTL_MS } as const
      script.at(2000).redis('probe', ['EVAL', PROBED], 1, moved)
    }
    script.redis('probe', ['SET', PROBED], { ok: 'OK' }, stored('other|6'))
    for (const [k, what] of ['absent', 'older token', 'mine', 'foreign'].entries()) {
      script.said('probe', 'renewal.answer', { what, answer: answers[k] })
    }
    return script
  }
  /** A holds and renews at 10 s, its next renewal is held up, B claims at 41 s, it is let through. */
  const story = (renews = true, answers: readonly number[] = [0, 0, 1, 0], moves = true) => {
    const script = new TraceScript().at(0).redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.said(A, 'lease.held', { shard: 131, token: 1 })
    probe(script, answers, moves)
    const renewed = { op: 'expire', key: LEASE, expireAtMs: 10_000 + TTL_MS } as const
    script.at(10_000)
    if (renews) script.redis(A, ['EVAL', LEASE, `${A}|1`], 1, renewed)
    else script.redis(A, ['EVAL', LEASE, `${A}|1`], 1)
    script.at(20_000).bit('hold-renewal', 'hold', A)
    script
      .at(41_000)
      .lapsed(LEASE)
      .redis(B, ['EVAL', LEASE], 2, claimed(B, 2, 71_000))
    script.said(B, 'lease.held', { shard: 131, token: 2 })
    return script.at(42_000).put({ kind: 'fault.released', step: 'hold-renewal' })
  }
  const drop = (script: TraceScript) =>
    script.said(A, 'lease.lost', { shard: 131, reason: 'renewal refused' })
  const judge = (script: TraceScript) => judgeRenewal(new History(script.events), TTL_MS)

  it('holds when the late renewal answers 0 and changes nothing, and A drops the shard', () => {
    expect(judge(drop(story().redis(A, ['EVAL', LEASE, `${A}|1`], 0))).status).toBe('held')
  })

  const late = (script: TraceScript) => drop(script.redis(A, ['EVAL', LEASE, `${A}|1`], 0))

  it('is violated when a renewal in good time does not extend the lease', () => {
    const finding = judge(late(story(false)))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('did not give the lease another 30,000 ms')
  })

  it('is violated when A gives the shard up after a renewal that took effect', () => {
    const script = new TraceScript().at(0).redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.said(A, 'lease.held', { shard: 131, token: 1 })
    const renewed = { op: 'expire', key: LEASE, expireAtMs: 10_000 + TTL_MS } as const
    const finding = judge(drop(script.at(10_000).redis(A, ['EVAL', LEASE], 1, renewed)))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('although the lease was still its own')
  })

  it('is violated by a comparison and an extension in two commands, although both are scripts', () => {
    const script = new TraceScript().at(0).redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.said(A, 'lease.held', { shard: 131, token: 1 })
    const renewed = { op: 'expire', key: LEASE, expireAtMs: 10_000 + TTL_MS } as const
    script.at(10_000).redis(A, ['EVAL', LEASE, `${A}|1`], 1)
    const finding = judge(script.redis(A, ['PEXPIRE', LEASE], 1, renewed))
    expect(finding.got).toBe('A’s renewal takes 2 commands (EVAL, PEXPIRE)')
  })

  it.each([
    ['an older token passes', [0, 1, 1, 0]],
    ['a foreign lease passes', [0, 0, 1, 1]],
    ['a lease that is not there passes', [1, 0, 1, 0]],
    ['its own does not', [0, 0, 0, 0]],
  ])('is violated when, asked directly, %s', (_, answers) => {
    const finding = judge(late(story(true, answers)))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('asked directly')
  })

  it('is violated when it answers 1 and extends nothing', () => {
    expect(judge(late(story(true, [0, 0, 1, 0], false))).status).toBe('violated')
  })

  it('is violated when the late PEXPIRE moves B’s expiry, with the amount', () => {
    const moved = { op: 'expire', key: LEASE, expireAtMs: 72_000 } as const
    const finding = judge(story().redis(A, ['PEXPIRE', LEASE, '30000'], 1, moved))
    expect(finding).toMatchObject({
      status: 'violated',
      got: 'A’s PEXPIRE answered 1, B’s expiry moved by 1,000 ms, A kept the shard',
    })
  })

  it('is violated by truth even when A says that it was refused', () => {
    const moved = { op: 'expire', key: LEASE, expireAtMs: 72_000 } as const
    const script = drop(story().redis(A, ['PEXPIRE', LEASE, '30000'], 1, moved))
    expect(judge(script).status).toBe('violated')
  })

  it('is violated when A writes its own lease over B’s', () => {
    const finding = judge(
      drop(story().redis(A, ['SET', LEASE], { ok: 'OK' }, claimed(A, 1, 72_000))),
    )
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('wrote over it')
  })

  it('is violated when A is refused and keeps the shard', () => {
    const finding = judge(story().redis(A, ['EVAL', LEASE, `${A}|1`], { error: 'ERR script' }))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('A kept the shard')
  })

  it('is violated when A sends nothing that extends its lease', () => {
    const script = new TraceScript().redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.said(A, 'lease.held', { shard: 131, token: 1 })
    script
      .at(31_000)
      .lapsed(LEASE)
      .redis(B, ['EVAL', LEASE], 2, claimed(B, 2, 61_000))
    expect(judge(script).status).toBe('violated')
  })

  it('proves nothing when A never held the shard, or B never took over', () => {
    expect(judge(new TraceScript()).status).toBe('inconclusive')
    const script = new TraceScript().redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.said(A, 'lease.held', { shard: 131 }).at(10_000).bit('hold-renewal', 'hold', A)
    expect(judge(script).status).toBe('inconclusive')
  })
})

describe('check 4, order', () => {
  const entry = (seq: number) => [`${seq}-0`, ['seq', String(seq)]] as const
  const read = (count = 6) => {
    const entries = Array.from({ length: count }, (_, i) => entry(i + 1))
    return new TraceScript().redis(A, ['XREADGROUP'], [[STREAM, entries]])
  }
  let commits = 0
  const write = (script: TraceScript, who: string, seq: number, outcome = 'accepted') => {
    commits += 1
    const wrote = outcome === 'accepted'
    return script.post(
      who,
      'store',
      '/messages',
      { shard: 131, token: 1, runId: 'run', seq },
      200,
      {
        outcome,
        commit: wrote ? commits : null,
        rows: wrote ? [['run', seq, 1]] : [],
      },
    )
  }
  const judge = (script: TraceScript) => judgeOrder(new History(script.events))
  const STEPS = {
    order: 'begin 1, end 1, begin 2, end 2, begin 3, end 3, begin 4, end 4, resolved',
    failure: 'begin 1, end 1, begin 2, fail 2, rejected',
  }
  const probe = (script: TraceScript, steps: Readonly<Record<string, string>> = STEPS) => {
    for (const [name, text] of Object.entries(steps)) {
      for (const what of text.split(', ')) script.said('probe', 'shard.step', { run: name, what })
    }
    return script.said('probe', 'shard.probed')
  }
  const run = (byA: readonly number[], byB: readonly number[], steps = STEPS) => {
    const script = probe(read(), steps)
    for (const seq of byA) write(script, A, seq)
    script.bit('kill-a', 'kill', A)
    for (const seq of byB) write(script, B, seq)
    return script
  }

  it('holds for six effects in order, the last three by B', () => {
    expect(judge(run([1, 2, 3], [4, 5, 6]))).toMatchObject({ status: 'held' })
  })

  it('is violated when a message is begun before the one before it is done, though none overtakes', () => {
    const script = run([1, 2, 3], [4, 5, 6])
    script.said(B, 'handler.start', { seq: 5 }).said(B, 'handler.start', { seq: 6 })
    expect(judge(script)).toMatchObject({ status: 'violated' })
    expect(judge(script).got).toContain('message 6 was begun before message 5 was done')
    const orderly = run([1, 2, 3], [4, 5, 6])
    for (const seq of [4, 5, 6]) {
      orderly.said(B, 'handler.start', { seq }).said(B, 'acknowledged', { seq })
    }
    expect(judge(orderly).status).toBe('held')
  })

  it.each([
    ['two users run beside each other', { order: 'begin 1, begin 2, end 2, end 1, resolved' }],
    ['it goes on after a failure', { failure: 'begin 1, end 1, begin 2, fail 2, begin 3' }],
    ['it keeps a failure to itself', { failure: 'begin 1, end 1, begin 2, fail 2, resolved' }],
  ])('is violated when, asked directly, %s', (_, steps) => {
    const finding = judge(run([1, 2, 3], [4, 5, 6], { ...STEPS, ...steps }))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('asked directly')
  })

  it('is violated when messages overtake each other, and shows the order', () => {
    const finding = judge(run([1, 3, 2], [5, 6, 4]))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('effects in the order 1 3 2 5 6 4')
  })

  it('is violated when a message is missing, done twice, or done by A in advance', () => {
    expect(judge(run([1, 2, 3], [4, 5])).got).toContain('1 messages without effect')
    expect(judge(write(run([1, 2, 3], [4, 5, 6]), B, 6, 'duplicate')).got).toContain('twice')
    expect(judge(run([1, 2, 3, 4], [5, 6])).got).toContain('message 4 was written by worker-a')
  })

  it('is violated when A handles too little for the kill to come', () => {
    const script = write(read(), A, 1)
    expect(judge(script).status).toBe('violated')
  })

  it('proves nothing when the six were not given to A in one read', () => {
    expect(judge(read(5)).status).toBe('inconclusive')
    expect(judge(new TraceScript()).status).toBe('inconclusive')
  })
})

describe('check 5, fence', () => {
  interface Way {
    readonly stale?: number | 'silent'
    readonly staleWrote?: boolean
    readonly renewal?: 0 | 1
    readonly next?: number
    readonly nextWrote?: boolean
    /** Answers of the probe that differ from the right ones, by place. */
    readonly probe?: Readonly<Record<number, string>>
    readonly plantLate?: boolean
  }
  const append = (
    script: TraceScript,
    by: string,
    token: number,
    status?: number,
    wrote = false,
  ) => {
    const sent = { shard: 131, token, runId: 'run', seq: 1 }
    const outcome = wrote ? 'accepted' : status === 409 ? 'refused' : 'duplicate'
    const got = { outcome, commit: wrote ? 1 : null, rows: wrote ? [['run', 1, token]] : [] }
    return script.post(by, 'store', '/messages', sent, status, got)
  }
  const story = (way: Way = {}) => {
    const script = new TraceScript()
    for (const [k, [shard, token, seq, right]] of PROBE_WRITES.entries()) {
      const outcome = way.probe?.[k] ?? right
      const wrote = outcome === 'accepted'
      const rows = wrote ? [['run', seq, token]] : []
      script.post(
        'probe',
        'store',
        '/messages',
        { shard, token, runId: 'run', seq },
        outcome === 'refused' ? 409 : 200,
        { outcome, commit: wrote ? k + 1 : null, rows },
      )
    }
    script.redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
    script.at(100).said(A, 'handler.start', { shard: 131, token: 1 }).bit('freeze-a', 'freeze', A)
    script
      .at(31_000)
      .lapsed(LEASE)
      .redis(B, ['EVAL', LEASE], 2, claimed(B, 2, 61_000))
    const plant = () => script.post(B, 'store', '/plant', { shard: 131, token: 2 }, 200)
    if (!way.plantLate) plant()
    script.at(35_100).verb('process.thawed', A)
    if (way.plantLate) plant()
    const stale = way.stale ?? 409
    append(script, A, 1, stale === 'silent' ? undefined : stale, way.staleWrote)
    script.redis(A, ['EVAL', LEASE, `${A}|1`], way.renewal ?? 0)
    append(script.at(40_000), B, 2, way.next ?? 200, way.nextWrote ?? true)
    return script
  }
  const judge = (way: Way = {}) => judgeFence(new History(story(way).events))

  it('holds when renewal and write are refused and B’s write is accepted', () => {
    expect(judge()).toMatchObject({ status: 'held' })
  })

  it('is violated when the stale write lands, whatever the answer says', () => {
    expect(judge({ stale: 200, staleWrote: true })).toMatchObject({ status: 'violated' })
    expect(judge({ stale: 409, staleWrote: true })).toMatchObject({ status: 'violated' })
  })

  it('is violated when only the late renewal goes through', () => {
    const finding = judge({ renewal: 1 })
    expect(finding).toMatchObject({ status: 'violated', got: 'A’s late renewal went through' })
  })

  it('is violated by a store that refuses the rightful holder, fails or falls silent', () => {
    expect(judge({ next: 409, nextWrote: false }).got).toContain('refused too')
    expect(judge({ stale: 500 }).status).toBe('violated')
    expect(judge({ stale: 'silent' }).got).toContain('never answered')
    const hung = new TraceScript().post('probe', 'store', '/messages', { token: 5, seq: 1 })
    expect(judgeFence(new History(hung.events))).toMatchObject({
      status: 'violated',
      got: 'the first write was never answered by the store',
    })
  })

  it.each([
    ['does not remember what it saw', { 2: 'accepted' }, '7:9, 7:10, 7:9 one after another'],
    ['compares tokens as text', { 1: 'refused' }, '7:9, 7:10 one after another'],
    ['takes all shards for one', { 4: 'refused' }, '8:3 one after another'],
    ['calls a message new that is there already', { 9: 'accepted' }, 'not duplicate'],
  ])('is violated by a fence that %s', (_, probe, said) => {
    const finding = judge({ probe })
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain(said)
  })

  it('is violated, not unclear, when a wrong fence keeps B from planting', () => {
    expect(judge({ plantLate: true, probe: { 4: 'refused' } }).status).toBe('violated')
    expect(judge({ plantLate: true }).status).toBe('inconclusive')
  })

  it('proves nothing when B’s token came after A woke up, or A never began', () => {
    expect(judge({ plantLate: true }).status).toBe('inconclusive')
    expect(judgeFence(new History([])).status).toBe('inconclusive')
  })
})

describe('all files together', () => {
  const write = (
    script: TraceScript,
    by: string,
    token: number,
    runId: string,
    seq: number,
    n: number,
  ) =>
    script.post(by, 'store', '/messages', { shard: 131, token, runId, seq }, 200, {
      outcome: 'accepted',
      commit: n,
      rows: [[runId, seq, token]],
    })
  const run = (...writes: readonly (readonly [string, number, string, number])[]) => {
    const script = new TraceScript().bit('freeze-a', 'freeze', A)
    for (const [n, [by, token, runId, seq]] of writes.entries()) {
      write(script, by, token, runId, seq, n + 1)
    }
    return judgeTogether(new History(script.events))
  }

  it('holds for all four in the order of their conversations', () => {
    expect(run([A, 1, 'r', 1], [B, 2, 'n', 1], [B, 2, 'r', 2], [B, 2, 'r', 3]).status).toBe('held')
  })

  it('is violated by a token that goes back, an order that breaks, a message that is missing', () => {
    expect(run([B, 2, 'r', 1], [A, 1, 'n', 1]).got).toContain('token 1 wrote after 2')
    expect(run([A, 1, 'r', 2]).got).toContain('message 2 came when 1 was due')
    expect(run([A, 1, 'r', 1]).got).toContain('1 of 4')
  })
})

describe('every judge', () => {
  const judges = [...lab.checks, lab.together].map(({ judge, title }) => [title, judge] as const)

  it.each(judges)('%s: a process that ends itself is a violation with its reason', (_, judge) => {
    const findings = ['probe', 'store', A].map((process) => {
      const life = { process, incarnation: 1, code: 0, signal: null }
      const script = new TraceScript().put({ kind: 'process.exited', ...life, cause: 'exit' })
      return judge(new History(script.events))
    })
    const violations = findings.filter(({ status }) => status === 'violated')
    expect(violations.length).toBeGreaterThan(0)
    for (const { got } of violations) expect(got).toMatch(/stopped too early, code 0$/)
  })

  it('shows the error of a process that crashed, and its place', () => {
    const life = { process: A, incarnation: 1 }
    const place = { file: 'lease.ts', line: 12, column: 3 }
    const error = { name: 'TypeError', message: 'redis.st is not a function', stack: '' }
    const script = new TraceScript()
      .put({ kind: 'process.error', ...life, ...error, ...place })
      .put({ kind: 'process.exited', ...life, code: 1, signal: null, cause: 'uncaught' })
    const finding = judgeClaim(new History(script.events), TTL_MS)
    expect(finding.got).toBe('worker-a ended: TypeError: redis.st is not a function')
    expect(finding.where).toEqual(place)
  })

  it.each(judges)(
    '%s: gives no ✅ and does not throw on a trace that breaks off anywhere',
    (_, judge) => {
      const script = new TraceScript().said(A, 'worker.ready').said(B, 'worker.ready')
      script.redis(A, ['EVAL', LEASE], 1, claimed(A, 1, TTL_MS))
      script.said(A, 'lease.held', { shard: 131, token: 1 }).said(A, 'handler.start', {})
      script.bit('hold-renewal', 'hold', A).bit('freeze-a', 'freeze', A).bit('kill-a', 'kill', A)
      script.lapsed(LEASE).redis(B, ['EVAL', LEASE], 2, claimed(B, 2, 61_000))
      script
        .post(B, 'store', '/plant', { shard: 131, token: 'x' }, 200)
        .post(A, 'store', '/messages', [])
      script.verb('process.thawed', A).put({ kind: 'fault.released', step: 'hold-renewal' })
      script.put({ kind: 'world.ended', why: 'crash', detail: null, never: [] })
      for (let length = 0; length <= script.events.length; length += 1) {
        expect(judge(new History(script.events.slice(0, length))).status).not.toBe('held')
      }
    },
  )
})
