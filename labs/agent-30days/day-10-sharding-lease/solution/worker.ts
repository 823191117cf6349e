/** Exercise 5: the messages of one shard, one after the other. */

/** One message of a substream. `seq` counts the messages of its conversation from 1. */
export interface Entry {
  readonly id: string
  readonly runId: string
  readonly seq: number
  readonly userId: string
  readonly text: string
}

/**
 * Handles what was read from one shard, in that order. Resolves when all of it is handled; when
 * `handle` rejects, the rest stays unhandled and the rejection is passed on.
 */
export async function processShard(
  entries: readonly Entry[],
  handle: (entry: Entry) => Promise<void>,
): Promise<void> {
  for (const entry of entries) await handle(entry)
}
