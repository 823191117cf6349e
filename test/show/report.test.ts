import { describe, expect, it } from 'vitest'
import { judgeResults, planJobs } from '../../src/judge/grade.ts'
import type { Finding } from '../../src/judge/verdict.ts'
import { makeInk } from '../../src/show/ink.ts'
import { headline, report } from '../../src/show/report.ts'
import { sanitise } from '../../src/show/sanitise.ts'
import {
  goodResults,
  held,
  killed,
  labSaying,
  lost,
  requestFor,
  resultFor,
  trace,
} from '../judge/lab-double.ts'

const plain = makeInk(false)
const timing = { virtualUs: 92_300_000, realMs: 840, twice: false }
const unsure: Finding = { ...held, status: 'inconclusive', got: 'nothing' }

describe('the first line', () => {
  const request = { lab: { name: 'tiny' }, targetShown: './mine', reference: false, seed: '7' }

  it('says lab, target, arm and seed', () => {
    expect(headline(request, plain)).toBe('tiny · target ./mine · arm sim · seed 7\n')
  })

  it('says of the real arm where its Redis is, and no seed', () => {
    expect(headline({ ...request, redisShown: 'redis://:***@db:6379' }, plain)).toBe(
      'tiny · target ./mine · arm real · redis://:***@db:6379\n',
    )
  })

  it('says of the solution that it is not your code, and how to grade yours', () => {
    expect(headline({ ...request, reference: true }, plain)).toBe(
      'tiny · target solution (reference, not your code; to grade yours: pnpm leaselab grade tiny --target <folder>) · arm sim · seed 7\n',
    )
  })
})

describe('the report', () => {
  it('held checks take a line each; the run together is told as not graded', () => {
    const request = requestFor(labSaying([held, held, lost]))
    const verdict = judgeResults(request, goodResults(planJobs(request)))
    expect(report(verdict, timing, plain)).toBe(`✅ 1 one holds — 2 of 2
✅ 2 two holds (self-stop off) — 2 of 2
·  not graded: all together — violated: expected 2 of 2; got 1 of 2

2 held, 0 violated, 0 inconclusive
digest ${verdict.digest?.slice(0, 16)} · seed 7 · 92.3 virtual s in 0.84 s
`)
  })

  it('of the real arm has no digest', () => {
    const lab = labSaying([held, held, held])
    const request = requestFor({ ...lab, real: { ...lab, speed: 10 } }, { redisShown: 'redis://r' })
    const results = goodResults(planJobs(request)).map((result) => ({ ...result, digest: null }))
    const verdict = judgeResults(request, results)
    expect(report(verdict, timing, plain)).toContain(
      '\nno digest, as no two real runs are alike · 92.3 s of runs in 0.84 s\n',
    )
    expect([verdict.arm, verdict.digest, verdict.checks[0]?.digest]).toEqual(['real', null, null])
    expect(verdict.checks[0]?.repro).toMatch(
      /^REDIS_URL=redis:\/\/r pnpm leaselab grade tiny .* --check 1 --arm real$/,
    )
  })

  it('below a check that is not held: where, story, last lines, next step, how to repeat it', () => {
    const request = requestFor(labSaying([lost, unsure, held]))
    const said = { kind: 'process.output' as const, stream: 'stdout', t: 1_500, text: 'hello' }
    const verdict = judgeResults(
      request,
      planJobs(request).map(({ id }) => resultFor(id, { events: trace(said, ...killed) })),
    )
    expect(
      report(verdict, { ...timing, twice: true }, plain),
    ).toBe(`❌ 1 one holds — expected 2 of 2; got 1 of 2
     where    one.ts:3:7
     story    12.345 s  worker-a  SET lease:shard:0
     printed  0.002 s  worker-a  hello
     next     Claim it only when it is free.
     again    pnpm leaselab grade tiny --target './my work' --check 1 --seed 7
❔ 2 two holds (self-stop off) — expected 2 of 2; got nothing
     printed  0.002 s  worker-a  hello
     again    pnpm leaselab grade tiny --target './my work' --check 2 --seed 7
·  not graded: all together — held: 2 of 2

0 held, 1 violated, 1 inconclusive
digest ${verdict.digest?.slice(0, 16)} (twice the same) · seed 7 · 92.3 virtual s in 0.84 s
`)
  })

  it('with colour it is the same text between colour codes', () => {
    const request = requestFor(labSaying([lost, held, held]))
    const verdict = judgeResults(request, goodResults(planJobs(request)))
    const coloured = report(verdict, timing, makeInk(true))
    expect(coloured).toContain('\u001b[31m1 of 2\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colour codes.
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(report(verdict, timing, plain))
  })

  it('text of the code under test cannot fake a line or move the cursor', () => {
    const nasty = 'x\n✅ 1 one holds\u001b[2K\u001b[1A\r'
    const request = requestFor(labSaying([{ ...lost, got: nasty, hint: nasty }, held, held]))
    const said = { kind: 'process.output' as const, stream: 'stdout', t: 1, text: nasty }
    const verdict = judgeResults(
      request,
      planJobs(request).map(({ id }) => resultFor(id, { events: trace(said, ...killed) })),
    )
    const lines = report(verdict, timing, plain).split('\n')
    expect(lines.filter((line) => line.startsWith('✅'))).toEqual([
      '✅ 2 two holds (self-stop off) — 2 of 2',
    ])
    expect(lines.join('')).not.toContain('\u001b')
    expect(lines.join('')).toContain('x\\n✅ 1 one holds\\x1b[2K\\x1b[1A\\r')
  })
})

describe('sanitise', () => {
  it.each([
    ['plain ✅ text — ü 漢 😀', 'plain ✅ text — ü 漢 😀'],
    ['a\tb\r\n', 'a\\tb\\r\\n'],
    ['\u001b[31mred', '\\x1b[31mred'],
    ['\u0000\u007f\u009b', '\\x00\\x7f\\x9b'],
    ['\u202eevil\u2028', '\\u202eevil\\u2028'],
    ['half \ud83d', 'half \\ud83d'],
  ])('%j is shown as %j', (text, shown) => {
    expect(sanitise(text)).toBe(shown)
  })

  it('cuts what is longer than the width and says how much is missing', () => {
    expect(sanitise('a'.repeat(200), 10)).toBe(`${'a'.repeat(10)}… (190 more characters)`)
    expect(sanitise('a'.repeat(10), 10)).toBe('a'.repeat(10))
  })

  it('does not cut a character in two', () => {
    expect(sanitise(`aaa😀${'b'.repeat(9)}`, 4)).toBe('aaa… (11 more characters)')
  })

  it('a line of 5 MB costs a small part of what looking at all of it would', () => {
    const line = '\u001b'.repeat(5_000_000)
    const msOf = (run: () => unknown): number => {
      const startedAt = performance.now()
      run()
      return performance.now() - startedAt
    }
    const wholeMs = msOf(() => [...line].map((each) => each.codePointAt(0)))
    const shownMs = [1, 2, 3].map(() => msOf(() => sanitise(line)))
    expect(Math.min(...shownMs) * 5).toBeLessThan(wholeMs)
  })
})
