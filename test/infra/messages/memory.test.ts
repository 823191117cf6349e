import { describe, expect, it } from 'vitest'
import { type MessageRow, memoryTables } from '../../../src/infra/messages/index.ts'

const row = (over: Partial<MessageRow> = {}): MessageRow => ({
  shard: 131,
  token: 1,
  runId: 'run-1',
  seq: 1,
  userId: 'u-1001',
  body: 'hi',
  ...over,
})

describe('message tables in memory', () => {
  it('a message is unique by run and seq, within a transaction and across them', async () => {
    const tables = memoryTables()
    const { value } = await tables.transaction(async (tx) => [
      await tx.insertMessage(row()),
      await tx.insertMessage(row({ token: 2 })),
      await tx.insertMessage(row({ seq: 2 })),
    ])
    expect(value).toEqual([true, false, true])
    const later = await tables.transaction((tx) => tx.insertMessage(row()))
    expect(later).toEqual({ value: false, commit: { commit: null, rows: [], fences: [] } })
    expect((await tables.messages()).map(({ seq, token }) => [seq, token])).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('run and seq cannot be confused by how they are joined', async () => {
    const tables = memoryTables()
    await tables.transaction((tx) => tx.insertMessage(row({ runId: 'r,1', seq: 1 })))
    const { value } = await tables.transaction((tx) =>
      tx.insertMessage(row({ runId: 'r', seq: 11 })),
    )
    expect(value).toBe(true)
  })

  it('nothing of a transaction stays when it throws', async () => {
    const tables = memoryTables()
    const failing = tables.transaction(async (tx) => {
      await tx.raiseToken(131, 5)
      await tx.insertMessage(row())
      await tx.openRun('run-1', 'key-1', 'running')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await tables.messages()).toEqual([])
    expect(await tables.fences()).toEqual([])
    expect(await tables.runs()).toEqual([])
    await tables.transaction((tx) => tx.insertMessage(row()))
    expect(await tables.messages()).toHaveLength(1)
  })

  it('transactions run one after the other, so that none sees half of another', async () => {
    const tables = memoryTables()
    const raise = () =>
      tables.transaction(async (tx) => {
        const highest = await tx.highestToken(1)
        await new Promise((resolve) => setImmediate(resolve))
        await tx.raiseToken(1, highest + 1)
      })
    await Promise.all([raise(), raise(), raise()])
    expect(await tables.fences()).toEqual([{ shard: 1, highestToken: 3 }])
  })

  it('a fence never goes back, and an equal token changes nothing', async () => {
    const tables = memoryTables()
    await tables.transaction((tx) => tx.raiseToken(1, 5))
    await expect(tables.transaction((tx) => tx.raiseToken(1, 4))).rejects.toThrow(/would lower/)
    const { commit } = await tables.transaction((tx) => tx.raiseToken(1, 5))
    expect(commit.commit).toBeNull()
  })

  it('a transaction reads what it wrote itself', async () => {
    const { value } = await memoryTables().transaction(async (tx) => {
      await tx.raiseToken(3, 9)
      return await tx.highestToken(3)
    })
    expect(value).toBe(9)
  })

  it('a call that comes after the end is refused and writes nothing', async () => {
    const tables = memoryTables()
    let late: (() => Promise<boolean>) | undefined
    await tables.transaction(async (tx) => {
      late = () => tx.insertMessage(row())
    })
    await expect(late?.()).rejects.toThrow(/transaction has ended/)
    expect(await tables.messages()).toEqual([])
  })

  it('the idempotency key of a run is unique: opening it again gives the first one', async () => {
    const tables = memoryTables()
    await tables.transaction((tx) => tx.openRun('run-1', 'key', 'running'))
    const { value } = await tables.transaction((tx) => tx.openRun('run-2', 'key', 'running'))
    expect(value.runId).toBe('run-1')
    await expect(
      tables.transaction((tx) => tx.openRun('run-1', 'other', 'running')),
    ).rejects.toThrow()
  })

  it('the status of a run moves, and only of one that is there', async () => {
    const tables = memoryTables()
    await tables.transaction(async (tx) => {
      await tx.openRun('run-1', 'key', 'running')
      await tx.setRunStatus('run-1', 'done')
    })
    expect(await tables.runs()).toEqual([{ runId: 'run-1', idempotencyKey: 'key', status: 'done' }])
    await expect(tables.transaction((tx) => tx.setRunStatus('x', 'done'))).rejects.toThrow('no run')
  })

  it('numbers that are none are refused, not stored', async () => {
    const tables = memoryTables()
    const odd = row({ token: Number.NaN })
    await expect(tables.transaction((tx) => tx.insertMessage(odd))).rejects.toThrow(/token/)
  })

  it('commits are numbered in their order and told with what they wrote', async () => {
    const tables = memoryTables()
    const first = await tables.transaction((tx) => tx.raiseToken(1, 1))
    const second = await tables.transaction((tx) => tx.insertMessage(row()))
    expect(first.commit).toEqual({ commit: 1, rows: [], fences: [{ shard: 1, highestToken: 1 }] })
    expect(second.commit.rows).toEqual([{ ...row(), commit: 2 }])
  })
})
