/**
 * The invariants, and linearizability, on the worlds of the lab's checks: the solution breaks none, the
 * starter breaks those that its holes are about. `LEASELAB_SEEDS=20` looks at more seeds than 3.
 */

import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { settingOf } from '../../../labs/agent-30days/day-10-sharding-lease/checks/invariant-setting.ts'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { InvariantId, InvariantVerdict } from '../../../src/judge/invariants/invariant.ts'
import { checkInvariants } from '../../../src/judge/invariants/registry.ts'
import { checkLinearizable } from '../../../src/judge/linearizability/check.ts'
import { leaseOperations, storeOperations } from '../../../src/judge/linearizability/extract.ts'
import { fencedStoreModel } from '../../../src/judge/linearizability/models/fenced-store.ts'
import { leaseModel } from '../../../src/judge/linearizability/models/lease.ts'
import type { Setting } from '../../../src/judge/setting.ts'
import type { History } from '../../../src/trace/history.ts'
import { historiesOf, labDirOf, starterIsEdited } from '../worlds.ts'

const SEEDS = Array.from({ length: Number(process.env.LEASELAB_SEEDS ?? 3) }, (_, n) => `${n + 1}`)
const BUDGET = { budget: 1_000_000 }
const LAB_DIR = labDirOf(lab)
const starterEdited = starterIsEdited(lab)

interface Run {
  /** `check-3 of seed 2`. */
  readonly name: string
  readonly check: string
  readonly history: History
  readonly setting: Setting
}

async function runsOf(target: string): Promise<readonly Run[]> {
  const told = await historiesOf(lab, join(LAB_DIR, target), SEEDS)
  return told.map(({ check, seed, scenario, history }) => {
    return { name: `${check} of seed ${seed}`, check, history, setting: settingOf(scenario) }
  })
}

const kindsOf = (verdicts: ReadonlyMap<InvariantId, InvariantVerdict>, kind: string) =>
  [...verdicts].filter(([, verdict]) => verdict.kind === kind).map(([id]) => id)

const leaseVerdict = ({ history, setting }: Run) =>
  checkLinearizable(
    leaseModel,
    leaseOperations(history, setting.leases!, setting.messages).operations,
    BUDGET,
  )
const storeVerdict = ({ history, setting }: Run) =>
  checkLinearizable(fencedStoreModel, storeOperations(history, setting.store!), BUDGET)

describe(`the solution, ${SEEDS.length} seeds`, () => {
  let runs: readonly Run[] = []
  beforeAll(async () => {
    runs = await runsOf('solution')
  }, 300_000)

  it('breaks no invariant', () => {
    for (const { name, history, setting } of runs) {
      const violated = [...checkInvariants(history, setting)].flatMap(([id, verdict]) =>
        verdict.kind === 'violated' ? [`${name}: ${id}: ${verdict.violations[0]?.sentence}`] : [],
      )
      expect(violated).toEqual([])
    }
  })

  it('every invariant that a lab without lock service, panel and drain can show, some world shows', () => {
    const held = new Set(
      runs.flatMap(({ history, setting }) => kindsOf(checkInvariants(history, setting), 'held')),
    )
    const shown = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I11', 'I16']
    expect([...held].sort()).toEqual([...shown].sort())
  })

  it('has linearizable leases and a linearizable store, wherever there are operations', () => {
    for (const run of runs) {
      for (const verdict of [leaseVerdict(run), storeVerdict(run)]) {
        const nothing = verdict.kind === 'not-decided' && verdict.why === 'no-operations'
        expect(nothing ? 'linearizable' : verdict.kind, run.name).toBe('linearizable')
        if (run.check === 'together') expect(verdict.operations).toBeGreaterThan(7)
      }
    }
  })

  it('every command on a lease is read as an operation', () => {
    for (const { name, history, setting } of runs) {
      const { unread } = leaseOperations(history, setting.leases!, setting.messages)
      expect(unread, name).toBe(0)
    }
  })
})

describe.skipIf(starterEdited)(`the starter, ${SEEDS.length} seeds`, () => {
  let runs: readonly Run[] = []
  beforeAll(async () => {
    runs = await runsOf('starter')
  }, 300_000)

  it.each([
    ['check-2', ['I2', 'I3']],
    ['check-3', ['I8']],
    ['check-4', ['I4']],
    ['check-5', ['I1']],
    ['together', ['I2', 'I3', 'I4']],
  ])('%s breaks %j', (check, ids) => {
    const own = runs.filter((run) => run.check === check)
    expect(own).toHaveLength(SEEDS.length)
    for (const { history, setting } of own) {
      expect(kindsOf(checkInvariants(history, setting), 'violated')).toEqual(ids)
    }
  })

  it('check 5: the sentence names the zombie, both tokens and both instants', () => {
    const run = runs.find(({ check }) => check === 'check-5')!
    const verdict = checkInvariants(run.history, run.setting).get('I1')
    if (verdict?.kind !== 'violated') throw new Error(String(verdict?.kind))
    expect(verdict.violations.at(-1)?.sentence).toMatch(
      /^worker-a, a zombie since \d+\.\d+ s, wrote with token 1 at \d+\.\d+ s after token 2 of worker-b had been planted at \d+\.\d+ s$/,
    )
  })

  it('has leases that are not linearizable in checks 2 and 3, and a store in check 5', () => {
    for (const run of runs) {
      const broken = { 'check-2': 'lease', 'check-3': 'lease', together: 'lease' }[run.check]
      expect(leaseVerdict(run).kind === 'violated', `${run.name}, leases`).toBe(broken === 'lease')
      expect(storeVerdict(run).kind === 'violated', `${run.name}, store`).toBe(
        run.check === 'check-5',
      )
    }
  })
})
