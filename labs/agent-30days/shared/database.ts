/**
 * The tables of a store process: in Postgres where `DATABASE_URL` is set, else in memory.
 *
 * `DATABASE_SCHEMA` (`leaselab`), `DATABASE_POOL_SIZE` (10), `DATABASE_PROCESSES` (1: how many stores
 * share the server), `DATABASE_TIMEOUT_MS` (5000: for one statement). What is wrong with them ends the
 * process with one sentence; an outage later on is answered with 503 and passes by itself.
 */

import { DatabaseError, type MessageTables, openTables, SettingError } from 'leaselab/messages'
import type { Route } from './json-http.ts'
import { say } from './log.ts'
import { type Env, wholeNumber } from './settings.ts'

/** Open tables, up to date. Does not come back when the database cannot be used. */
export async function tablesOf(env: Env): Promise<MessageTables> {
  if (!env.DATABASE_URL) return await openTables(null)
  try {
    return await openTables({
      url: env.DATABASE_URL,
      schema: env.DATABASE_SCHEMA || 'leaselab',
      poolSize: wholeNumber(env, 'DATABASE_POOL_SIZE', 10),
      processes: wholeNumber(env, 'DATABASE_PROCESSES', 1),
      statementTimeoutMs: wholeNumber(env, 'DATABASE_TIMEOUT_MS', 5000),
      onTrouble: (error) => say('store.database', { error }),
    })
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    // Something to mend where the program is started: its text is all that helps, no stack.
    console.error(error.message)
    process.exit(1)
  }
}

/**
 * The routes, with an outage of the database as an answer of its own, 503: `failed` when nothing was
 * written, `unknown` when that cannot be told.
 */
export function orUnavailable(
  routes: Readonly<Record<string, Route>>,
): Readonly<Record<string, Route>> {
  const guarded = (route: Route): Route => {
    return (body) =>
      route(body).catch((error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error
        const outcome = error.certainty === 'unknown' ? 'unknown' : 'failed'
        say('store.unavailable', { outcome, error: error.message })
        return { status: 503, body: { outcome, error: error.message } }
      })
  }
  return Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, guarded(route)]))
}
