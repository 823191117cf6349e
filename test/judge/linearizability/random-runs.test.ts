/**
 * The checker on random runs: a correct object is never called wrong, and a wrong one is caught.
 * A failure prints its seed.
 */

import { describe, expect, it } from 'vitest'
import { checkLinearizable } from '../../../src/judge/linearizability/check.ts'
import { fencedStoreModel } from '../../../src/judge/linearizability/models/fenced-store.ts'
import { leaseModel } from '../../../src/judge/linearizability/models/lease.ts'
import { registerModel } from '../../../src/judge/linearizability/models/register.ts'
import type { Model } from '../../../src/judge/linearizability/operation.ts'
import { Lease, type Load, Register, randomRun, Store, type Subject } from './random-runs.ts'

const RUNS = 40
const LOAD: Load = { resources: 2, clients: 4, calls: 12, lostPercent: 8, pauseUs: 1500 }
/** Long enough for a lease to lapse in. */
const SLOW: Load = { ...LOAD, pauseUs: 40_000 }
const BUDGET = { budget: 1_000_000 }

function kinds<S, In, Out>(
  model: Model<S, In, Out>,
  subject: () => Subject<In, Out>,
  load = LOAD,
): readonly string[] {
  return Array.from({ length: RUNS }, (_, n) => {
    const { kind } = checkLinearizable(model, randomRun(`run ${n}`, load, subject), BUDGET)
    return `run ${n}: ${kind}`
  })
}

const caught = (runs: readonly string[]) => runs.filter((run) => run.endsWith('violated')).length

describe(`${RUNS} random runs with lost answers`, () => {
  const linearizable = Array.from({ length: RUNS }, (_, n) => `run ${n}: linearizable`)

  it('of a correct register, lease and store are all linearizable', () => {
    expect(kinds(registerModel, () => new Register())).toEqual(linearizable)
    expect(kinds(leaseModel, () => new Lease())).toEqual(linearizable)
    expect(kinds(leaseModel, () => new Lease(), SLOW)).toEqual(linearizable)
    expect(kinds(fencedStoreModel, () => new Store())).toEqual(linearizable)
  })

  it('of wrong ones are caught: stale reads, lost updates, two owners, revived leases, open fences, doubles', () => {
    const wrong = {
      stale: caught(kinds(registerModel, () => new Register('stale'))),
      forgets: caught(kinds(registerModel, () => new Register('forgets'))),
      generous: caught(kinds(leaseModel, () => new Lease('generous'))),
      revives: caught(kinds(leaseModel, () => new Lease('revives'), SLOW)),
      open: caught(kinds(fencedStoreModel, () => new Store('open'))),
      doubles: caught(kinds(fencedStoreModel, () => new Store('doubles'))),
    }
    for (const [fault, many] of Object.entries(wrong)) {
      expect(many, `runs of ${fault} that were caught`).toBeGreaterThan(RUNS / 2)
    }
  })
})

describe('1,000 operations of 10 clients on 10 resources', () => {
  const load: Load = { resources: 10, clients: 10, calls: 10, lostPercent: 3, pauseUs: 1500 }

  it('are decided with fewer than 50 states an operation', () => {
    const run = randomRun('large', load, () => new Lease())
    expect(run).toHaveLength(1000)
    const verdict = checkLinearizable(leaseModel, run, { budget: 50_000 })
    expect(verdict).toMatchObject({ kind: 'linearizable', operations: 1000, resources: 10 })
  })
})
