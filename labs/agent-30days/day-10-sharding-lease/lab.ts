/** Manifest of the lab: what there is to solve, how it is graded, what can be run by hand. */

import { defineLab, type Pace } from '../../../src/judge/index.ts'
import { claimCheck } from './checks/claim.ts'
import { fenceCheck } from './checks/fence.ts'
import { orderCheck } from './checks/order.ts'
import { renewalCheck } from './checks/renewal.ts'
import { REAL, REAL_SPEED, type Times, VIRTUAL } from './checks/setting.ts'
import { spreadCheck } from './checks/spread.ts'
import { togetherCheck } from './checks/together.ts'

export default defineLab({
  name: 'day-10-sharding-lease',
  title: 'Sharding and leases: one user’s messages stay in order',
  solution: 'solution',
  starter: 'starter',
  modules: ['keys.ts', 'shard.ts', 'lease.ts', 'renew.ts', 'store.ts', 'worker.ts'],
  exercises: [
    {
      id: 1,
      file: 'shard.ts',
      exports: { SHARD_COUNT: 'number', shardOf: 'function' },
      summary: 'give every user a shard by digest',
    },
    {
      id: 2,
      file: 'lease.ts',
      exports: { tryAcquire: 'function' },
      summary: 'claim a shard only while nobody holds it, and for a limited time',
    },
    {
      id: 3,
      file: 'renew.ts',
      exports: { RENEW_SCRIPT: 'string', renew: 'function' },
      summary: 'compare and extend in one step',
    },
    {
      id: 4,
      file: 'store.ts',
      exports: { appendMessage: 'function' },
      summary: 'refuse writes of a holder that has been replaced',
    },
    {
      id: 5,
      file: 'worker.ts',
      exports: { processShard: 'function' },
      summary: 'handle a shard’s messages one after the other',
    },
  ],
  ...atPace(VIRTUAL),
  real: { speed: REAL_SPEED, ...atPace(REAL) },
  programs: {
    worker: 'app/worker-main.ts',
    store: 'app/store-main.ts',
    gateway: 'app/gateway-main.ts',
    customer: 'app/customer-main.ts',
  },
})

function atPace(times: Times): Pace {
  return {
    checks: [
      spreadCheck(times),
      claimCheck(times),
      renewalCheck(times),
      orderCheck(times),
      fenceCheck(times),
    ],
    together: togetherCheck(times),
  }
}
