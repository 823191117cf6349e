import { describe, expect, it } from 'vitest'
import { memoryTables, openTables } from '../../../src/infra/messages/index.ts'
import { row, run } from './cases.ts'

describe('message tables in memory', () => {
  run(async () => memoryTables())

  it('are what a program without a database gets', async () => {
    const tables = await openTables(null)
    await tables.transaction((tx) => tx.insertMessage(row()))
    expect(await tables.messages()).toEqual([{ ...row(), commit: 1 }])
  })
})

describe('the case suite', () => {
  it('refuses to skip what is no case', () => {
    const skip = [{ reason: 'none', cases: ['a case that was renamed'] }]
    expect(() => run(async () => memoryTables(), { skip })).toThrow(/no such cases: a case that/)
  })
})
