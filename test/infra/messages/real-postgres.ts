/**
 * Whether there is a Postgres to start, for the tests that need a real one.
 *
 * Debian, Ubuntu: apt-get install postgresql. Without one these tests are skipped with a line that says
 * so; with LEASELAB_REAL_POSTGRES=1 that is a failure.
 */

import pg from 'pg'
import { expect, it } from 'vitest'
import { installedPostgres } from '../../../scripts/servers.mjs'

const HOW = 'install Postgres 13 or newer (apt-get install postgresql) to run these tests'

export const postgresVersion = installedPostgres()
export const hasPostgres = Number.parseInt(postgresVersion ?? '0', 10) >= 13

/** Declares the test that fails, or is skipped, where there is none. */
export function tellWithoutPostgres(): void {
  const found = `found ${postgresVersion ?? 'no Postgres'}; ${HOW}`
  it.runIf(process.env.LEASELAB_REAL_POSTGRES === '1')('a Postgres is installed', () => {
    expect(hasPostgres, found).toBe(true)
  })
  it.skipIf(hasPostgres)(`skipped: ${found}`, () => {})
}

/** One statement on a connection of its own. */
export async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
