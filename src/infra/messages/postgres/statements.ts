/**
 * Every statement that the tables send, for one schema. Names are qualified instead of a search path,
 * so that a pooler between us and the server may give each transaction another session.
 */

export type Statements = ReturnType<typeof statementsFor>

export function statementsFor(schema: string) {
  const runColumns = 'run_id, idempotency_key, status'
  return {
    /** $1 statement timeout in ms: nobody waits for a row, or for us, for longer than that. */
    begin: (timeoutMs: number) =>
      `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs}`,

    /** $1 shard. Waits for whoever holds the shard, and sees what that one committed. */
    lockFence: `SELECT highest_token FROM ${schema}.shard_fences WHERE shard = $1 FOR UPDATE`,

    /** $1 shard. A row to lock, for a shard that has none yet. */
    addFence: `INSERT INTO ${schema}.shard_fences (shard, highest_token) VALUES ($1, 0)
      ON CONFLICT (shard) DO NOTHING`,

    /**
     * The fence. $1 shard, $2 token. A row comes back if the token passes, none if it is smaller than
     * the shard's highest. Either way the shard's row is locked until the transaction ends: ON CONFLICT
     * locks it before it looks at the condition.
     */
    passFence: `INSERT INTO ${schema}.shard_fences AS fence (shard, highest_token) VALUES ($1, $2)
      ON CONFLICT (shard) DO UPDATE SET highest_token = excluded.highest_token
      WHERE fence.highest_token <= excluded.highest_token
      RETURNING highest_token`,

    /** $1 run, $2 seq, $3 shard, $4 token, $5 user, $6 body, $7 commit number or null for the next. */
    insertMessage: `INSERT INTO ${schema}.messages
      (run_id, seq, shard, token, user_id, body, commit_number)
      VALUES ($1, $2, $3, $4, $5, $6, coalesce($7::bigint, nextval('${schema}.commit_numbers')))
      ON CONFLICT (run_id, seq) DO NOTHING
      RETURNING commit_number`,

    /** $1 the number that this transaction's rows have. They get the next one. */
    renumber: `WITH next AS MATERIALIZED (SELECT nextval('${schema}.commit_numbers') AS number)
      UPDATE ${schema}.messages SET commit_number = next.number FROM next WHERE commit_number = $1
      RETURNING commit_number`,

    /** $1 run, $2 idempotency key. No row if one of the two is there already. */
    createRun: `INSERT INTO ${schema}.runs (run_id, idempotency_key, status)
      VALUES ($1, $2, 'queued') ON CONFLICT DO NOTHING RETURNING ${runColumns}`,

    /** $1 idempotency key. */
    runByKey: `SELECT ${runColumns} FROM ${schema}.runs WHERE idempotency_key = $1`,

    /** $1 run. */
    runById: `SELECT ${runColumns} FROM ${schema}.runs WHERE run_id = $1`,

    /** $1 run. */
    lockRun: `SELECT status FROM ${schema}.runs WHERE run_id = $1 FOR UPDATE`,

    /** $1 run, $2 status to set, $3 status that it must have. No row if it has another. */
    moveRun: `UPDATE ${schema}.runs SET status = $2 WHERE run_id = $1 AND status = $3 RETURNING run_id`,

    messages: `SELECT run_id, seq, shard, token, user_id, body, commit_number
      FROM ${schema}.messages ORDER BY commit_number, insertion`,

    runs: `SELECT ${runColumns} FROM ${schema}.runs ORDER BY creation`,

    fences: `SELECT shard, highest_token FROM ${schema}.shard_fences
      WHERE highest_token > 0 ORDER BY shard`,
  } as const
}
