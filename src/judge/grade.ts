/**
 * Grading as a pure function: a lab and a folder's file names in, jobs out; results in, verdict out.
 *
 * A check takes the file of its own exercise from the target and everything else from the lab's
 * solution, so that one hole cannot hide another. `together` takes all the target's files and is
 * told, never graded. Who runs the jobs, and how the verdict is shown, is not known here.
 * Throws what a check's judge throws: that is a bug of the lab, never a verdict.
 */

import { createHash } from 'node:crypto'
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WorldJob, WorldResult } from '../arm/job.ts'
import type { TraceEvent } from '../trace/events.ts'
import { History } from '../trace/history.ts'
import type { Check, Exercise, Lab, Pace } from './lab.ts'
import { reproLine } from './repro.ts'
import {
  endsOnlyWhenTold,
  faultsBit,
  fileMissing,
  loads,
  quietEnds,
  worldEndsInOrder,
} from './rules.ts'
import type {
  ArmName,
  CheckVerdict,
  Evidence,
  ExitCode,
  Finding,
  Place,
  Status,
  UsageVerdict,
  Verdict,
} from './verdict.ts'

/** What is graded. All folders absolute, without links. */
export interface GradeRequest {
  readonly lab: Lab
  readonly labDir: string
  readonly targetDir: string
  /** The target as the person would write it, for the first line and for `repro`. */
  readonly targetShown: string
  /** Those of `lab.modules` that the target has. */
  readonly present: readonly string[]
  /** Decimal digits. */
  readonly seed: string
  /** Only this check, and no run together; null for all. */
  readonly only: number | null
  /** No run of all the target's files together. */
  readonly withoutTogether?: boolean
  /** The address of the real arm as it may be shown; not given for the simulated arm. */
  readonly redisShown?: string | null
}

/** How many of a process's last lines a verdict keeps. */
const LAST_LINES = 3
/** Blank lines, frames of a stack and what Node puts below it: they would crowd out what was said. */
const NO_NEWS = /^\s*$|^\s+at .+[:(]|^Node\.js v\d/
/** Characters of one text in a verdict. */
const LONGEST = 1000
const TOGETHER = 'together'

/** The worlds to run, in the order of the checks; `together` comes last. */
export function planJobs(request: GradeRequest): readonly WorldJob[] {
  const jobs: WorldJob[] = []
  for (const check of checksOf(request)) {
    const exercise = exerciseOf(request.lab, check)
    if (exercise !== null && !request.present.includes(exercise.file)) continue
    jobs.push({
      ...worldOf(request, exercise === null ? [] : [exercise.file]),
      id: jobId(check),
      scenario: check.scenario,
      preflight: exercise && { file: exercise.file },
    })
  }
  if (request.only === null && request.withoutTogether !== true) {
    const { scenario } = paceOf(request).together
    jobs.push({ ...worldOf(request, request.present), id: TOGETHER, scenario, preflight: null })
  }
  return jobs
}

/** The verdict on the results of `planJobs(request)`, found by their ids. */
export function judgeResults(request: GradeRequest, results: readonly WorldResult[]): Verdict {
  const byId = new Map(results.map((result) => [result.id, result]))
  const checks = checksOf(request).map((check) => {
    const exercise = exerciseOf(request.lab, check)
    const result = byId.get(jobId(check))
    const finding =
      exercise !== null && !request.present.includes(exercise.file)
        ? fileMissing(exercise, request.lab.starter)
        : judgeWorld(check, exercise, resultOf(jobId(check), result))
    return checkVerdict(request, check, finding, result)
  })
  const apart = byId.get(TOGETHER)
  return {
    schema: 1,
    lab: request.lab.name,
    target: request.targetShown,
    reference: isReference(request),
    seed: request.seed,
    arm: armOf(request),
    options: request.only === null ? {} : { check: request.only },
    digest: digestOfAll(checks),
    exitCode: exitCodeOf(checks.map((check) => check.status)),
    checks,
    together: apart === undefined ? null : togetherVerdict(request, apart),
  }
}

/** Whether the target is the lab's own solution. */
export function isReference({ lab, labDir, targetDir }: GradeRequest): boolean {
  return targetDir === join(labDir, lab.solution)
}

/** 0 all held · 1 some violated · 2 some inconclusive, none violated. */
export function exitCodeOf(statuses: readonly Status[]): ExitCode {
  if (statuses.includes('violated')) return 1
  return statuses.includes('inconclusive') ? 2 : 0
}

/** The JSON answer to a slip (3) or to a bug of ours (4). */
export function errorVerdict(exitCode: 3 | 4, error: string): UsageVerdict {
  return { schema: 1, exitCode, error }
}

type Judged = Pick<Check, 'scenario' | 'judge'>

/** The finding on one world: the rules that hold for every world first, then the check's own judge. */
function judgeWorld(check: Judged, exercise: Exercise | null, result: WorldResult): Finding {
  const { events, preflight } = result
  const unloaded = exercise && loads(exercise, preflight)
  if (unloaded) return unloaded
  const broken = worldEndsInOrder(events)
  if (broken) return broken
  const own = check.judge(new History(events))
  const ended = endsOnlyWhenTold(events)
  if (ended) return { ...ended, expected: own.expected }
  if (own.status === 'held') {
    const idle = faultsBit(check.scenario, events)
    return idle ? { ...idle, expected: own.expected } : own
  }
  const quiet = quietEnds(check.scenario, events)
  return quiet.length === 0 ? own : { ...own, got: [own.got, ...quiet].join('; ') }
}

function checkVerdict(
  request: GradeRequest,
  check: Pick<Check, 'id' | 'exercise' | 'title' | 'note'>,
  finding: Finding,
  result: WorldResult | undefined,
): CheckVerdict {
  const exercise = exerciseOf(request.lab, check)
  return {
    id: check.id,
    exercise: check.exercise,
    title: check.note === undefined ? check.title : `${check.title} (${check.note})`,
    status: finding.status,
    expected: finding.expected,
    got: shortened(finding.got),
    evidence: finding.evidence.map(shortLine),
    output: lastLines(result?.events ?? []),
    where: shownPlace(request, finding.where ?? null, exercise),
    hint: finding.hint ?? null,
    repro: reproLine({
      lab: request.lab.name,
      target: request.targetShown,
      check: check.id,
      seed: request.seed,
      redisShown: request.redisShown,
    }),
    digest:
      result === undefined && request.redisShown == null ? digestOf([]) : (result?.digest ?? null),
  }
}

/** Under the number 0; its line to repeat it is that of the whole run, as it is not run alone. */
function togetherVerdict(request: GradeRequest, result: WorldResult): CheckVerdict {
  const { together } = paceOf(request)
  const { redisShown, seed, targetShown: target } = request
  const check = { ...together, id: 0, exercise: null }
  const verdict = checkVerdict(request, check, judgeWorld(together, null, result), result)
  const whole = { lab: request.lab.name, target, check: null, seed, redisShown }
  return { ...verdict, repro: reproLine(whole) }
}

export function armOf({ redisShown }: Pick<GradeRequest, 'redisShown'>): ArmName {
  return redisShown == null ? 'sim' : 'real'
}

/** The checks at the pace of the request's arm. Throws for a lab without a real arm: ask before. */
function paceOf({ lab, redisShown }: GradeRequest): Pace {
  if (redisShown == null) return lab
  if (lab.real === undefined) throw new Error(`${lab.name} has no real arm`)
  return lab.real
}

function checksOf(request: GradeRequest): readonly Check[] {
  const { checks } = paceOf(request)
  return request.only === null ? checks : checks.filter((check) => check.id === request.only)
}

function exerciseOf(lab: Lab, check: Pick<Check, 'id' | 'exercise'>): Exercise | null {
  if (check.exercise === null) return null
  const found = lab.exercises.find((exercise) => exercise.id === check.exercise)
  if (found === undefined) {
    throw new Error(`${lab.name}: check ${check.id} names exercise ${check.exercise}: no such one`)
  }
  return found
}

function jobId(check: Check): string {
  return `check-${check.id}`
}

function resultOf(id: string, result: WorldResult | undefined): WorldResult {
  if (result === undefined) throw new Error(`no result came for the job ${id}`)
  return result
}

/** Files of one world: `fromTarget` from the folder under test, the rest from the solution. */
function worldOf(request: GradeRequest, fromTarget: readonly string[]) {
  const { lab, labDir, targetDir, seed } = request
  const solutionDir = join(labDir, lab.solution)
  const exercises = Object.fromEntries(
    lab.modules.map((file) => [
      file,
      join(fromTarget.includes(file) ? targetDir : solutionDir, file),
    ]),
  )
  const exerciseDirs = [...new Set([solutionDir, targetDir])]
  return { seed, files: { labDir, exercises, exerciseDirs, targetDir } }
}

/**
 * Relative to the target. A place in the given code around it (which found out that an exercise does
 * not keep its word) is no place to mend: the exercise's file is told instead.
 */
function shownPlace(
  { targetDir, labDir }: GradeRequest,
  place: Place | null,
  exercise: Exercise | null,
): Place | null {
  if (place === null) return null
  const file = pathOf(place.file)
  // A name alone is the judge's own word for an exercise; nothing at all came of a made-up stack.
  if (!isAbsolute(file)) return file === '' ? onlyFile(exercise) : place
  const slashed = (path: string): string => path.split(sep).join('/')
  const inTarget = relative(targetDir, file)
  if (isWithin(inTarget)) return { ...place, file: slashed(inTarget) }
  if (exercise !== null) return onlyFile(exercise)
  const inLab = relative(labDir, file)
  return { ...place, file: slashed(isWithin(inLab) ? inLab : file) }
}

function onlyFile(exercise: Exercise | null): Place | null {
  return exercise && { file: exercise.file, line: null, column: null }
}

/** The path behind a frame's file. Code under test can put anything there. */
function pathOf(file: string): string {
  if (!file.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return ''
  }
}

function isWithin(path: string): boolean {
  return !path.startsWith('..') && !isAbsolute(path)
}

/** The last lines of each process that are not blank, process by process in the order of their first line. */
function lastLines(events: readonly TraceEvent[]): readonly Evidence[] {
  const lines = new Map<string, Evidence[]>()
  for (const event of events) {
    if (event.kind !== 'process.output' || NO_NEWS.test(event.text)) continue
    const own = lines.get(event.process) ?? []
    own.push({ t: event.t, who: event.process, what: shortened(event.text) })
    lines.set(event.process, own)
  }
  return [...lines.values()].flatMap((own) => own.slice(-LAST_LINES))
}

function shortLine(line: Evidence): Evidence {
  return { ...line, what: shortened(line.what) }
}

/** Code under test can make a message of any length. */
function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${text.length} characters)`
}

/** Null as soon as one is: real runs have none. */
function digestOfAll(checks: readonly CheckVerdict[]): string | null {
  const digests = checks.flatMap(({ digest }) => (digest === null ? [] : [digest]))
  return digests.length === checks.length ? digestOf(digests) : null
}

function digestOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part}\n`)
  return hash.digest('hex')
}
