/**
 * What no check has to say itself: rules that hold for every world, before the check's own judge.
 *
 * A file that does not load, an export that is missing, a hang, a crash, a process that ends itself:
 * each is told as that, since the figures of a world that broke mean nothing. Pure: a preflight or a
 * history in, a finding (or null: nothing to object) out. Times: virtual µs.
 * A program may end with code 0; whether it should have is for the check's judge.
 */

import type { PreflightResult } from '../arm/job.ts'
import type { Scenario, Verb } from '../scenario/scenario.ts'
import type { ProcessError, ProcessExited, TraceEvent } from '../trace/events.ts'
import type { Exercise } from './lab.ts'
import type { Evidence, Finding, Place } from './verdict.ts'

/** A `world.ended` detail that begins so is the machine's fault, not that of the code under test. */
export const MACHINE_TROUBLE = 'machine: '

/** Verbs that disturb: a check that holds without them has shown nothing. */
const FAULTS: ReadonlySet<Verb['verb']> = new Set(['freeze', 'kill', 'term', 'restart', 'hold'])
const ENDING = new Set(['kill', 'term', 'restart'])

/** The exercise's file is not in the folder under test. */
export function fileMissing(exercise: Exercise, starter: string): Finding {
  return violated({
    expected: `the file ${exercise.file}, exporting ${exportsOf(exercise)}`,
    got: 'no such file in the target',
    hint: `Copy ${starter}/${exercise.file} of the lab into the target and solve the exercise there.`,
  })
}

/** The exercise's file must load and export what the exercise states. */
export function loads(exercise: Exercise, preflight: PreflightResult | null): Finding | null {
  if (preflight === null) return null
  const expected = `${exercise.file} loads and exports ${exportsOf(exercise)}`
  if (preflight.kind === 'failed') {
    const where = placeOf(preflight)
    const said = preflight.name === 'Ended' ? '' : `${preflight.name}: `
    return violated({
      expected,
      got: `${exercise.file} does not load: ${said}${oneLine(preflight.message)}`,
      where: where ?? { file: exercise.file, line: null, column: null },
      hint:
        preflight.name === 'SyntaxError'
          ? 'Mend the line named above; nothing in the file can run before it can be read.'
          : 'Mend what the message above names, so that importing the file does nothing but define its exports.',
    })
  }
  for (const [name, type] of Object.entries(exercise.exports)) {
    const got = preflight.exports[name]
    if (got === type) continue
    return violated({
      expected,
      got: got === undefined ? `no export named ${name}` : `the export ${name} is of type ${got}`,
      where: { file: exercise.file, line: null, column: null },
      hint:
        got === undefined
          ? `Export ${name} from ${exercise.file} under exactly this name: the lab's programs import it.`
          : `Make ${name} a ${type}: the lab's programs use it as one.`,
    })
  }
  return null
}

const WORLD_FAULTS: Readonly<Record<string, readonly [got: string, hint: string]>> = {
  hang: ['the code hangs', 'Look for a loop whose condition never changes, or that never awaits.'],
  'event-limit': [
    'the code never comes to rest',
    'Look for a timer or a retry without a pause between two turns.',
  ],
  memory: ['the code uses too much memory', 'Look for a list or a string that only ever grows.'],
  crash: [
    'the code brings its whole process down',
    'Take out what reaches outside the program: signals to others, aborts, native calls.',
  ],
  leak: [
    'an effect came from outside the running event',
    'Use the timers, sockets and clocks that Node gives the program, and nothing that escapes them.',
  ],
}

/** The world itself must end in order. Machine trouble is inconclusive, all else is violated. */
export function worldEndsInOrder(events: readonly TraceEvent[]): Finding | null {
  const end = events.at(-1)
  if (end?.kind !== 'world.ended') {
    return inconclusive('the trace breaks off: it has no end')
  }
  if (end.detail?.startsWith(MACHINE_TROUBLE)) {
    return inconclusive(end.detail.slice(MACHINE_TROUBLE.length))
  }
  const fault = WORLD_FAULTS[end.why]
  if (fault === undefined) return null
  const [got, hint] = fault
  return violated({
    expected: 'the world runs to its end',
    got: end.detail === null ? got : `${got}: ${end.detail}`,
    evidence: [{ t: end.t, who: 'world', what: end.detail ?? got }],
    where: placeOf(events.findLast((event) => event.kind === 'process.error') ?? null),
    hint,
  })
}

/** No process may end with an error, a code other than 0 or a signal that the timeline did not send. */
export function endsOnlyWhenTold(events: readonly TraceEvent[]): Finding | null {
  for (const exit of exitsOf(events)) {
    const harmless = exit.cause === 'exit' && exit.code === 0
    if (harmless || (exit.cause !== 'uncaught' && wasTold(events, exit))) continue
    const error = errorOf(events, exit)
    const how = howItEnded(exit, error)
    return violated({
      expected: `${exit.process} goes on until the timeline ends it`,
      got: `${exit.process} ended itself: ${how}`,
      evidence: [{ t: exit.t, who: exit.process, what: how }],
      where: placeOf(error),
      hint:
        error === null
          ? 'Let the process go on: report a failure by a rejection or a return value, do not end it.'
          : 'Mend what the error names: it came of what this exercise’s code did or answered.',
    })
  }
  return null
}

/** A check that holds although its fault never took hold has shown nothing. */
export function faultsBit(scenario: Scenario, events: readonly TraceEvent[]): Finding | null {
  const bit = new Set(events.flatMap((event) => (event.kind === 'fault.bit' ? [event.step] : [])))
  const missed = scenario.timeline.filter((step) => FAULTS.has(step.do.verb) && !bit.has(step.id))
  if (missed.length === 0) return null
  return inconclusive(`the fault never took hold: ${missed.map((step) => step.id).join(', ')}`)
}

/** Processes that ended themselves with code 0 although nothing waited for their end; for `got`. */
export function quietEnds(scenario: Scenario, events: readonly TraceEvent[]): readonly string[] {
  return exitsOf(events)
    .filter(
      (exit) =>
        exit.cause === 'exit' &&
        exit.code === 0 &&
        scenario.processes[exit.process]?.ends !== true &&
        !isAwaited(scenario, exit.process) &&
        !wasTold(events, exit),
    )
    .map((exit) => `${exit.process} ended itself with code 0 at ${seconds(exit.t)}`)
}

/** Place of an error, where one is known. */
export function placeOf(
  error: {
    readonly file: string | null
    readonly line: number | null
    readonly column: number | null
  } | null,
): Place | null {
  if (error === null || error.file === null) return null
  return { file: error.file, line: error.line, column: error.column }
}

function exitsOf(events: readonly TraceEvent[]): readonly ProcessExited[] {
  return events.filter((event) => event.kind === 'process.exited')
}

function errorOf(events: readonly TraceEvent[], exit: ProcessExited): ProcessError | null {
  const found = events.findLast(
    (event) =>
      event.kind === 'process.error' &&
      event.process === exit.process &&
      event.incarnation === exit.incarnation,
  )
  return found?.kind === 'process.error' && exit.cause === 'uncaught' ? found : null
}

/** Whether a verb of the timeline was to end this life: the verb is told at or before its end. */
function wasTold(events: readonly TraceEvent[], exit: ProcessExited): boolean {
  const born = events.find(
    (event) =>
      event.kind === 'process.started' &&
      event.process === exit.process &&
      event.incarnation === exit.incarnation,
  )
  return events.some(
    (event) =>
      event.kind === 'fault.bit' &&
      ENDING.has(event.verb) &&
      event.process === exit.process &&
      event.t >= (born?.t ?? 0) &&
      event.t <= exit.t,
  )
}

/** The scenario ends with this process, so its end is by design. */
function isAwaited(scenario: Scenario, process: string): boolean {
  const waits = [scenario.until, ...scenario.timeline.map((step) => step.when)]
  return waits.some(
    (when) =>
      'on' in when &&
      when.on.kind === 'process.exited' &&
      (when.on.where?.process === undefined || when.on.where.process === process),
  )
}

function howItEnded(exit: ProcessExited, error: ProcessError | null): string {
  if (error !== null) return `${error.name}: ${oneLine(error.message)}`
  if (exit.signal !== null) return exit.signal
  return exit.cause === 'exit'
    ? `process.exit(${exit.code})`
    : `an uncaught error, code ${exit.code}`
}

/** A message of several lines, for a place that holds one. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}

function exportsOf(exercise: Exercise): string {
  return Object.entries(exercise.exports)
    .map(([name, type]) => `${name} (${type})`)
    .join(', ')
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(3)} s`
}

interface Violation {
  readonly expected: string
  readonly got: string
  readonly evidence?: readonly Evidence[]
  readonly where?: Place | null
  readonly hint: string
}

function violated({ evidence = [], where = null, ...rest }: Violation): Finding {
  return { status: 'violated', evidence, where, ...rest }
}

function inconclusive(got: string): Finding {
  return {
    status: 'inconclusive',
    expected: 'a run that shows something',
    got,
    evidence: [],
    hint: 'Run it again; if it stays so, run it on a machine with less to do.',
  }
}
