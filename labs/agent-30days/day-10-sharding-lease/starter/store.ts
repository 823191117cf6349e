/** Exercise 4: the fence. Runs inside the store, within one transaction. */

import type { AppendOutcome, MessageRow, MessageTx } from 'leaselab/messages'

/**
 * Appends one message, unless its writer has been replaced: then `{ kind: 'refused', highestToken }`.
 * The store remembers the highest token of each shard: `tx.highestToken(shard)` reads it (0 if none),
 * `tx.raiseToken(shard, token)` moves it up.
 */
export async function appendMessage(tx: MessageTx, write: MessageRow): Promise<AppendOutcome> {
  // TODO exercise 4: who is allowed to write here, and what must the store remember for next time?
  return (await tx.insertMessage(write)) ? { kind: 'accepted' } : { kind: 'duplicate' }
}
