/**
 * The message tables in memory: transactions one after the other, each all or nothing.
 *
 * A transaction writes into a draft of its own, which is laid over the tables and becomes part of
 * them only when its work resolves. Running one at a time is the strictest isolation there is, so a
 * comparison and the write that follows it cannot be torn apart. Not here: durability.
 */

import type {
  Commit,
  CommittedRow,
  Fence,
  MessageRow,
  MessageTables,
  MessageTx,
  RunRow,
} from './tables.ts'

interface Draft {
  readonly rows: MessageRow[]
  readonly rowKeys: Set<string>
  readonly fences: Map<number, number>
  /** By run id. */
  readonly runs: Map<string, RunRow>
}

/** Empty tables. */
export function memoryTables(): MessageTables {
  const rows: CommittedRow[] = []
  const rowKeys = new Set<string>()
  const fences = new Map<number, number>()
  const runs = new Map<string, RunRow>()
  let commits = 0
  let last: Promise<unknown> = Promise.resolve()

  function begin(): { readonly tx: MessageTx; readonly draft: Draft; readonly end: () => void } {
    const draft: Draft = { rows: [], rowKeys: new Set(), fences: new Map(), runs: new Map() }
    let open = true
    // Not awaited by mistake, a call can arrive when its transaction is over; taking it would write
    // outside of any transaction.
    const mustBeOpen = (method: string) => {
      if (!open) throw new Error(`tx.${method}: this transaction has ended; is an await missing?`)
    }
    const fenceOf = (shard: number) => draft.fences.get(shard) ?? fences.get(shard) ?? 0
    const runOf = (runId: string) => draft.runs.get(runId) ?? runs.get(runId)
    const tx: MessageTx = {
      async highestToken(shard) {
        mustBeOpen('highestToken')
        mustBeWhole('shard', shard)
        return fenceOf(shard)
      },
      async raiseToken(shard, token) {
        mustBeOpen('raiseToken')
        mustBeWhole('shard', shard)
        mustBeWhole('token', token)
        const highest = fenceOf(shard)
        if (token < highest) {
          throw new Error(`tx.raiseToken: shard ${shard} is at ${highest}, ${token} would lower it`)
        }
        if (token > highest) draft.fences.set(shard, token)
      },
      async insertMessage(row) {
        mustBeOpen('insertMessage')
        for (const name of ['shard', 'token', 'seq'] as const) mustBeWhole(name, row[name])
        const key = rowKey(row.runId, row.seq)
        if (rowKeys.has(key) || draft.rowKeys.has(key)) return false
        draft.rowKeys.add(key)
        draft.rows.push({ ...row })
        return true
      },
      async openRun(runId, idempotencyKey, status) {
        mustBeOpen('openRun')
        for (const run of [...draft.runs.values(), ...runs.values()]) {
          if (run.idempotencyKey === idempotencyKey) return runOf(run.runId) ?? run
        }
        if (runOf(runId)) throw new Error(`tx.openRun: run ${runId} has another idempotency key`)
        const run: RunRow = { runId, idempotencyKey, status }
        draft.runs.set(runId, run)
        return run
      },
      async findRun(runId) {
        mustBeOpen('findRun')
        return runOf(runId) ?? null
      },
      async setRunStatus(runId, status) {
        mustBeOpen('setRunStatus')
        const run = runOf(runId)
        if (!run) throw new Error(`tx.setRunStatus: there is no run ${runId}`)
        draft.runs.set(runId, { ...run, status })
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
    if (!wrote) return { commit: null, rows: [], fences: [] }
    commits += 1
    const committed = draft.rows.map((row) => ({ ...row, commit: commits }))
    for (const row of committed) {
      rows.push(row)
      rowKeys.add(rowKey(row.runId, row.seq))
    }
    for (const [shard, token] of draft.fences) fences.set(shard, token)
    for (const [runId, run] of draft.runs) runs.set(runId, run)
    return { commit: commits, rows: committed, fences: sortedFences(draft.fences) }
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

function mustBeWhole(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new TypeError(`message tables: ${name} must be a whole number, got ${String(value)}`)
  }
}
