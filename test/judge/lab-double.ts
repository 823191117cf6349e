/**
 * A small lab and traces for it, made by hand: two exercises, two checks, one run together.
 */

import type { PreflightResult, WorldJob, WorldResult } from '../../src/arm/job.ts'
import type { GradeRequest } from '../../src/judge/grade.ts'
import type { Lab } from '../../src/judge/lab.ts'
import type { Finding } from '../../src/judge/verdict.ts'
import type { Scenario } from '../../src/scenario/scenario.ts'
import type { TraceEvent, TraceEventKind } from '../../src/trace/events.ts'

export const scenario: Scenario = {
  processes: { 'worker-a': { program: 'app/worker.ts' } },
  timeline: [{ id: 'kill-a', when: { atMs: 1000 }, do: { verb: 'kill', process: 'worker-a' } }],
  until: { atMs: 2000 },
  limitMs: 5000,
}

export const held: Finding = { status: 'held', expected: '2 of 2', got: '2 of 2', evidence: [] }
export const lost: Finding = {
  status: 'violated',
  expected: '2 of 2',
  got: '1 of 2',
  evidence: [{ t: 12_345_000, who: 'worker-a', what: 'SET lease:shard:0' }],
  where: { file: '/target/one.ts', line: 3, column: 7 },
  hint: 'Claim it only when it is free.',
}

/** `findings`: what the judges of check 1, check 2 and the run together say. */
export function labSaying(findings: readonly [Finding, Finding, Finding]): Lab {
  const [first, second, together] = findings
  return {
    name: 'tiny',
    title: 'A tiny lab',
    solution: 'solution',
    starter: 'starter',
    modules: ['one.ts', 'two.ts', 'given.ts'],
    exercises: [
      { id: 1, file: 'one.ts', exports: { one: 'function' }, summary: 'one' },
      { id: 2, file: 'two.ts', exports: { TWO: 'number', two: 'function' }, summary: 'two' },
    ],
    checks: [
      { id: 1, exercise: 1, title: 'one holds', scenario, judge: () => first },
      {
        id: 2,
        exercise: 2,
        title: 'two holds',
        scenario,
        note: 'self-stop off',
        judge: () => second,
      },
    ],
    programs: { worker: 'app/worker.ts' },
    together: { title: 'all together', scenario, judge: () => together },
  }
}

export function requestFor(lab: Lab, more: Partial<GradeRequest> = {}): GradeRequest {
  return {
    lab,
    labDir: '/lab',
    targetDir: '/target',
    targetShown: './my work',
    present: ['one.ts', 'two.ts', 'given.ts'],
    seed: '7',
    only: null,
    ...more,
  }
}

export const loaded: PreflightResult = {
  kind: 'loaded',
  exports: { one: 'function', TWO: 'number', two: 'function' },
}

type Loose = { readonly kind: TraceEventKind; readonly t: number } & Record<string, unknown>

/** Events of `worker-a`, numbered; ends with `until` unless it ends otherwise. */
export function trace(...events: readonly Loose[]): readonly TraceEvent[] {
  const whole = events.some((event) => event.kind === 'world.ended')
    ? events
    : [...events, { kind: 'world.ended', t: 2_000_000, why: 'until', detail: null, never: [] }]
  return whole.map((event, i) => ({
    i,
    process: 'worker-a',
    incarnation: 1,
    ...event,
  })) as unknown as readonly TraceEvent[]
}

export const killed: readonly Loose[] = [
  { kind: 'process.started', t: 0, program: 'app/worker.ts' },
  { kind: 'process.exited', t: 1_000_000, code: null, signal: 'SIGKILL', cause: 'signal' },
  { kind: 'fault.bit', t: 1_000_000, step: 'kill-a', verb: 'kill' },
]

/** The same good result for every job. */
export function goodResults(jobs: readonly WorldJob[]): WorldResult[] {
  return jobs.map((job) => resultFor(job.id))
}

export function resultFor(id: string, more: Partial<WorldResult> = {}): WorldResult {
  return {
    id,
    preflight: loaded,
    events: trace(...killed),
    digest: `digest of ${id}`,
    realMs: 1,
    ...more,
  }
}
