/**
 * The message tables in memory: transactions one after the other, each all or nothing.
 *
 * A transaction writes into a draft of its own, which is laid over the tables and becomes part of
 * them only when its work resolves. Running one at a time is the strictest isolation there is, so a
 * comparison and the write that follows it cannot be torn apart. Not here: durability.
 */

import { type RunRow, statusBefore, whyNotMoved } from './runs.ts'
import type {
  Commit,
  CommittedRow,
  Fence,
  FenceOutcome,
  MessageRow,
  MessageTables,
  TablesTx,
} from './tables.ts'
import { mustBeMessage, mustBeText, mustBeWhole, otherKey, wouldLower } from './values.ts'

interface Draft {
  readonly rows: MessageRow[]
  readonly rowKeys: Set<string>
  readonly fences: Map<number, number>
  /** By run id: new ones and those that moved. */
  readonly runs: Map<string, RunRow>
  /** Run id by idempotency key: new ones. */
  readonly runIds: Map<string, string>
}

/** Empty tables. */
export function memoryTables(): MessageTables {
  const rows: CommittedRow[] = []
  const rowKeys = new Set<string>()
  const fences = new Map<number, number>()
  const runs = new Map<string, RunRow>()
  const runIds = new Map<string, string>()
  let commits = 0
  let last: Promise<unknown> = Promise.resolve()

  function begin(): { readonly tx: TablesTx; readonly draft: Draft; readonly end: () => void } {
    const draft: Draft = {
      rows: [],
      rowKeys: new Set(),
      fences: new Map(),
      runs: new Map(),
      runIds: new Map(),
    }
    let open = true
    // Not awaited by mistake, a call can arrive when its transaction is over; taking it would write
    // outside of any transaction.
    const mustBeOpen = (method: string) => {
      if (!open) throw new Error(`tx.${method}: this transaction has ended; is an await missing?`)
    }
    const fenceOf = (shard: number) => draft.fences.get(shard) ?? fences.get(shard) ?? 0
    const runOf = (runId: string) => draft.runs.get(runId) ?? runs.get(runId)
    const raise = (shard: number, token: number): FenceOutcome => {
      mustBeWhole('shard', shard)
      mustBeWhole('token', token)
      const highestToken = fenceOf(shard)
      if (token < highestToken) return { kind: 'refused', highestToken }
      if (token > highestToken) draft.fences.set(shard, token)
      return { kind: 'passed' }
    }
    const tx: TablesTx = {
      async highestToken(shard) {
        mustBeOpen('highestToken')
        mustBeWhole('shard', shard)
        return fenceOf(shard)
      },
      async raiseToken(shard, token) {
        mustBeOpen('raiseToken')
        const fence = raise(shard, token)
        if (fence.kind === 'refused') throw wouldLower(shard, token, fence.highestToken)
      },
      async passFence(shard, token) {
        mustBeOpen('passFence')
        return raise(shard, token)
      },
      async insertMessage(row) {
        mustBeOpen('insertMessage')
        mustBeMessage(row)
        const key = rowKey(row.runId, row.seq)
        if (rowKeys.has(key) || draft.rowKeys.has(key)) return false
        draft.rowKeys.add(key)
        draft.rows.push({ ...row })
        return true
      },
      async createRun(runId, idempotencyKey) {
        mustBeOpen('createRun')
        mustBeText('runId', runId)
        mustBeText('idempotencyKey', idempotencyKey)
        const known = draft.runIds.get(idempotencyKey) ?? runIds.get(idempotencyKey)
        if (known !== undefined) return { run: runOf(known)!, isNew: false }
        if (runOf(runId)) throw otherKey(runId)
        const run: RunRow = { runId, idempotencyKey, status: 'queued' }
        draft.runIds.set(idempotencyKey, runId)
        draft.runs.set(runId, run)
        return { run, isNew: true }
      },
      async moveRun({ runId, to, fence }) {
        mustBeOpen('moveRun')
        mustBeText('runId', runId)
        const passed = fence ? raise(fence.shard, fence.token) : null
        if (passed?.kind === 'refused') return passed
        const run = runOf(runId)
        if (!run) return { kind: 'no-such-run' }
        if (run.status !== statusBefore(to)) return whyNotMoved(run.status, to)
        draft.runs.set(runId, { ...run, status: to })
        return { kind: 'moved', from: run.status }
      },
      async findRun(runId) {
        mustBeOpen('findRun')
        return runOf(runId) ?? null
      },
    }
    return {
      tx,
      draft,
      end: () => {
        open = false
      },
    }
  }

  function commit(draft: Draft): Commit {
    const wrote = draft.rows.length + draft.fences.size + draft.runs.size > 0
    if (wrote) commits += 1
    const committed = draft.rows.map((row) => ({ ...row, commit: commits }))
    for (const row of committed) {
      rows.push(row)
      rowKeys.add(rowKey(row.runId, row.seq))
    }
    for (const [shard, token] of draft.fences) fences.set(shard, token)
    for (const [runId, run] of draft.runs) runs.set(runId, run)
    for (const [key, runId] of draft.runIds) runIds.set(key, runId)
    return { commit: committed.length > 0 ? commits : null, rows: committed }
  }

  return {
    transaction(work) {
      const run = async () => {
        const { tx, draft, end } = begin()
        try {
          const value = await work(tx)
          end()
          return { value, commit: commit(draft) }
        } finally {
          end()
        }
      }
      const result = last.then(run, run)
      last = result
      return result
    },
    async messages() {
      return rows.slice()
    },
    async runs() {
      return [...runs.values()]
    },
    async fences() {
      return sortedFences(fences)
    },
    async close() {
      await last.catch(() => {})
    },
  }
}

function rowKey(runId: string, seq: number): string {
  return JSON.stringify([runId, seq])
}

function sortedFences(fences: ReadonlyMap<number, number>): readonly Fence[] {
  return [...fences]
    .map(([shard, highestToken]) => ({ shard, highestToken }))
    .sort((a, b) => a.shard - b.shard)
}
