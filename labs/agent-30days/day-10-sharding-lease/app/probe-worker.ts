/**
 * Calls `processShard` directly: with messages of two users that take shorter and shorter, the first
 * far longer than any in the cluster (no timeout may stand in for its end), and with
 * one that fails in the middle. Prints what is begun, what is done, and how the whole ended.
 */

import { say } from 'agent-30days-shared/log.ts'
import { type Entry, processShard } from '#exercises/worker.ts'

const unitMs = Number(process.env.HANDLE_MS ?? 100)

/** Four messages, alternating between two users of one shard. */
const entries: readonly Entry[] = [1, 2, 3, 4].map((n) => ({
  id: `${n}-0`,
  runId: `run-${n}`,
  seq: Math.ceil(n / 2),
  userId: n % 2 === 1 ? 'u-1001' : 'u-1059',
  text: '',
}))

async function probe(run: string, failing: number | null): Promise<void> {
  const step = (what: string) => say('shard.step', { run, what })
  const handle = async ({ id }: Entry): Promise<void> => {
    const n = Number.parseInt(id, 10)
    step(`begin ${n}`)
    await pause((entries.length + 1 - n) * 10 * unitMs)
    step(n === failing ? `fail ${n}` : `end ${n}`)
    if (n === failing) throw new Error(`message ${n} cannot be handled`)
  }
  try {
    await processShard([...entries], handle)
    step('resolved')
  } catch {
    step('rejected')
  }
  // Whatever was begun and is still under way shows up now.
  await pause(entries.length * 10 * unitMs)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

await probe('order', null)
await probe('failure', 2)
say('shard.probed')
