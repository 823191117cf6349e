/**
 * Which tables a program gets: in Postgres where an address is given, else in memory.
 *
 * Postgres is loaded only then, so that a program in memory neither needs nor waits for its client.
 */

import { memoryTables } from './memory.ts'
import type { DatabaseSettings } from './postgres/open.ts'
import type { MessageTables } from './tables.ts'

/** Null asks for tables in memory. Throws `SettingError` when the database cannot be used. */
export async function openTables(settings: DatabaseSettings | null): Promise<MessageTables> {
  if (!settings) return memoryTables()
  const { openPostgres } = await import('./postgres/open.ts')
  return await openPostgres(settings)
}

/** Drops the schema of a run, if it was made here. False if there is none. Throws `SettingError`. */
export async function dropTables(settings: DatabaseSettings): Promise<boolean> {
  const { dropPostgres } = await import('./postgres/open.ts')
  return await dropPostgres(settings)
}
