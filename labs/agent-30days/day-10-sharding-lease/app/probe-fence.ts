/**
 * Asks the store directly, without Redis or leases, on a shard that nobody uses: a token, a smaller
 * one, the first one again, and a larger one that makes the first one stale. Prints the answers.
 */

import { JsonClient } from './json-http.ts'
import { say, textOf } from './log.ts'

const SHARD = 7
const store = new JsonClient(process.env.STORE_URL ?? 'http://127.0.0.1:7310')

for (const [seq, token] of [5, 4, 5, 6, 5].entries()) {
  const message = { shard: SHARD, token, runId: 'run-probe', seq: seq + 1, userId: 'u-0', body: '' }
  try {
    const { status } = await store.post('/messages', message, 2000)
    say('fence.answer', { token, status })
  } catch (error) {
    say('fence.answer', { token, error: textOf(error) })
  }
}
store.close()
