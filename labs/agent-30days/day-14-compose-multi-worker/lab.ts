/** Manifest of the lab: what there is to solve, how it is graded, what can be run by hand. */

import { defineLab } from '../../../src/judge/index.ts'
import { aliveCheck } from './checks/alive.ts'
import { drainCheck } from './checks/drain.ts'
import { panelCheck } from './checks/panel.ts'
import { prefixCheck } from './checks/prefix.ts'
import { VIRTUAL } from './checks/setting.ts'
import { shareCheck } from './checks/share.ts'
import { togetherCheck } from './checks/together.ts'

export default defineLab({
  name: 'day-14-compose-multi-worker',
  title: 'Many workers: who is alive, and how one goes',
  solution: 'solution',
  starter: 'starter',
  modules: ['env.ts', 'heartbeat.ts', 'panel.ts', 'lease.ts', 'presence.ts', 'shutdown.ts'],
  exercises: [
    {
      id: 1,
      file: 'heartbeat.ts',
      exports: { startHeartbeat: 'function', isAlive: 'function' },
      summary: 'tell by the age of its last beat whether a worker is alive',
    },
    {
      id: 2,
      file: 'panel.ts',
      exports: { summarize: 'function', readiness: 'function' },
      summary: 'sum the workers up, and keep readiness out of it',
    },
    {
      id: 3,
      file: 'shutdown.ts',
      exports: { shutdown: 'function' },
      summary: 'go in three steps: take nothing new, finish, give back',
    },
    {
      id: 4,
      file: 'env.ts',
      exports: {
        GROUP: 'string',
        appEnv: 'function',
        namespaced: 'function',
        runsStream: 'function',
        workersKey: 'function',
        leaseKey: 'function',
        fenceCounter: 'function',
        publishedKey: 'function',
        assertProdSafety: 'function',
      },
      summary: 'put the environment in front of every key',
    },
  ],
  checks: [
    shareCheck(VIRTUAL),
    aliveCheck(VIRTUAL),
    panelCheck(VIRTUAL),
    drainCheck(VIRTUAL),
    prefixCheck(VIRTUAL),
  ],
  programs: {
    app: 'app/main.ts',
    gateway: 'app/gateway-main.ts',
    worker: 'app/worker-main.ts',
    store: 'app/store-main.ts',
    customer: 'app/customer-main.ts',
  },
  together: togetherCheck(VIRTUAL),
})
