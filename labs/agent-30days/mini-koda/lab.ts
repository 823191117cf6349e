/** Manifest of the assembled system: the pieces of both labs, and the five checks of the whole. */

import { defineLab } from '../../../src/judge/index.ts'
import day10 from '../day-10-sharding-lease/lab.ts'
import day14 from '../day-14-compose-multi-worker/lab.ts'
import { deadCheck } from './checks/dead.ts'
import { drainedCheck } from './checks/drained.ts'
import { frozenCheck } from './checks/frozen.ts'
import { killedCheck } from './checks/killed.ts'
import { prefixCheck } from './checks/prefix.ts'
import { VIRTUAL } from './checks/setting.ts'
import { splitCheck } from './checks/split.ts'

const parts = [
  { name: 'day-10', lab: day10.name, solution: day10.solution, starter: day10.starter },
  { name: 'day-14', lab: day14.name, solution: day14.solution, starter: day14.starter },
]

export default defineLab({
  name: 'mini-koda',
  title: 'Mini-Koda: gateway, workers, leases, fences, drain and prefix in one',
  solution: 'solution',
  starter: 'starter',
  modules: [
    ...day10.modules.map((file) => `day-10/${file}`),
    ...day14.modules.map((file) => `day-14/${file}`),
  ],
  parts,
  given: { 'day-10/keys.ts': 'app/keys.ts' },
  exercises: [],
  checks: [
    splitCheck(VIRTUAL),
    frozenCheck(VIRTUAL),
    killedCheck(VIRTUAL),
    drainedCheck(VIRTUAL),
    prefixCheck(VIRTUAL),
  ],
  programs: {
    gateway: 'app/gateway-main.ts',
    worker: 'app/worker-main.ts',
    store: 'app/store-main.ts',
    customer: 'app/customer-main.ts',
  },
  together: deadCheck(VIRTUAL),
})
