/**
 * What the tables need of a database client: sessions that are lent one at a time.
 *
 * Behind it stands a pool of `pg` (`pool.ts`) or, in tests, a Postgres in WebAssembly. Whole numbers of
 * eight bytes come as texts or as numbers, as the client likes; readers take `Number(…)` of them.
 */

export type SqlRow = Readonly<Record<string, unknown>>

export interface SqlSession {
  /** One statement with its values. Resolves to the rows that it returned. */
  query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>
  /** One or more statements without values, in one round trip. */
  run(text: string): Promise<void>
}

export interface SqlDatabase {
  /**
   * Lends a session to `work`, alone, and takes it back when it settles. A session whose connection
   * broke is thrown away. Rejects with what `work` rejects with, or with a `DatabaseError` when there
   * is no session to be had.
   */
  session<T>(work: (session: SqlSession) => Promise<T>): Promise<T>
  /** Ends all sessions, after the work that is under way. */
  end(): Promise<void>
}
