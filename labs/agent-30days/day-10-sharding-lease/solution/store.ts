/** Exercise 4: the fence. Runs inside the store, within one transaction. */

import type { AppendOutcome, MessageRow, MessageTx } from 'leaselab/messages'

/** Appends one message, unless its writer has been replaced. */
export async function appendMessage(tx: MessageTx, write: MessageRow): Promise<AppendOutcome> {
  const highestToken = await tx.highestToken(write.shard)
  if (write.token < highestToken) return { kind: 'refused', highestToken }
  await tx.raiseToken(write.shard, write.token)
  return (await tx.insertMessage(write)) ? { kind: 'accepted' } : { kind: 'duplicate' }
}
