/** A Postgres in WebAssembly behind the interface of the tables: one session, lent to one at a time. */

import type { PGlite } from '@electric-sql/pglite'
import type { SqlDatabase, SqlRow } from '../../../src/infra/messages/postgres/connection.ts'

export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** `end` leaves the instance as it is: making one takes seconds. `onSent` hears of each statement. */
export function pgliteDatabase(
  pglite: PGlite,
  onSent: (sent: Sent) => void = () => {},
): SqlDatabase {
  let last: Promise<unknown> = Promise.resolve()
  const session = {
    async query(text: string, values: readonly unknown[] = []) {
      onSent({ text, values })
      return (await pglite.query<SqlRow>(text, [...values])).rows
    },
    async run(text: string) {
      onSent({ text, values: [] })
      await pglite.exec(text)
    },
  }
  return {
    session(work) {
      const result = last.then(() => work(session))
      last = result.catch(() => {})
      return result
    },
    async end() {
      await last
    },
  }
}
