/** Starter and solution side by side: same shape, one hole an idea, and the difference that it makes. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import * as solutionShard from '../../../labs/agent-30days/day-10-sharding-lease/solution/shard.ts'
import * as solutionStore from '../../../labs/agent-30days/day-10-sharding-lease/solution/store.ts'
import * as solutionWorker from '../../../labs/agent-30days/day-10-sharding-lease/solution/worker.ts'
import * as starterShard from '../../../labs/agent-30days/day-10-sharding-lease/starter/shard.ts'
import * as starterStore from '../../../labs/agent-30days/day-10-sharding-lease/starter/store.ts'
import * as starterWorker from '../../../labs/agent-30days/day-10-sharding-lease/starter/worker.ts'
import { type MessageTx, memoryTables } from '../../../src/infra/messages/index.ts'

const LAB = join(import.meta.dirname, '../../../labs/agent-30days/day-10-sharding-lease')
const source = (...path: string[]) => readFileSync(join(LAB, ...path), 'utf8')
const typescriptIn = (folder: string) =>
  readdirSync(join(LAB, folder)).filter((name) => name.endsWith('.ts'))

describe('starter and solution', () => {
  it('have the same modules, those that the manifest lists', () => {
    const modules = [...lab.modules].sort()
    expect(typescriptIn('starter').sort()).toEqual(modules)
    expect(typescriptIn('solution').sort()).toEqual(modules)
  })

  it.each(lab.exercises)(
    '$file: exports in both what the manifest says',
    async ({ file, exports }) => {
      for (const folder of ['starter', 'solution']) {
        const module: Record<string, unknown> = await import(join(LAB, folder, file))
        for (const [name, type] of Object.entries(exports)) {
          expect(typeof module[name], `${folder}/${file}: ${name}`).toBe(type)
        }
      }
    },
  )

  it.each(lab.exercises)(
    '$file: the starter marks its hole, the solution has none',
    ({ id, file }) => {
      expect(source('starter', file)).toContain(`TODO exercise ${id}`)
      expect(source('solution', file)).not.toContain('TODO')
    },
  )

  it('share the given module to the letter', () => {
    expect(source('starter', 'keys.ts')).toBe(source('solution', 'keys.ts'))
  })

  it.each(['app', 'starter', 'solution'])(
    '%s: nothing knows a simulator, a file or a child',
    (dir) => {
      for (const name of typescriptIn(dir)) {
        const text = source(dir, name)
        expect(text, name).not.toMatch(/simulat|virtual|node:fs|child_process|worker_threads/i)
        for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
          expect(from, name).toMatch(
            /^(node:|#exercises\/|\.\/|ioredis$|agent-30days-shared\/|leaselab\/messages$)/,
          )
        }
      }
    },
  )
})

describe('shardOf', () => {
  it.each([
    ['u-1001', 131],
    ['u-1059', 131],
    ['u-2077', 184],
    ['u-3310', 188],
  ])('%s belongs to shard %i', (userId, shard) => {
    expect(solutionShard.shardOf(userId)).toBe(shard)
  })

  it('by length, as shipped, sends all users of one length to one shard', () => {
    expect(starterShard.shardOf('u-1001')).toBe(starterShard.shardOf('u-2999'))
  })
})

describe('appendMessage', () => {
  type Append = typeof solutionStore.appendMessage
  const row = (token: number, seq: number) =>
    ({ shard: 1, token, runId: 'r', seq, userId: 'u', body: '' }) as const
  const store = (append: Append) => {
    const tables = memoryTables()
    return async (token: number, seq: number) => {
      const { value } = await tables.transaction((tx: MessageTx) => append(tx, row(token, seq)))
      return value.kind
    }
  }

  it('refuses a smaller token, lets an equal one pass, and remembers the largest', async () => {
    const append = store(solutionStore.appendMessage)
    expect(await append(5, 1)).toBe('accepted')
    expect(await append(4, 2)).toBe('refused')
    expect(await append(5, 3)).toBe('accepted')
    expect(await append(6, 3)).toBe('duplicate')
    expect(await append(5, 4)).toBe('refused')
  })

  it('as shipped lets a stale write land', async () => {
    const append = store(starterStore.appendMessage)
    expect(await append(5, 1)).toBe('accepted')
    expect(await append(4, 2)).toBe('accepted')
  })
})

describe('processShard', () => {
  const entries = [3, 1, 2].map((ticks, i) => {
    return { id: `${i}-0`, runId: 'r', seq: i + 1, userId: 'u', text: String(ticks) }
  })
  const order = async (process: typeof solutionWorker.processShard) => {
    const ended: number[] = []
    await process(entries, async ({ seq, text }) => {
      for (let tick = 0; tick < Number(text); tick += 1) await null
      ended.push(seq)
    })
    return ended
  }

  it('ends messages in the order of their arrival', async () => {
    expect(await order(solutionWorker.processShard)).toEqual([1, 2, 3])
  })

  it('as shipped lets the quicker one overtake', async () => {
    expect(await order(starterWorker.processShard)).not.toEqual([1, 2, 3])
  })

  it('leaves the rest alone when one fails', async () => {
    const begun: number[] = []
    const run = solutionWorker.processShard(entries, async ({ seq }) => {
      begun.push(seq)
      if (seq === 2) throw new Error('lost')
    })
    await expect(run).rejects.toThrow('lost')
    expect(begun).toEqual([1, 2])
  })
})
