/**
 * What the programs require of the exercises' answers.
 *
 * Each check passes a right answer on and throws a `ContractError` for any other.
 */

import { broken } from 'agent-30days-shared/slip.ts'

/** `shardOf` must give a whole number from 0 to shardCount − 1. */
export function checkShard(shard: unknown, shardCount: number, userId: string): number {
  if (typeof shard === 'number' && Number.isInteger(shard) && shard >= 0 && shard < shardCount) {
    return shard
  }
  throw broken(
    `shard.ts: shardOf('${userId}')`,
    `a whole number from 0 to ${shardCount - 1}`,
    typeof shard === 'number' ? String(shard) : shard,
    'Return the digest’s number modulo SHARD_COUNT, not a promise or a string.',
  )
}

/** `tryAcquire` must give null or `{ token }` with a whole number from 1. */
export function checkClaim(claim: unknown): { readonly token: number } | null {
  if (claim === null) return null
  const token = typeof claim === 'object' ? (claim as { token?: unknown }).token : undefined
  if (typeof token === 'number' && Number.isSafeInteger(token) && token > 0) return { token }
  throw broken(
    'lease.ts: tryAcquire',
    '{ token: a whole number from 1 } or null',
    claim,
    'Answer null when another worker holds the lease, and the number that INCR gave when you won it.',
  )
}

/** `renew` must give 1 or 0. */
export function checkRenewal(answer: unknown): 0 | 1 {
  if (answer === 0 || answer === 1) return answer
  throw broken(
    'renew.ts: renew',
    '1 (renewed) or 0 (no longer mine)',
    answer,
    'Return what the script answers; let an error of Redis pass through.',
  )
}

/** `appendMessage` must give one of its three outcomes, and tell the truth about what it wrote. */
export function checkAppend(
  outcome: unknown,
  rowsWritten: number,
  highestToken: number,
): AppendKind {
  const kind = typeof outcome === 'object' && outcome ? (outcome as { kind?: unknown }).kind : null
  if (kind !== 'accepted' && kind !== 'duplicate' && kind !== 'refused') {
    throw broken(
      'store.ts: appendMessage',
      "{ kind: 'accepted' }, { kind: 'duplicate' } or { kind: 'refused', highestToken }",
      outcome,
      'Return one of the three on every path; is an await missing?',
    )
  }
  const expectedRows = kind === 'accepted' ? 1 : 0
  if (rowsWritten !== expectedRows) {
    throw broken(
      `store.ts: appendMessage answered '${kind}'`,
      `${expectedRows === 1 ? '1 message' : 'no message'} written`,
      rowsWritten,
      "Write once and say 'accepted', or write nothing and say why.",
    )
  }
  const told = (outcome as { highestToken?: unknown }).highestToken
  if (kind === 'refused' && told !== highestToken) {
    throw broken(
      "store.ts: appendMessage answered 'refused'",
      `highestToken ${highestToken}, which the shard's table has`,
      told,
      'Tell the writer the token that it lost to: the one from tx.highestToken.',
    )
  }
  return kind
}

/** What is inserted must be the message that was to be written, field by field. */
export function checkInserted(inserted: object, write: object): void {
  const got = inserted as Readonly<Record<string, unknown>>
  if (Object.entries(write).every(([name, value]) => got[name] === value)) return
  throw broken(
    'store.ts: appendMessage inserted a message',
    JSON.stringify(write),
    inserted,
    'Hand the write to tx.insertMessage as it came.',
  )
}

type AppendKind = 'accepted' | 'duplicate' | 'refused'

/** `processShard` must not resolve while messages that it was given are unhandled. */
export function checkAllHandled(handled: number, given: number): void {
  if (handled === given) return
  throw broken(
    'worker.ts: processShard',
    `${given} messages handled when it resolves`,
    handled,
    'Await handle(entry) for each of them before you return.',
  )
}
