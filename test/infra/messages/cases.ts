/**
 * What message tables promise, whatever is behind them: one suite for memory and for both Postgres.
 *
 * `newTables` gives empty tables for each case. A case that an implementation cannot pass is named in
 * `skip` with the reason; a name that is none fails.
 */

import { describe, expect, it } from 'vitest'
import type { MessageRow, MessageTables, TablesTx } from '../../../src/infra/messages/index.ts'

export interface Skip {
  readonly reason: string
  readonly cases: readonly string[]
}

export function row(over: Partial<MessageRow> = {}): MessageRow {
  return { shard: 131, token: 1, runId: 'run-1', seq: 1, userId: 'u-1001', body: 'hi', ...over }
}

type Case = (tables: MessageTables) => Promise<void>

/** The value of a transaction. */
async function within<T>(tables: MessageTables, work: (tx: TablesTx) => Promise<T>): Promise<T> {
  return (await tables.transaction(work)).value
}

const LARGE = Number.MAX_SAFE_INTEGER

const MESSAGES: Readonly<Record<string, Case>> = {
  'a message is unique by run and seq, within a transaction and across them': async (tables) => {
    const first = await within(tables, async (tx) => [
      await tx.insertMessage(row()),
      await tx.insertMessage(row({ token: 2 })),
      await tx.insertMessage(row({ seq: 2 })),
    ])
    expect(first).toEqual([true, false, true])
    const later = await tables.transaction((tx) => tx.insertMessage(row()))
    expect(later).toEqual({ value: false, commit: { commit: null, rows: [] } })
    expect((await tables.messages()).map(({ seq, token }) => [seq, token])).toEqual([
      [1, 1],
      [2, 1],
    ])
  },

  'run and seq cannot be confused by how they are joined': async (tables) => {
    await within(tables, (tx) => tx.insertMessage(row({ runId: 'r,1', seq: 1 })))
    expect(await within(tables, (tx) => tx.insertMessage(row({ runId: 'r', seq: 11 })))).toBe(true)
  },

  'a message comes back as it was written': async (tables) => {
    const odd = row({
      body: "it's 5 % \\ \" ; -- \n\t🎈 ''",
      userId: '',
      runId: 'run é',
      shard: 4096,
      token: LARGE,
      seq: LARGE,
    })
    await within(tables, (tx) => tx.insertMessage(odd))
    const [{ commit, ...back } = { commit: 0 }] = await tables.messages()
    expect(back).toEqual(odd)
    expect(commit).toBeGreaterThan(0)
  },

  'a duplicate leaves the transaction usable': async (tables) => {
    await within(tables, (tx) => tx.insertMessage(row()))
    const after = await within(tables, async (tx) => {
      await tx.insertMessage(row())
      await tx.raiseToken(131, 7)
      return await tx.insertMessage(row({ seq: 2, token: 7 }))
    })
    expect(after).toBe(true)
    expect(await tables.fences()).toEqual([{ shard: 131, highestToken: 7 }])
  },

  'nothing of a transaction stays when it throws': async (tables) => {
    const failing = tables.transaction(async (tx) => {
      await tx.raiseToken(131, 5)
      await tx.insertMessage(row())
      await tx.createRun('run-1', 'key-1')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await tables.messages()).toEqual([])
    expect(await tables.fences()).toEqual([])
    expect(await tables.runs()).toEqual([])
    await tables.transaction((tx) => tx.insertMessage(row()))
    expect(await tables.messages()).toHaveLength(1)
  },

  'a call that comes after the end is refused and writes nothing': async (tables) => {
    let late: (() => Promise<boolean>) | undefined
    await tables.transaction(async (tx) => {
      late = () => tx.insertMessage(row())
    })
    await expect(late?.()).rejects.toThrow(/transaction has ended/)
    expect(await tables.messages()).toEqual([])
  },

  'a call that nobody awaits still belongs to its transaction': async (tables) => {
    const { commit } = await tables.transaction(async (tx) => {
      void tx.highestToken(131)
      void tx.insertMessage(row())
    })
    expect(commit.rows).toHaveLength(1)
    expect(await tables.messages()).toHaveLength(1)
  },

  'numbers and texts that are none are refused, not stored': async (tables) => {
    const odd = [
      row({ token: Number.NaN }),
      row({ seq: -1 }),
      row({ shard: 1.5 }),
      row({ seq: LARGE + 1 }),
      row({ body: 'a\0b' }),
      row({ userId: '\ud800' }),
      row({ runId: 7 as unknown as string }),
    ]
    for (const each of odd) {
      const insert = tables.transaction((tx) => tx.insertMessage(each))
      await expect(insert).rejects.toThrow(/^message tables: (token|seq|shard|body|userId|runId)/)
    }
    expect(await tables.messages()).toEqual([])
  },

  'commits are numbered in their order and told with what they wrote': async (tables) => {
    const first = await tables.transaction(async (tx) => {
      await tx.insertMessage(row())
      return await tx.insertMessage(row({ seq: 2 }))
    })
    const second = await tables.transaction((tx) => tx.insertMessage(row({ seq: 3 })))
    expect(second.commit.commit).toBeGreaterThan(first.commit.commit!)
    const told = [...first.commit.rows, ...second.commit.rows]
    expect(told.map(({ seq, commit }) => [seq, commit])).toEqual([
      [1, first.commit.commit],
      [2, first.commit.commit],
      [3, second.commit.commit],
    ])
    expect(await tables.messages()).toEqual(told)
  },

  'a transaction over several shards has one number': async (tables) => {
    const { commit } = await tables.transaction(async (tx) => {
      await tx.insertMessage(row({ shard: 1 }))
      await tx.insertMessage(row({ shard: 2, seq: 2 }))
    })
    expect(commit.rows.map((each) => each.commit)).toEqual([commit.commit, commit.commit])
    expect(await tables.messages()).toEqual(commit.rows)
  },

  'a transaction that wrote no message has no number': async (tables) => {
    const { commit } = await tables.transaction((tx) => tx.raiseToken(1, 1))
    expect(commit).toEqual({ commit: null, rows: [] })
  },
}

const FENCES: Readonly<Record<string, Case>> = {
  'a smaller token is refused with the highest one, an equal one passes': async (tables) => {
    const pass = (shard: number, token: number) =>
      within(tables, (tx) => tx.passFence(shard, token))
    expect(await pass(7, 9)).toEqual({ kind: 'passed' })
    expect(await pass(7, 9)).toEqual({ kind: 'passed' })
    expect(await pass(7, 8)).toEqual({ kind: 'refused', highestToken: 9 })
    expect(await pass(7, 10)).toEqual({ kind: 'passed' })
    expect(await pass(7, 9)).toEqual({ kind: 'refused', highestToken: 10 })
    expect(await pass(8, 1)).toEqual({ kind: 'passed' })
    expect(await tables.fences()).toEqual([
      { shard: 7, highestToken: 10 },
      { shard: 8, highestToken: 1 },
    ])
  },

  'tokens are compared as numbers, also large ones': async (tables) => {
    const pass = (token: number) => within(tables, (tx) => tx.passFence(1, token))
    for (const token of [9, 10, 2_147_483_650, LARGE])
      expect((await pass(token)).kind).toBe('passed')
    expect(await pass(LARGE - 1)).toEqual({ kind: 'refused', highestToken: LARGE })
  },

  'a fence that refused lets the transaction go on': async (tables) => {
    await within(tables, (tx) => tx.passFence(1, 5))
    const kinds = await within(tables, async (tx) => [
      (await tx.passFence(1, 4)).kind,
      (await tx.passFence(1, 6)).kind,
      (await tx.passFence(1, 5)).kind,
    ])
    expect(kinds).toEqual(['refused', 'passed', 'refused'])
  },

  'a token is never lowered, and an equal one changes nothing': async (tables) => {
    await within(tables, (tx) => tx.raiseToken(1, 5))
    await expect(tables.transaction((tx) => tx.raiseToken(1, 4))).rejects.toThrow(/would lower/)
    await within(tables, (tx) => tx.raiseToken(1, 5))
    expect(await tables.fences()).toEqual([{ shard: 1, highestToken: 5 }])
  },

  'a transaction reads what it wrote itself': async (tables) => {
    const seen = await within(tables, async (tx) => {
      const before = await tx.highestToken(3)
      await tx.raiseToken(3, 9)
      return [before, await tx.highestToken(3)]
    })
    expect(seen).toEqual([0, 9])
  },

  'a shard that was only looked at has no fence': async (tables) => {
    expect(await within(tables, (tx) => tx.highestToken(9))).toBe(0)
    expect(await tables.fences()).toEqual([])
  },

  'what was read before a write is still true at the write, for all that ask at once': async (
    tables,
  ) => {
    const raise = () =>
      tables.transaction(async (tx) => {
        const highest = await tx.highestToken(1)
        await new Promise((resolve) => setImmediate(resolve))
        await tx.raiseToken(1, highest + 1)
      })
    await Promise.all([raise(), raise(), raise(), raise(), raise()])
    expect(await tables.fences()).toEqual([{ shard: 1, highestToken: 5 }])
  },
}

const RUNS: Readonly<Record<string, Case>> = {
  'the idempotency key of a run is unique: creating it again gives the first one': async (
    tables,
  ) => {
    const run = { runId: 'run-1', idempotencyKey: 'key', status: 'queued' }
    expect(await within(tables, (tx) => tx.createRun('run-1', 'key'))).toEqual({ run, isNew: true })
    expect(await within(tables, (tx) => tx.createRun('run-2', 'key'))).toEqual({
      run,
      isNew: false,
    })
    const twice = await within(tables, async (tx) => [
      (await tx.createRun('run-3', 'other')).isNew,
      (await tx.createRun('run-4', 'other')).run.runId,
    ])
    expect(twice).toEqual([true, 'run-3'])
    expect((await tables.runs()).map(({ runId }) => runId)).toEqual(['run-1', 'run-3'])
  },

  'a run id that is taken under another key is an error': async (tables) => {
    await within(tables, (tx) => tx.createRun('run-1', 'key'))
    const taken = tables.transaction((tx) => tx.createRun('run-1', 'other'))
    await expect(taken).rejects.toThrow('run run-1 has another idempotency key')
  },

  'of many requests with one key at once, one makes the run': async (tables) => {
    const made = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => within(tables, (tx) => tx.createRun(`run-${n}`, 'key'))),
    )
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(made.map(({ run }) => run.runId)).size).toBe(1)
    expect(await tables.runs()).toHaveLength(1)
  },

  'a run goes from queued to running to done, each step once': async (tables) => {
    await within(tables, (tx) => tx.createRun('run-1', 'key'))
    const move = (to: 'queued' | 'running' | 'done' | 'failed') =>
      within(tables, (tx) => tx.moveRun({ runId: 'run-1', to }))
    expect(await move('done')).toEqual({ kind: 'not-from-there', from: 'queued' })
    expect(await move('running')).toEqual({ kind: 'moved', from: 'queued' })
    expect(await move('running')).toEqual({ kind: 'repeated' })
    expect(await move('queued')).toEqual({ kind: 'not-from-there', from: 'running' })
    expect(await move('done')).toEqual({ kind: 'moved', from: 'running' })
    expect(await move('failed')).toEqual({ kind: 'not-from-there', from: 'done' })
    expect(await tables.runs()).toEqual([{ runId: 'run-1', idempotencyKey: 'key', status: 'done' }])
    const again = await within(tables, (tx) => tx.createRun('run-9', 'key'))
    expect(again.run.status).toBe('done')
  },

  'a run that is not there moves nowhere': async (tables) => {
    const move = within(tables, (tx) => tx.moveRun({ runId: 'run-1', to: 'running' }))
    expect(await move).toEqual({ kind: 'no-such-run' })
    expect(await within(tables, (tx) => tx.findRun('run-1'))).toBeNull()
  },

  'of many that take one step at once, one moves the run': async (tables) => {
    await within(tables, (tx) => tx.createRun('run-1', 'key'))
    const kinds = await Promise.all(
      [1, 2, 3, 4, 5].map(() =>
        within(tables, async (tx) => (await tx.moveRun({ runId: 'run-1', to: 'running' })).kind),
      ),
    )
    expect(kinds.sort()).toEqual(['moved', 'repeated', 'repeated', 'repeated', 'repeated'])
  },

  'a holder that has been replaced moves no run, its successor does': async (tables) => {
    await within(tables, async (tx) => {
      await tx.createRun('run-1', 'key')
      await tx.moveRun({ runId: 'run-1', to: 'running', fence: { shard: 7, token: 3 } })
    })
    await within(tables, (tx) => tx.passFence(7, 4))
    const done = (token: number) =>
      within(tables, (tx) => tx.moveRun({ runId: 'run-1', to: 'done', fence: { shard: 7, token } }))
    expect(await done(3)).toEqual({ kind: 'refused', highestToken: 4 })
    expect((await within(tables, (tx) => tx.findRun('run-1')))?.status).toBe('running')
    expect(await done(5)).toEqual({ kind: 'moved', from: 'running' })
    expect(await tables.fences()).toEqual([{ shard: 7, highestToken: 5 }])
  },

  'message, fence and run are one: all of them or none': async (tables) => {
    await within(tables, (tx) => tx.createRun('run-1', 'key'))
    const half = tables.transaction(async (tx) => {
      await tx.moveRun({ runId: 'run-1', to: 'running', fence: { shard: 7, token: 3 } })
      await tx.insertMessage(row({ shard: 7, token: 3 }))
      throw new Error('power cut')
    })
    await expect(half).rejects.toThrow('power cut')
    expect(await tables.messages()).toEqual([])
    expect(await tables.fences()).toEqual([])
    expect((await tables.runs())[0]?.status).toBe('queued')
  },
}

const GROUPS = { messages: MESSAGES, fences: FENCES, runs: RUNS }

/** Declares the suite; to be called within a `describe`. */
export function run(
  newTables: () => Promise<MessageTables>,
  options: { readonly skip?: readonly Skip[] } = {},
): void {
  const skips = options.skip ?? []
  const names = Object.values(GROUPS).flatMap((cases) => Object.keys(cases))
  const unknown = skips.flatMap((skip) => skip.cases).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`skip: no such cases: ${unknown.join('; ')}`)
  for (const [group, cases] of Object.entries(GROUPS)) {
    describe(group, () => {
      for (const [title, carryOut] of Object.entries(cases)) {
        const skip = skips.find((each) => each.cases.includes(title))
        const told = skip ? `${title} (skipped: ${skip.reason})` : title
        it.skipIf(skip)(told, async () => {
          const tables = await newTables()
          try {
            await carryOut(tables)
          } finally {
            await tables.close()
          }
        })
      }
    })
  }
}
