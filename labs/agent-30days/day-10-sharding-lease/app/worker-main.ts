/**
 * A worker: holds leases of shards and handles their messages, each shard's one after the other.
 *
 * Settings: see config.ts. Ends on SIGTERM without giving leases back: what it had in hand stays
 * pending, the leases lapse, and a successor redoes the rest one TTL later. (Handing over without that
 * wait is the subject of another lab.)
 */

import { say } from 'agent-30days-shared/log.ts'
import { connectForCommands, connectForReads } from 'agent-30days-shared/redis.ts'
import { SHARD_COUNT } from '#exercises/shard.ts'
import { workerConfig } from './config.ts'
import { refuseOtherShardCount } from './shard-count.ts'
import { StoreClient } from './store-client.ts'
import { Worker } from './worker.ts'

const config = workerConfig(process.env)
const commands = connectForCommands(config.redisUrl)
const reads = connectForReads(config.redisUrl)
const store = new StoreClient(config.storeUrl, config.callTimeoutMs)

await refuseOtherShardCount(commands, SHARD_COUNT)
const worker = new Worker(config, SHARD_COUNT, commands, reads, store)
say('worker.ready', { workerId: config.workerId, pid: process.pid, share: worker.share })
worker.start()

process.on('SIGTERM', () => {
  worker.stop()
  store.close()
  reads.disconnect()
  commands.disconnect()
})
