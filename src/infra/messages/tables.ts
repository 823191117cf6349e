/**
 * The message tables: what they hold and what a transaction may do.
 *
 * `runs` (idempotency key unique, status) · `messages` (unique run and seq) · `shard_fences` (highest
 * token of each shard). Every method is asynchronous, so that a database can stand behind the same
 * interface; `highestToken` must then lock the shard's row until the transaction ends. Sequence
 * numbers and tokens are whole numbers from 1.
 */

export interface MessageRow {
  readonly shard: number
  /** Fence token of the writer's lease. */
  readonly token: number
  readonly runId: string
  readonly seq: number
  readonly userId: string
  readonly body: string
}

/** A row as it was committed; `commit` numbers the commits of the whole store from 1. */
export interface CommittedRow extends MessageRow {
  readonly commit: number
}

/** A run goes `queued → running → done | failed`; `queued` is left out where nobody queues. */
export type RunStatus = 'queued' | 'running' | 'done' | 'failed'

export interface RunRow {
  readonly runId: string
  readonly idempotencyKey: string
  readonly status: RunStatus
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

/** The view of one transaction. Usable until its work has settled; afterwards every call rejects. */
export interface MessageTx {
  /** Highest token seen for the shard, 0 if none. */
  highestToken(shard: number): Promise<number>
  /** Moves the shard's highest token up. An equal one changes nothing; a smaller one rejects. */
  raiseToken(shard: number, token: number): Promise<void>
  /** False, and nothing is written, if this run already has a message with this seq. */
  insertMessage(row: MessageRow): Promise<boolean>
  /** The run with this idempotency key: the one that is there, or else a new one with `status`. */
  openRun(runId: string, idempotencyKey: string, status: RunStatus): Promise<RunRow>
  /** The run of this id, or null. */
  findRun(runId: string): Promise<RunRow | null>
  /** Rejects if there is no such run. */
  setRunStatus(runId: string, status: RunStatus): Promise<void>
}

/** What a transaction left behind, as the tables saw it. */
export interface Commit {
  /** Null if it wrote nothing. */
  readonly commit: number | null
  readonly rows: readonly CommittedRow[]
  /** Fences that moved. */
  readonly fences: readonly Fence[]
}

export interface MessageTables {
  /**
   * Runs `work` in a transaction of its own, after those asked for before it. Commits when it
   * resolves; when it rejects, nothing of it stays and the rejection is passed on.
   */
  transaction<T>(
    work: (tx: MessageTx) => Promise<T>,
  ): Promise<{ readonly value: T; readonly commit: Commit }>
  /** All messages, in the order of their commits. */
  messages(): Promise<readonly CommittedRow[]>
  runs(): Promise<readonly RunRow[]>
  /** By shard, rising. */
  fences(): Promise<readonly Fence[]>
}
