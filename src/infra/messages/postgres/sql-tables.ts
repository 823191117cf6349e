/**
 * The message tables in Postgres, over whatever lends sessions (`connection.ts`).
 *
 * Isolation is READ COMMITTED: the row locks of `transaction.ts` do the rest, and no transaction has to
 * be repeated because of another one. Two that lock several shards in opposite order would wait for
 * each other; Postgres ends one of them, which then rejects as not happened.
 */

import type { MessageTables } from '../tables.ts'
import type { SqlDatabase, SqlRow } from './connection.ts'
import { certaintyOfCommit, DatabaseError } from './errors.ts'
import { statementsFor } from './statements.ts'
import { openTransaction, runOf } from './transaction.ts'

export interface SqlTablesOptions {
  /** A schema that `migrate` has brought up to date. */
  readonly schema: string
  /** How long one statement may take, waiting for a lock included. */
  readonly statementTimeoutMs: number
}

/** Tables in an up-to-date schema. */
export function sqlTables(database: SqlDatabase, options: SqlTablesOptions): MessageTables {
  const statements = statementsFor(options.schema)
  const begin = statements.begin(options.statementTimeoutMs)

  async function read(text: string): Promise<readonly SqlRow[]> {
    return await database.session(async (session) => {
      try {
        return await session.query(text)
      } catch (error) {
        throw failed('the tables could not be read', 'did-not-happen', error)
      }
    })
  }

  return {
    transaction(work) {
      return database.session(async (session) => {
        try {
          await session.run(begin)
        } catch (error) {
          throw failed('the transaction did not begin', 'did-not-happen', error)
        }
        const transaction = openTransaction(session, statements)
        try {
          const value = await work(transaction.tx)
          const commit = await transaction.finish()
          await session.run('COMMIT').catch((error: unknown) => {
            throw failed('the commit failed', certaintyOfCommit(error), error)
          })
          return { value, commit }
        } catch (error) {
          await transaction.abandon()
          // If this fails too, the connection is gone, and the transaction with it.
          await session.run('ROLLBACK').catch(() => {})
          throw error
        }
      })
    },
    async messages() {
      return (await read(statements.messages)).map((row) => ({
        shard: Number(row.shard),
        token: Number(row.token),
        runId: String(row.run_id),
        seq: Number(row.seq),
        userId: String(row.user_id),
        body: String(row.body),
        commit: Number(row.commit_number),
      }))
    },
    async runs() {
      return (await read(statements.runs)).map(runOf)
    },
    async fences() {
      return (await read(statements.fences)).map((row) => ({
        shard: Number(row.shard),
        highestToken: Number(row.highest_token),
      }))
    },
    close() {
      return database.end()
    },
  }
}

function failed(what: string, certainty: DatabaseError['certainty'], cause: unknown): Error {
  if (cause instanceof DatabaseError) return cause
  const text = cause instanceof Error ? cause.message : String(cause)
  return new DatabaseError(`${what}: ${text}`, certainty, cause)
}
