import { describe, expect, it } from 'vitest'
import type { WorldResult } from '../../src/arm/job.ts'
import { divergenceText, firstDivergence } from '../../src/judge/divergence.ts'
import { exitCodeOf, isReference, judgeResults, planJobs } from '../../src/judge/grade.ts'
import { reproLine } from '../../src/judge/repro.ts'
import {
  goodResults,
  held,
  killed,
  labSaying,
  lost,
  requestFor,
  resultFor,
  trace,
} from './lab-double.ts'

const good = labSaying([held, held, held])
const bad = labSaying([lost, held, held])

/** Verdict on check 1 when its world went like this and its judge says `held`. */
function firstCheck(result: Partial<WorldResult>, lab = good) {
  const request = requestFor(lab)
  const results = planJobs(request).map(({ id }) => resultFor(id, id === 'check-1' ? result : {}))
  return judgeResults(request, results).checks[0]!
}

describe('planning', () => {
  it("a check takes its exercise's file from the target, all else from the solution", () => {
    const [first, second, together] = planJobs(requestFor(good))
    expect(first?.files?.exercises).toEqual({
      'one.ts': '/target/one.ts',
      'two.ts': '/lab/solution/two.ts',
      'given.ts': '/lab/solution/given.ts',
    })
    expect(first?.preflight).toEqual({ file: 'one.ts' })
    expect(second?.files?.exercises['two.ts']).toBe('/target/two.ts')
    expect(together?.preflight).toBeNull()
    expect(Object.values(together?.files?.exercises ?? {})).toEqual([
      '/target/one.ts',
      '/target/two.ts',
      '/target/given.ts',
    ])
  })

  it('a missing file costs its own check only; together runs with what is there', () => {
    const request = requestFor(good, { present: ['two.ts'] })
    const jobs = planJobs(request)
    expect(jobs.map(({ id }) => id)).toEqual(['check-2', 'together'])
    expect(jobs[1]?.files?.exercises['one.ts']).toBe('/lab/solution/one.ts')
    const { checks, exitCode } = judgeResults(request, goodResults(jobs))
    expect(checks.map(({ status }) => status)).toEqual(['violated', 'held'])
    expect(checks[0]).toMatchObject({
      expected: 'the file one.ts, exporting one (function)',
      got: 'no such file in the target',
      hint: 'Copy starter/one.ts of the lab into the target and solve the exercise there.',
    })
    expect(exitCode).toBe(1)
  })

  it('--check runs that check alone', () => {
    const request = requestFor(good, { only: 2 })
    const jobs = planJobs(request)
    expect(jobs.map(({ id }) => id)).toEqual(['check-2'])
    const verdict = judgeResults(request, goodResults(jobs))
    expect(verdict.checks.map(({ id }) => id)).toEqual([2])
    expect(verdict).toMatchObject({ together: null, options: { check: 2 } })
  })
})

describe('the verdict', () => {
  it('has the documented shape', () => {
    const request = requestFor(labSaying([lost, held, lost]))
    const verdict = judgeResults(request, goodResults(planJobs(request)))
    expect(verdict).toMatchObject({
      schema: 1,
      lab: 'tiny',
      target: './my work',
      reference: false,
      seed: '7',
      arm: 'sim',
      options: {},
      exitCode: 1,
      together: {
        id: 0,
        status: 'violated',
        repro: "pnpm leaselab grade tiny --target './my work' --seed 7",
      },
    })
    expect(verdict.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(verdict.checks[0]).toEqual({
      id: 1,
      exercise: 1,
      title: 'one holds',
      status: 'violated',
      expected: '2 of 2',
      got: '1 of 2',
      evidence: lost.evidence,
      output: [],
      where: { file: 'one.ts', line: 3, column: 7 },
      hint: 'Claim it only when it is free.',
      repro: "pnpm leaselab grade tiny --target './my work' --check 1 --seed 7",
      digest: 'digest of check-1',
    })
    expect(verdict.checks[1]?.title).toBe('two holds (self-stop off)')
  })

  it('the run together never decides the exit code', () => {
    const request = requestFor(labSaying([held, held, lost]))
    expect(judgeResults(request, goodResults(planJobs(request))).exitCode).toBe(0)
  })

  it('its digest follows the digests of the checks, and their order', () => {
    const request = requestFor(good)
    const jobs = planJobs(request)
    const digestWith = (digests: Record<string, string>): string | null =>
      judgeResults(
        request,
        jobs.map(({ id }) => resultFor(id, { digest: digests[id] ?? 'x' })),
      ).digest
    const first = digestWith({ 'check-1': 'a', 'check-2': 'b' })
    expect(digestWith({ 'check-1': 'a', 'check-2': 'b', together: 'other' })).toBe(first)
    expect(digestWith({ 'check-1': 'b', 'check-2': 'a' })).not.toBe(first)
  })

  it.each([
    [['held', 'held'], 0],
    [['held', 'violated', 'inconclusive'], 1],
    [['held', 'inconclusive'], 2],
  ] as const)('%j gives exit code %i', (statuses, code) => {
    expect(exitCodeOf(statuses)).toBe(code)
  })

  it("only the lab's own solution is the reference", () => {
    expect(isReference(requestFor(good, { targetDir: '/lab/solution' }))).toBe(true)
    expect(isReference(requestFor(good, { targetDir: '/elsewhere/solution' }))).toBe(false)
  })

  it('keeps the last three lines of each process', () => {
    const lines = [1, 2, 3, 4].map((n) => ({
      kind: 'process.output' as const,
      t: n,
      stream: 'stdout',
      text: `line ${n}`,
    }))
    const other = { ...lines[0]!, process: 'worker-b', t: 9 }
    const { output } = firstCheck({ events: trace(...lines, other, ...killed) })
    expect(output).toEqual([
      { t: 2, who: 'worker-a', what: 'line 2' },
      { t: 3, who: 'worker-a', what: 'line 3' },
      { t: 4, who: 'worker-a', what: 'line 4' },
      { t: 9, who: 'worker-b', what: 'line 1' },
    ])
  })

  it('a judge that throws is a bug of the lab, never a verdict', () => {
    const lab = {
      ...good,
      checks: good.checks.map((check) => ({
        ...check,
        judge: () => {
          throw new TypeError('no such view')
        },
      })),
    }
    const request = requestFor(lab)
    expect(() => judgeResults(request, goodResults(planJobs(request)))).toThrow('no such view')
  })
})

describe('rules of every world win over a judge that says held', () => {
  it('a file that does not load', () => {
    const check = firstCheck({
      events: [],
      preflight: {
        kind: 'failed',
        name: 'SyntaxError',
        message: "Expected '}'",
        file: '/target/one.ts',
        line: 12,
        column: 3,
      },
    })
    expect(check).toMatchObject({
      status: 'violated',
      expected: 'one.ts loads and exports one (function)',
      got: "one.ts does not load: SyntaxError: Expected '}'",
      where: { file: 'one.ts', line: 12, column: 3 },
    })
  })

  it.each([
    [{}, 'no export named one'],
    [{ one: 'number' }, 'the export one is of type number'],
  ])('exports %j', (exports, got) => {
    expect(firstCheck({ preflight: { kind: 'loaded', exports } })).toMatchObject({
      status: 'violated',
      got,
      where: { file: 'one.ts', line: null, column: null },
    })
  })

  it.each([
    ['hang', 'a loop that never ends', 'the code hangs: a loop that never ends'],
    ['event-limit', null, 'the code never comes to rest'],
    ['memory', 'ran out of heap memory', 'the code uses too much memory: ran out of heap memory'],
    ['crash', 'SIGSEGV', 'the code brings its whole process down: SIGSEGV'],
    ['leak', 'a timer', 'an effect came from outside the running event: a timer'],
  ])('a world that ends by %s', (why, detail, got) => {
    const events = trace(...killed, { kind: 'world.ended', t: 5, why, detail, never: [] })
    expect(firstCheck({ events })).toMatchObject({ status: 'violated', got })
  })

  it("the machine's trouble is inconclusive", () => {
    const end = { why: 'hang', detail: 'machine: too little CPU time', never: [] }
    const events = trace({ kind: 'world.ended', t: 5, ...end })
    expect(firstCheck({ events })).toMatchObject({
      status: 'inconclusive',
      got: 'too little CPU time',
    })
  })

  it('a trace without an end is inconclusive', () => {
    expect(firstCheck({ events: trace(...killed).slice(0, -1) }).status).toBe('inconclusive')
  })

  it('an error that nobody caught, with its place', () => {
    const events = trace(
      killed[0]!,
      {
        kind: 'process.error',
        t: 500_000,
        name: 'TypeError',
        message: 'x is undefined',
        stack: '',
        file: 'file:///target/one.ts',
        line: 4,
        column: 2,
      },
      { kind: 'process.exited', t: 500_000, code: 1, signal: null, cause: 'uncaught' },
    )
    expect(firstCheck({ events })).toMatchObject({
      status: 'violated',
      expected: '2 of 2',
      got: 'worker-a ended itself: TypeError: x is undefined',
      where: { file: 'one.ts', line: 4, column: 2 },
      evidence: [{ t: 500_000, who: 'worker-a', what: 'TypeError: x is undefined' }],
    })
  })

  it('process.exit with a code', () => {
    const exit = { kind: 'process.exited' as const, t: 5, code: 3, signal: null, cause: 'exit' }
    expect(firstCheck({ events: trace(killed[0]!, exit) }).got).toBe(
      'worker-a ended itself: process.exit(3)',
    )
  })

  it('a signal that a process sends to itself', () => {
    expect(firstCheck({ events: trace(...killed.slice(0, 2)) }).got).toBe(
      'worker-a ended itself: SIGKILL',
    )
  })

  it('an end that the timeline brought about is in order, also with a code', () => {
    const exit = {
      kind: 'process.exited' as const,
      t: 1_500_000,
      code: 1,
      signal: null,
      cause: 'exit',
    }
    expect(firstCheck({ events: trace(killed[0]!, killed[2]!, exit) }).status).toBe('held')
  })

  it('a fault that never took hold makes the check inconclusive', () => {
    expect(firstCheck({ events: trace(killed[0]!) })).toMatchObject({
      status: 'inconclusive',
      expected: '2 of 2',
      got: 'the fault never took hold: kill-a',
    })
  })
})

describe('process.exit(0)', () => {
  const exit = {
    kind: 'process.exited' as const,
    t: 1_250_000,
    code: 0,
    signal: null,
    cause: 'exit',
  }
  const events = trace(killed[0]!, { ...killed[2]!, t: 2_000_000 }, exit)

  it('is left to the judge', () => {
    expect(firstCheck({ events }).status).toBe('held')
  })

  it('is told beside what the judge missed', () => {
    expect(firstCheck({ events }, bad).got).toBe(
      '1 of 2; worker-a ended itself with code 0 at 1.250 s',
    )
  })

  it('is not told where the scenario waits for it', () => {
    const until = { on: { kind: 'process.exited', where: { process: 'worker-a' } } }
    const checks = bad.checks.map((check) => ({
      ...check,
      scenario: { ...check.scenario, until },
    }))
    expect(firstCheck({ events }, { ...bad, checks }).got).toBe('1 of 2')
  })
})

describe('divergence', () => {
  const result = (text: string, digest: string, stack = ''): WorldResult =>
    resultFor('check-1', {
      digest,
      events: trace(
        { kind: 'process.output', t: 1_500_000, stream: 'stdout', text },
        { kind: 'process.error', t: 1_600_000, name: 'E', message: '', stack },
      ),
    })

  it('equal digests do not diverge', () => {
    expect(firstDivergence([result('a', 'x')], [result('a', 'x', 'other stack')])).toBeNull()
  })

  it('names the job, the first differing event in both versions, and its virtual time', () => {
    const found = firstDivergence([result('a', 'x')], [result('b', 'y')])
    expect(found).toMatchObject({ job: 'check-1', i: 0, t: 1_500_000 })
    expect(divergenceText(found!)).toMatch(
      /^Two runs of check-1 with the same seed differ, first in event 0 at 1\.500000 s of virtual time\.\n {2}first run {3}\{.*"text":"a"\}\n {2}second run {2}\{.*"text":"b"\}$/,
    )
  })

  it('a run that is a beginning of the other one differs where it ends', () => {
    const long = result('a', 'x')
    const short = { ...long, digest: 'y', events: long.events.slice(0, 1) }
    expect(firstDivergence([long], [short])).toMatchObject({ i: 1, second: null })
  })

  it('different digests with equal events are told as that', () => {
    const found = firstDivergence([result('a', 'x')], [result('a', 'y')])
    expect(divergenceText(found!)).toBe(
      'Two runs of check-1 gave different digests, yet the same events.',
    )
  })

  it('a run that the machine cut short proves nothing', () => {
    const end = { why: 'hang', detail: 'machine: busy', never: [] }
    const cut = resultFor('check-1', {
      digest: 'y',
      events: trace({ kind: 'world.ended', t: 1, ...end }),
    })
    expect(firstDivergence([result('a', 'x')], [cut])).toBeNull()
  })
})

describe('the line that repeats a run', () => {
  it.each([
    ['./starter', './starter'],
    ['/home/me/my work', "'/home/me/my work'"],
    ["./it's", "'./it'\\''s'"],
    ['./$(rm -rf x)', "'./$(rm -rf x)'"],
  ])('target %s is written %s', (target, word) => {
    expect(reproLine({ lab: 'tiny', target, check: 3, seed: '1' })).toBe(
      `pnpm leaselab grade tiny --target ${word} --check 3 --seed 1`,
    )
  })
})
