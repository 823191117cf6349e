/** The gateway as a process. Settings: see config.ts and times.ts. */

import { connectForCommands } from 'agent-30days-shared/redis.ts'
import { gatewayConfig } from './config.ts'
import { HttpRunStore } from './run-store.ts'
import { serveGateway } from './serve-gateway.ts'

const config = gatewayConfig(process.env)
const redis = connectForCommands(config.redisUrl)
serveGateway(config, redis, new HttpRunStore(config.storeUrl, config.times.callTimeoutMs))
