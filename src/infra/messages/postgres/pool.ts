/**
 * A pool of `pg` connections that lends sessions.
 *
 * A connection that broke is thrown away and the next loan opens a new one, so an outage ends by
 * itself. An answer that does not come counts as a broken connection: the server's own timeout cannot
 * be heard from a server that stands still. Errors of idle connections are told, never thrown.
 */

import pg from 'pg'
import type { SqlDatabase, SqlSession } from './connection.ts'
import { DatabaseError, endsSession } from './errors.ts'

export interface PoolOptions {
  readonly url: string
  /** At most so many connections. */
  readonly size: number
  /** How long a connection, or a place in the pool, may take to come. */
  readonly connectTimeoutMs: number
  /** How long an answer may take. More than the server's statement timeout. */
  readonly answerTimeoutMs: number
  /** Hears of a connection that broke while nobody used it. */
  readonly onTrouble: (text: string) => void
}

export function openPool(options: PoolOptions): SqlDatabase {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.answerTimeoutMs,
    application_name: 'leaselab',
    keepAlive: true,
  })
  // A client without a listener would end the process when its connection breaks. Whoever waits for an
  // answer hears of it anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => options.onTrouble(error.message))

  return {
    async session(work) {
      const client = await pool.connect().catch((error: Error) => {
        throw new DatabaseError(`no connection: ${error.message}`, 'did-not-happen', error)
      })
      let broken = false
      let lost: Error | null = null
      const onLost = (error: Error) => {
        lost ??= error
        broken = true
      }
      client.on('error', onLost)
      const watched = async <T>(send: () => Promise<T>): Promise<T> => {
        // Known before it is sent: then not even a COMMIT can have been carried out.
        if (lost) {
          throw new DatabaseError(`connection lost: ${lost.message}`, 'did-not-happen', lost)
        }
        try {
          return await send()
        } catch (error) {
          broken ||= endsSession(error)
          throw error
        }
      }
      const session: SqlSession = {
        async query(text, values = []) {
          return (await watched(() => client.query(text, [...values]))).rows
        },
        async run(text) {
          await watched(() => client.query(text))
        },
      }
      try {
        return await work(session)
      } finally {
        client.off('error', onLost)
        client.release(broken)
      }
    },
    async end() {
      await pool.end()
    },
  }
}
