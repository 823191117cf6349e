/**
 * Small builders for findings, so that a check reads as its rule.
 */

import type { History } from '../trace/history.ts'
import type { Evidence, Finding } from './verdict.ts'

/** The parts that every finding has; evidence may be given in any order, and is sorted by time. */
export interface Facts {
  readonly expected: string
  readonly got: string
  readonly evidence?: readonly Evidence[]
}

export function held(facts: Facts): Finding {
  return { status: 'held', ...complete(facts) }
}

/** `file` is relative to the folder under test. */
export function violated(facts: Facts & { readonly hint: string; readonly file: string }): Finding {
  const where = { file: facts.file, line: null, column: null }
  return { status: 'violated', ...complete(facts), hint: facts.hint, where }
}

/** `got` says what did not come about. */
export function inconclusive(facts: Facts): Finding {
  return { status: 'inconclusive', ...complete(facts) }
}

/** One line of evidence at the time of an event. */
export function seen(event: { readonly t: number }, who: string, what: string): Evidence {
  return { t: event.t, who, what }
}

/** 2000 → `2,000`: the same in every locale. */
export function grouped(value: number): string {
  return String(Math.trunc(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** µs → `2,000 ms`. */
export function inMs(us: number): string {
  return `${grouped(Math.round(us / 1000))} ms`
}

/**
 * The last thing that a process complained about (a JSON line with a member `error`), as a sentence to
 * append, or an empty string.
 */
export function complaint(history: History, process: string): string {
  const line = history.output
    .said(process)
    .findLast(({ fields }) => typeof fields.error === 'string' || typeof fields.why === 'string')
  return line ? ` Its last complaint: ${String(line.fields.error ?? line.fields.why)}` : ''
}

/**
 * The finding for a process that should have gone on and ended by itself, or null if all of these did
 * go on (or were ended from outside). `file` is where the code under test lies.
 */
export function endedByItself(
  history: History,
  processes: readonly string[],
  expected: string,
  file: string,
): Finding | null {
  const exit = history.lives.exited.find(
    (event) => event.cause !== 'signal' && processes.includes(event.process),
  )
  if (!exit) return null
  const { process, incarnation } = exit
  const error = history.lives.errors.find(
    (event) => event.process === process && event.incarnation === incarnation,
  )
  const evidence = [seen(exit, process, `ends with code ${String(exit.code)}`)]
  if (!error) {
    return violated({
      expected,
      got: `${process} stopped too early, code ${String(exit.code)}`,
      evidence,
      file,
      hint: 'It should have gone on. Does your code call process.exit, or send a signal to itself?',
    })
  }
  const got = `${process} ended: ${error.name}: ${error.message}`
  const finding = violated({
    expected,
    got,
    evidence: [seen(error, process, `${error.name}: ${error.message}`), ...evidence],
    file,
    hint: 'An error that nobody catches ends the process. Start at the line that it names.',
  })
  const { file: at, line, column } = error
  return at === null ? finding : { ...finding, where: { file: at, line, column } }
}

function complete(facts: Facts): Omit<Finding, 'status'> {
  const evidence = [...(facts.evidence ?? [])].sort((a, b) => a.t - b.t)
  return { expected: facts.expected, got: facts.got, evidence }
}
