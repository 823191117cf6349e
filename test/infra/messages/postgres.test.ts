/**
 * The tables on a real Postgres: the suite again, and what only several connections can show. Two pools
 * on one schema stand for two processes.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendMessage as withFence } from '../../../labs/agent-30days/day-10-sharding-lease/solution/store.ts'
import { appendMessage as withoutFence } from '../../../labs/agent-30days/day-10-sharding-lease/starter/store.ts'
import { type RunningPostgres, startPostgres } from '../../../scripts/servers.mjs'
import {
  type AppendOutcome,
  type CommittedRow,
  DatabaseError,
  type DatabaseSettings,
  type MessageRow,
  type MessageTables,
  openTables,
} from '../../../src/infra/messages/index.ts'
import { Chance, wholeBetween } from '../../../src/sim/random.ts'
import { row, run } from './cases.ts'
import { type BreakingProxy, startProxy } from './proxy.ts'
import { ask, hasPostgres, postgresVersion, tellWithoutPostgres } from './real-postgres.ts'

type Append = typeof withFence

tellWithoutPostgres()

/** The statement as it travels: alone, and ended by a zero, unlike READ COMMITTED. */
const COMMIT = 'COMMIT\0'

/** What is wrong with what was committed; empty if nothing is. */
function faultsOf(messages: readonly CommittedRow[]): readonly string[] {
  const faults: string[] = []
  const highest = new Map<number, number>()
  const keys = new Set<string>()
  for (const { shard, token, runId, seq, commit } of messages) {
    const before = highest.get(shard) ?? 0
    if (token < before)
      faults.push(`commit ${commit}: shard ${shard} went from ${before} to ${token}`)
    highest.set(shard, Math.max(before, token))
    const key = `${runId} ${seq}`
    if (keys.has(key)) faults.push(`commit ${commit}: ${key} is there twice`)
    keys.add(key)
  }
  return faults
}

describe.runIf(hasPostgres)(`message tables in Postgres ${postgresVersion}`, () => {
  let server: RunningPostgres
  let proxy: BreakingProxy
  let schemas = 0

  beforeAll(async () => {
    server = await startPostgres({ max_connections: 40, fsync: 'off' })
    proxy = await startProxy(server.port)
  }, 120_000)

  afterAll(async () => {
    await proxy?.close()
    await server?.stop()
  })

  const newSchema = () => {
    schemas += 1
    return `case_${schemas}`
  }
  const open = (settings: Partial<DatabaseSettings> = {}) =>
    openTables({ url: server.url, poolSize: 8, schema: newSchema(), ...settings })
  /** The same tables twice, as two processes have them. */
  const openTwice = async (settings: Partial<DatabaseSettings> = {}) => {
    const shared = { schema: newSchema(), poolSize: 4, ...settings }
    return await Promise.all([open(shared), open(shared)])
  }
  const closeAll = (...tables: readonly MessageTables[]) =>
    Promise.all(tables.map((each) => each.close()))
  const viaProxy = () => server.url.replace(`:${server.port}/`, `:${proxy.port}/`)

  run(open)

  /** Waits until so many sessions wait for a lock. */
  async function lockWaiters(count: number): Promise<void> {
    const text = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    for (;;) {
      const [found] = await ask(server.url, text)
      if (Number(found?.n) >= count) return
    }
  }

  it('whoever has read a token keeps the others waiting until its end', async () => {
    const [one, two] = await openTwice()
    let other: Promise<unknown> = Promise.resolve()
    let otherEnded = false
    await one.transaction(async (tx) => {
      await tx.highestToken(1)
      other = two
        .transaction((tx2) => tx2.passFence(1, 4))
        .finally(() => {
          otherEnded = true
        })
      await lockWaiters(1)
      expect(otherEnded).toBe(false)
      await tx.raiseToken(1, 5)
    })
    expect(await other).toMatchObject({ value: { kind: 'refused', highestToken: 5 } })
    await closeAll(one, two)
  })

  it('a message without a fence stands in line at its shard all the same', async () => {
    const [one, two] = await openTwice()
    let other: Promise<unknown> = Promise.resolve()
    await one.transaction(async (tx) => {
      await tx.insertMessage(row())
      other = two.transaction((tx2) => tx2.insertMessage(row({ seq: 2 })))
      await lockWaiters(1)
    })
    await other
    expect((await two.messages()).map(({ seq }) => seq)).toEqual([1, 2])
    await closeAll(one, two)
  })

  it('numbers rise with the commits of a shard, also where a transaction comes to it late', async () => {
    const [one, two] = await openTwice()
    await one.transaction(async (tx) => {
      await tx.insertMessage(row({ shard: 1, seq: 1 }))
      await two.transaction((tx2) => tx2.insertMessage(row({ shard: 2, seq: 2 })))
      await tx.insertMessage(row({ shard: 2, seq: 3 }))
    })
    expect((await one.messages()).map(({ seq }) => seq)).toEqual([2, 1, 3])
    await closeAll(one, two)
  })

  it('different shards do not wait for each other', async () => {
    const [one, two] = await openTwice()
    await one.transaction(async (tx) => {
      await tx.passFence(1, 1)
      const { value } = await two.transaction((tx2) => tx2.passFence(2, 1))
      expect(value.kind).toBe('passed')
    })
    await closeAll(one, two)
  })

  /** Writes with random tokens from eight connections; answers what came, in no order. */
  async function writeAtRandom(seed: string, writes: number, append: Append) {
    const [one, two] = await openTwice()
    const draw = new Chance(seed).stream('writes')
    const asked: MessageRow[] = Array.from({ length: writes }, (_, k) => {
      const shard = wholeBetween(draw, 0, 3)
      // Tokens rise in the long run, so that some of each kind are accepted to the end.
      const token = 1 + Math.floor(k / 40) + wholeBetween(draw, 0, 4)
      const seq = draw() < 0.3 ? Math.max(0, k - wholeBetween(draw, 0, 40)) : k
      return row({ shard, token, seq, runId: `run-${shard}` })
    })
    const outcomes: { readonly write: MessageRow; readonly outcome: AppendOutcome }[] = []
    let next = 0
    const writer = async (tables: MessageTables) => {
      for (let write = asked[next++]; write; write = asked[next++]) {
        const mine = write
        const { value } = await tables.transaction((tx) => append(tx, mine))
        outcomes.push({ write: mine, outcome: value })
      }
    }
    await Promise.all([one, one, one, one, two, two, two, two].map(writer))
    const [messages, fences] = [await one.messages(), await two.fences()]
    await closeAll(one, two)
    const count = (kind: AppendOutcome['kind']) =>
      outcomes.filter(({ outcome }) => outcome.kind === kind).length
    return { messages, fences, outcomes, count }
  }

  it('eight connections, four shards, random tokens: what is committed never goes back', async () => {
    const first = Number(process.env.LEASELAB_SEED ?? 1)
    for (let seed = first; seed < first + 3; seed++) {
      const repeat = `repeat with LEASELAB_SEED=${seed}`
      const { messages, fences, outcomes, count } = await writeAtRandom(`${seed}`, 1000, withFence)
      expect(faultsOf(messages), repeat).toEqual([])
      expect(messages.length, repeat).toBe(count('accepted'))
      for (const kind of ['accepted', 'duplicate', 'refused'] as const) {
        expect(count(kind), `${repeat}: ${kind}`).toBeGreaterThan(0)
      }
      for (const { write, outcome } of outcomes) {
        if (outcome.kind === 'refused') expect(outcome.highestToken).toBeGreaterThan(write.token)
      }
      const highest = outcomes.reduce((tokens, { write, outcome }) => {
        const before = tokens.get(write.shard) ?? 0
        const passed = outcome.kind !== 'refused'
        return tokens.set(write.shard, passed ? Math.max(before, write.token) : before)
      }, new Map<number, number>())
      for (const { shard, highestToken } of fences) {
        expect(highestToken, repeat).toBe(highest.get(shard))
      }
    }
  }, 180_000)

  it('the same writes without a fence go back, and the checker sees it', async () => {
    const { messages, count } = await writeAtRandom('1', 300, withoutFence)
    expect(count('refused')).toBe(0)
    expect(faultsOf(messages).join('\n')).toMatch(/shard \d went from \d+ to \d+/)
  })

  it('a row that is locked for longer than a statement may take: it did not happen', async () => {
    const schema = newSchema()
    const holder = await open({ schema })
    const hasty = await open({ schema, statementTimeoutMs: 500 })
    await holder.transaction(async (tx) => {
      await tx.passFence(1, 1)
      const waiting = await hasty.transaction((tx2) => tx2.passFence(1, 2)).catch((e: unknown) => e)
      expect(waiting).toBeInstanceOf(DatabaseError)
      expect(waiting).toMatchObject({ certainty: 'did-not-happen' })
      expect(String(waiting)).toContain('statement timeout')
    })
    expect((await hasty.transaction((tx) => tx.passFence(1, 2))).value.kind).toBe('passed')
    await closeAll(holder, hasty)
  })

  it('a process that stands still within a transaction does not hold its shard for ever', async () => {
    const schema = newSchema()
    const frozen = await open({ schema, statementTimeoutMs: 1000 })
    const other = await open({ schema })
    const stuck = frozen.transaction(async (tx) => {
      await tx.insertMessage(row())
      // Waits in the server for the shard, which comes free when the session of `frozen` is ended.
      expect((await other.transaction((tx2) => tx2.passFence(131, 9))).value.kind).toBe('passed')
    })
    await expect(stuck).rejects.toMatchObject({
      name: 'DatabaseError',
      certainty: 'did-not-happen',
    })
    expect(await other.messages()).toEqual([])
    expect((await frozen.transaction((tx) => tx.passFence(131, 8))).value.kind).toBe('refused')
    await closeAll(frozen, other)
  })

  it('two that take two shards in opposite order: one is ended and did not happen', async () => {
    const tables = await open()
    let bothHold = () => {}
    const meeting = new Promise<void>((resolve) => {
      let there = 0
      bothHold = () => {
        there += 1
        if (there === 2) resolve()
      }
    })
    const take = (first: number, second: number) =>
      tables.transaction(async (tx) => {
        await tx.passFence(first, 1)
        bothHold()
        await meeting
        await tx.passFence(second, 1)
      })
    const ends = await Promise.allSettled([take(1, 2), take(2, 1)])
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [rejected] = ends.filter((end) => end.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ certainty: 'did-not-happen' })
    expect(String(rejected?.reason)).toContain('deadlock')
    await tables.close()
  })

  it('a commit whose answer is lost is unknown; trying again finds the message', async () => {
    const tables = await open({ url: viaProxy(), poolSize: 1 })
    const write = () => tables.transaction((tx) => withFence(tx, row()))
    await tables.runs()
    proxy.arm(COMMIT, 'reset-after-commit')
    await expect(write()).rejects.toMatchObject({ name: 'DatabaseError', certainty: 'unknown' })
    expect((await write()).value.kind).toBe('duplicate')
    await tables.close()
  })

  it('a server that stops answering is given up, and another connection is tried', async () => {
    const tables = await open({ url: viaProxy(), poolSize: 1, statementTimeoutMs: 500 })
    const write = () => tables.transaction((tx) => withFence(tx, row()))
    proxy.arm(COMMIT, 'stall')
    await expect(write()).rejects.toMatchObject({ certainty: 'unknown' })
    expect((await write()).value.kind).toBe('duplicate')
    proxy.arm('BEGIN', 'stall')
    await expect(write()).rejects.toMatchObject({ certainty: 'did-not-happen' })
    expect((await write()).value.kind).toBe('duplicate')
    await tables.close()
  })

  it('a session that is ended under way did not happen; the next one does', async () => {
    const tables = await open({ poolSize: 1 })
    const ended = tables.transaction(async (tx) => {
      await tx.passFence(1, 1)
      await ask(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'leaselab' AND state = 'idle in transaction'`,
      )
      await tx.passFence(1, 2)
    })
    await expect(ended).rejects.toMatchObject({
      name: 'DatabaseError',
      certainty: 'did-not-happen',
    })
    expect((await tables.transaction((tx) => tx.passFence(1, 1))).value.kind).toBe('passed')
    expect(await tables.fences()).toEqual([{ shard: 1, highestToken: 1 }])
    await tables.close()
  })

  it('a restart of the server: refused while it is away, then as before, nothing lost', async () => {
    const troubles: string[] = []
    const tables = await open({ onTrouble: (text) => troubles.push(text) })
    const write = (seq: number) =>
      tables.transaction((tx) => withFence(tx, row({ seq, token: seq })))
    await write(1)
    await server.restart(async () => {
      await expect(write(2)).rejects.toMatchObject({ certainty: 'did-not-happen' })
    })
    expect((await write(3)).value.kind).toBe('accepted')
    expect((await write(2)).value).toEqual({ kind: 'refused', highestToken: 3 })
    expect((await tables.messages()).map(({ seq }) => seq)).toEqual([1, 3])
    expect(troubles.join()).toContain('terminating connection')
    await tables.close()
  })
})
