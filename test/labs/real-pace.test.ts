/** Every lab's checks come at two paces, and differ in their times alone. */

import { describe, expect, test } from 'vitest'
import day10 from '../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { Check, Lab } from '../../src/judge/lab.ts'

const LABS: readonly Lab[] = [day10]

type Timed = Omit<Check, 'id' | 'exercise'>

/** Who takes part, and what is done to whom at which point; numbers are times, and left out. */
const shape = ({ title, note, scenario }: Timed) => ({
  title,
  note,
  processes: Object.entries(scenario.processes).map(([name, { program, begins, ends, env }]) => {
    return { name, program, begins, ends, settings: Object.keys(env ?? {}) }
  }),
  timeline: JSON.parse(
    JSON.stringify(scenario.timeline, (key, value) => (key.endsWith('Ms') ? undefined : value)),
  ),
})

describe.each(LABS)('$name', (lab) => {
  const real = lab.real!

  test('has its real checks under the same ids, exercises and titles, with the same steps', () => {
    expect(real.checks.map(({ id, exercise }) => ({ id, exercise }))).toEqual(
      lab.checks.map(({ id, exercise }) => ({ id, exercise })),
    )
    expect([...real.checks, real.together].map(shape)).toEqual(
      [...lab.checks, lab.together].map(shape),
    )
  })

  test('is faster there by what it says, as far as leases go', () => {
    const ttls = (check: Check): number[] =>
      Object.values(check.scenario.processes).flatMap(({ env }) =>
        env?.LEASE_TTL_MS === undefined ? [] : [Number(env.LEASE_TTL_MS)],
      )
    for (const [at, check] of lab.checks.entries()) {
      expect(ttls(real.checks[at]!).map((ms) => ms * real.speed)).toEqual(ttls(check))
    }
  })
})
