/**
 * One transaction on Postgres, seen as the tables' transaction.
 *
 * The fence is the row of the shard in `shard_fences`. Whatever a transaction asks of a shard first
 * locks that row: `passFence` by its one conditional statement, `highestToken` (which comes before a
 * comparison that somebody else makes) by SELECT … FOR UPDATE, and `insertMessage` as well, so that a
 * writer without a fence is at least in line with the others. From then on what was read stays true
 * until the transaction ends, and writers of one shard follow each other.
 *
 * Calls are carried out one after the other in the order in which they were made, also when nobody
 * awaits them. The statement that fails first decides: the transaction cannot commit any more.
 */

import { type RunRow, type RunStatus, statusBefore, whyNotMoved } from '../runs.ts'
import type { Commit, CommittedRow, FenceOutcome, MessageRow, TablesTx } from '../tables.ts'
import { mustBeMessage, mustBeText, mustBeWhole, otherKey, wouldLower } from '../values.ts'
import type { SqlRow, SqlSession } from './connection.ts'
import { DatabaseError } from './errors.ts'
import type { Statements } from './statements.ts'

export interface OpenTransaction {
  readonly tx: TablesTx
  /**
   * Takes no more calls and waits for those that were made. Resolves to what COMMIT is going to leave;
   * rejects if a statement failed, also when the work has caught that.
   */
  finish(): Promise<Commit>
  /** Takes no more calls and waits for those that were made; never rejects. */
  abandon(): Promise<void>
}

export function openTransaction(session: SqlSession, statements: Statements): OpenTransaction {
  /** Highest token of each shard whose row this transaction has locked. */
  const locked = new Map<number, number>()
  const rows: MessageRow[] = []
  /** The number of this transaction's rows, and how many shards were locked when it was drawn. */
  let number: { readonly value: number; readonly shards: number } | null = null
  let open = true
  let last: Promise<unknown> = Promise.resolve()
  let failure: DatabaseError | null = null

  async function send(text: string, ...values: readonly unknown[]): Promise<readonly SqlRow[]> {
    if (failure) throw failure
    try {
      return await session.query(text, values)
    } catch (error) {
      failure = new DatabaseError(
        `the transaction failed: ${textOf(error)}`,
        'did-not-happen',
        error,
      )
      throw failure
    }
  }

  function inOrder<T>(method: string, work: () => Promise<T>): Promise<T> {
    if (!open) {
      const text = `tx.${method}: this transaction has ended; is an await missing?`
      return Promise.reject(new Error(text))
    }
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  async function lock(shard: number): Promise<number> {
    const known = locked.get(shard)
    if (known !== undefined) return known
    let [row] = await send(statements.lockFence, shard)
    if (!row) {
      await send(statements.addFence, shard)
      ;[row] = await send(statements.lockFence, shard)
    }
    const highest = Number(row!.highest_token)
    locked.set(shard, highest)
    return highest
  }

  async function pass(shard: number, token: number): Promise<FenceOutcome> {
    mustBeWhole('shard', shard)
    mustBeWhole('token', token)
    // What is locked is known, so only a token that moves it needs the server.
    const known = locked.get(shard)
    if (known === undefined || token > known) {
      const [passed] = await send(statements.passFence, shard, token)
      if (passed) locked.set(shard, Number(passed.highest_token))
    }
    const highestToken = await lock(shard)
    return token < highestToken ? { kind: 'refused', highestToken } : { kind: 'passed' }
  }

  const tx: TablesTx = {
    highestToken(shard) {
      return inOrder('highestToken', async () => {
        mustBeWhole('shard', shard)
        return await lock(shard)
      })
    },
    raiseToken(shard, token) {
      return inOrder('raiseToken', async () => {
        const fence = await pass(shard, token)
        if (fence.kind === 'refused') throw wouldLower(shard, token, fence.highestToken)
      })
    },
    passFence(shard, token) {
      return inOrder('passFence', () => pass(shard, token))
    },
    insertMessage(row) {
      return inOrder('insertMessage', async () => {
        mustBeMessage(row)
        await lock(row.shard)
        const { runId, seq, shard, token, userId, body } = row
        const [written] = await send(
          statements.insertMessage,
          ...[runId, seq, shard, token, userId, body, number?.value ?? null],
        )
        if (!written) return false
        number ??= { value: Number(written.commit_number), shards: locked.size }
        rows.push({ runId, seq, shard, token, userId, body })
        return true
      })
    },
    createRun(runId, idempotencyKey) {
      return inOrder('createRun', async () => {
        mustBeText('runId', runId)
        mustBeText('idempotencyKey', idempotencyKey)
        const [made] = await send(statements.createRun, runId, idempotencyKey)
        if (made) return { run: runOf(made), isNew: true }
        const [there] = await send(statements.runByKey, idempotencyKey)
        if (!there) throw otherKey(runId)
        return { run: runOf(there), isNew: false }
      })
    },
    moveRun({ runId, to, fence }) {
      return inOrder('moveRun', async () => {
        mustBeText('runId', runId)
        const passed = fence ? await pass(fence.shard, fence.token) : null
        if (passed?.kind === 'refused') return passed
        const from = statusBefore(to)
        for (;;) {
          const moved = from && (await send(statements.moveRun, runId, to, from))[0]
          if (moved) return { kind: 'moved', from }
          const [there] = await send(statements.lockRun, runId)
          if (!there) return { kind: 'no-such-run' }
          // Between the two statements another transaction may have taken the step before this one.
          // Now the run is locked, so this can be true only once.
          if (there.status !== from) return whyNotMoved(there.status as RunStatus, to)
        }
      })
    },
    findRun(runId) {
      return inOrder('findRun', async () => {
        mustBeText('runId', runId)
        const [there] = await send(statements.runById, runId)
        return there ? runOf(there) : null
      })
    },
  }

  async function abandon(): Promise<void> {
    open = false
    await last
  }

  return {
    tx,
    abandon,
    async finish() {
      await abandon()
      if (failure) throw failure
      if (!number) return { commit: null, rows: [] }
      // Drawn while a shard is locked, numbers of that shard rise with its commits. For a shard that
      // was locked only afterwards the number may be too small by now.
      let commit = number.value
      if (locked.size > number.shards) {
        commit = Number((await send(statements.renumber, commit))[0]!.commit_number)
      }
      return { commit, rows: rows.map((row): CommittedRow => ({ ...row, commit })) }
    },
  }
}

export function runOf(row: SqlRow): RunRow {
  return {
    runId: String(row.run_id),
    idempotencyKey: String(row.idempotency_key),
    status: row.status as RunStatus,
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
