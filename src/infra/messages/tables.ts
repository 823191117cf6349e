/**
 * The message tables: what they hold and what a transaction may do.
 *
 * `runs` (idempotency key unique, status) · `messages` (unique run and seq) · `shard_fences` (highest
 * token of each shard). Two implementations, in memory and in Postgres, with the same answers. Tokens
 * and sequence numbers are whole numbers; texts are well-formed Unicode without the character zero.
 */

import type { RunRow, RunTx } from './runs.ts'

export interface MessageRow {
  readonly shard: number
  /** Fence token of the writer's lease. */
  readonly token: number
  readonly runId: string
  readonly seq: number
  readonly userId: string
  readonly body: string
}

/**
 * A row as it was committed. `commit` rises from 1 in the order of the commits: of all of them in
 * memory, of those that touch one shard in a database. Numbers may be left out.
 */
export interface CommittedRow extends MessageRow {
  readonly commit: number
}

export interface Fence {
  readonly shard: number
  readonly highestToken: number
}

/** What became of a message that somebody wanted to append. */
export type AppendOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'refused'; readonly highestToken: number }

/** What a fence says to a token. */
export type FenceOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused'; readonly highestToken: number }

/** The view of one transaction. Usable until its work has settled; afterwards every call rejects. */
export interface MessageTx {
  /** Highest token seen for the shard, 0 if none. No other transaction moves it until this one ends. */
  highestToken(shard: number): Promise<number>
  /** Moves the shard's highest token up. An equal one changes nothing; a smaller one rejects. */
  raiseToken(shard: number, token: number): Promise<void>
  /** False, and nothing is written, if this run already has a message with this seq. */
  insertMessage(row: MessageRow): Promise<boolean>
}

/** The fence as one step: compares, raises and holds the shard until the transaction ends. */
export interface FenceTx {
  /** An equal or larger token passes and is the shard's highest from now on; a smaller is refused. */
  passFence(shard: number, token: number): Promise<FenceOutcome>
}

export interface TablesTx extends MessageTx, FenceTx, RunTx {}

/** What a transaction left behind, as the tables saw it. */
export interface Commit {
  /** The number of its commit; null if it wrote no message. */
  readonly commit: number | null
  readonly rows: readonly CommittedRow[]
}

export interface MessageTables {
  /**
   * Runs `work` in a transaction of its own. Commits when it resolves; when it rejects, nothing of it
   * stays and the rejection is passed on. In memory one transaction follows the other; in a database
   * they run side by side, those that meet at a shard's fence one after the other.
   *
   * A database that fails rejects with a `DatabaseError`, whose `certainty` tells whether the work may
   * have been committed all the same.
   */
  transaction<T>(
    work: (tx: TablesTx) => Promise<T>,
  ): Promise<{ readonly value: T; readonly commit: Commit }>
  /** All messages, by `commit`. */
  messages(): Promise<readonly CommittedRow[]>
  /** In the order of their creation. */
  runs(): Promise<readonly RunRow[]>
  /** By shard, rising; shards that no token has reached are left out. */
  fences(): Promise<readonly Fence[]>
  /** Lets go of connections, after the transactions that are under way. */
  close(): Promise<void>
}
