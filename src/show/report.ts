/**
 * The verdict for a person at a terminal: one line a check, and below a line that is not held what
 * was seen, what to do next, and the command that repeats it.
 *
 * A view of the verdict alone; it decides nothing. Every text that the code under test can have
 * written is sanitised. Times: seconds of the run (virtual, or true in the real arm), three decimals.
 */

import type { CheckVerdict, Evidence, Place, Status, Verdict } from '../judge/verdict.ts'
import type { Ink } from './ink.ts'
import { sanitise } from './sanitise.ts'

/** What the first line names; known before anything runs. */
export interface Headline {
  readonly lab: { readonly name: string }
  readonly targetShown: string
  /** The target is the lab's own solution. */
  readonly reference: boolean
  readonly seed: string
  /** The address of the real arm as it may be shown; not given for the simulated arm. */
  readonly redisShown?: string | null
}

export interface Timing {
  /** Sum over all worlds. */
  readonly virtualUs: number
  readonly realMs: number
  /** Every world was run twice, to the same digest. */
  readonly twice: boolean
}

const MARKS: Readonly<Record<Status, string>> = { held: '✅', violated: '❌', inconclusive: '❔' }
const FIGURES_WIDTH = 400
const LINE_WIDTH = 120
/** Characters of the digest that are enough to compare two runs by eye; JSON has all of it. */
const DIGEST_SHOWN = 16

/** What is graded, on one line: lab, target, arm, seed. */
export function headline(request: Headline, ink: Ink): string {
  const { lab, targetShown, reference, seed, redisShown } = request
  const what = reference
    ? `solution (reference, not your code; to grade yours: ${ink.command(`pnpm leaselab grade ${lab.name} --target <folder>`)})`
    : sanitise(targetShown)
  const arm = redisShown == null ? `sim · seed ${seed}` : `real · ${sanitise(redisShown)}`
  return `${ink.strong(lab.name)} · target ${what} · arm ${arm}\n`
}

/** Everything after the first line. */
export function report(verdict: Verdict, timing: Timing, ink: Ink): string {
  const blocks = verdict.checks.map((check) => checkBlock(check, ink))
  if (verdict.together) blocks.push(togetherLine(verdict.together, ink))
  return `${blocks.join('')}\n${summary(verdict, timing, ink)}`
}

function checkBlock(check: CheckVerdict, ink: Ink): string {
  const title = `${MARKS[check.status]} ${check.id} ${check.title}`
  if (check.status === 'held') return `${title} — ${figures(check.got)}\n`
  const paint = check.status === 'violated' ? ink.bad : ink.unsure
  const told = `expected ${figures(check.expected)}; got ${paint(figures(check.got))}`
  return `${ink.strong(title)} — ${told}\n${details(check, ink)}`
}

function details(check: CheckVerdict, ink: Ink): string {
  const lines: string[] = []
  const section = (label: string, texts: readonly string[]): void => {
    for (const [index, text] of texts.entries()) {
      lines.push(`     ${ink.faint((index === 0 ? label : '').padEnd(7))}  ${text}\n`)
    }
  }
  if (check.where) section('where', [placeText(check.where)])
  section('story', timed(check.evidence))
  section('printed', timed(check.output))
  if (check.hint !== null) section('next', [figures(check.hint)])
  section('again', [ink.command(sanitise(check.repro, FIGURES_WIDTH))])
  return lines.join('')
}

function togetherLine(check: CheckVerdict, ink: Ink): string {
  const told =
    check.status === 'held'
      ? figures(check.got)
      : `expected ${figures(check.expected)}; got ${figures(check.got)}`
  return `${ink.faint(`·  not graded: ${check.title} — ${check.status}: ${told}`)}\n`
}

function summary(verdict: Verdict, timing: Timing, ink: Ink): string {
  const count = (status: Status): number =>
    verdict.checks.filter((check) => check.status === status).length
  const counts = `${count('held')} held, ${count('violated')} violated, ${count('inconclusive')} inconclusive`
  const paint = verdict.exitCode === 0 ? ink.good : verdict.exitCode === 1 ? ink.bad : ink.unsure
  const twice = timing.twice ? ' (twice the same)' : ''
  const ran = (timing.virtualUs / 1e6).toFixed(1)
  const real = (timing.realMs / 1000).toFixed(2)
  const facts =
    verdict.digest === null
      ? `no digest, as no two real runs are alike · ${ran} s of runs in ${real} s`
      : `digest ${verdict.digest.slice(0, DIGEST_SHOWN)}${twice} · seed ${verdict.seed} · ${ran} virtual s in ${real} s`
  return [paint(counts), ink.faint(facts), ''].join('\n')
}

/** Lines `12.345 s  worker-a  …`, times and names in columns. */
function timed(lines: readonly Evidence[]): readonly string[] {
  const times = lines.map(({ t }) => `${(t / 1e6).toFixed(3)} s`)
  const names = lines.map(({ who }) => sanitise(who, 40))
  const timeWidth = Math.max(0, ...times.map((time) => time.length))
  const nameWidth = Math.max(0, ...names.map((name) => name.length))
  return lines.map(
    ({ what }, index) =>
      `${times[index]!.padStart(timeWidth)}  ${names[index]!.padEnd(nameWidth)}  ${sanitise(what, LINE_WIDTH)}`,
  )
}

function placeText({ file, line, column }: Place): string {
  return sanitise([file, line, line === null ? null : column].filter((x) => x !== null).join(':'))
}

function figures(text: string): string {
  return sanitise(text, FIGURES_WIDTH)
}
