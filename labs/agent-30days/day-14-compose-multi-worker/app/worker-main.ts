/** A worker as a process. Settings: see config.ts and times.ts. */

import { connectForCommands, connectForReads } from 'agent-30days-shared/redis.ts'
import { endWith } from 'agent-30days-shared/slip.ts'
import { shutdown } from '#exercises/shutdown.ts'
import { workerConfig } from './config.ts'
import { HttpRunStore } from './run-store.ts'
import { Worker } from './worker.ts'

const config = workerConfig(process.env)
const { times } = config
const store = new HttpRunStore(config.storeUrl, times.callTimeoutMs)
const commands = connectForCommands(config.redisUrl)
const worker = new Worker(config, commands, connectForReads(config.redisUrl), store)

process.on('SIGTERM', () => {
  shutdown(worker, times.drainCeilingMs).catch(endWith)
})
