/** What every check of the assembled system looks at besides its own story: order, once, tokens. */

import type { Append } from '../../../../src/judge/index.ts'

export interface Disorder {
  readonly got: string
  readonly file: string
  readonly hint: string
}

/** The first message that is out of its session's order, or written with a token that went back. */
export function disorder(written: readonly Append[]): Disorder | null {
  const highest = new Map<number, number>()
  const next = new Map<string, number>()
  for (const { shard, token, runId, seq } of written) {
    if (token < (highest.get(shard) ?? 0)) {
      return {
        got: `token ${token} wrote after ${highest.get(shard)}`,
        file: 'day-10/store.ts',
        hint: 'A smaller token than the highest that the shard has seen writes nothing.',
      }
    }
    highest.set(shard, token)
    const due = next.get(runId) ?? 1
    if (seq !== due) {
      return {
        got: `${runId}: message ${seq} came when ${due} was due`,
        file: 'day-10/worker.ts',
        hint: 'Within a shard one message is handled after the other.',
      }
    }
    next.set(runId, due + 1)
  }
  return null
}
