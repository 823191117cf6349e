/**
 * Asks the store directly, without Redis or leases, on shards that nobody uses. `WRITES` lists what
 * is sent: `[[shard, token, seq], …]`, all of one run. Prints the answers.
 */

import { JsonClient } from 'agent-30days-shared/json-http.ts'
import { say, textOf } from 'agent-30days-shared/log.ts'

const store = new JsonClient(process.env.STORE_URL ?? 'http://127.0.0.1:7310')
const writes = JSON.parse(process.env.WRITES ?? '[]') as readonly (readonly [
  number,
  number,
  number,
])[]

for (const [shard, token, seq] of writes) {
  const message = { shard, token, runId: 'run-probe', seq, userId: 'u-0', body: `message ${seq}` }
  try {
    const { status } = await store.post('/messages', message, 2000)
    say('fence.answer', { shard, token, status })
  } catch (error) {
    say('fence.answer', { shard, token, error: textOf(error) })
  }
}
store.close()
