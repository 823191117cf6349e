/**
 * What `leaselab run` is asked for, parsed at the edge: a Plan that can be run, or a UsageError.
 *
 * Durations: a number with ms, s or m (`500ms`, `1.5s`, `2m`), answered in whole virtual
 * milliseconds. Faults: `worker-a@20s`, a freeze with its length `worker-a@12s+35s`; the name may be
 * left out when there is one process. Programs must exist.
 */

import { realpathSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ProcessSpec, Scenario, Step } from '../scenario/scenario.ts'
import { DEFAULT_SEED, parseSeed } from './options.ts'
import { didYouMean } from './suggest.ts'
import { UsageError } from './usage-error.ts'

/** As typed; every list in the order typed. */
export interface RunFlags {
  readonly seed?: string
  readonly until?: string
  readonly trace?: string
  readonly inspect?: boolean
  readonly env?: readonly string[]
  readonly process?: readonly string[]
  readonly freeze?: readonly string[]
  readonly kill?: readonly string[]
  readonly term?: readonly string[]
  readonly restart?: readonly string[]
}

export interface RunPlan {
  readonly seed: string
  readonly scenario: Scenario
  /** Process names, in the order typed. */
  readonly names: readonly string[]
  /** Absolute; null when none is wanted. */
  readonly traceFile: string | null
  readonly inspect: boolean
}

const DEFAULT_UNTIL = '10m'
const REDIS_URL = 'redis://redis:6379'
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,62}$/

/** Whole milliseconds from `500ms`, `12s`, `1.5s`, `2m`. `where` names the option. */
export function parseDuration(text: string, where: string, next: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? []
  const ms = Math.round(Number(number) * (UNIT_MS[unit ?? ''] ?? Number.NaN))
  if (Number.isSafeInteger(ms)) return ms
  throw new UsageError('That is no length of time.', {
    where,
    expected: 'a number with ms, s or m: 500ms, 12s, 1.5s, 2m',
    got: JSON.stringify(text),
    next,
  })
}

/** Throws UsageError. `here` is the folder that relative paths start from. */
export function planRun(
  file: string | undefined,
  args: readonly string[],
  flags: RunFlags,
  here: string,
): RunPlan {
  const programs = findPrograms(file, flags.process ?? [], here)
  const names = [...programs.keys()]
  const processes: Record<string, ProcessSpec> = {}
  const env = environments(flags.env ?? [], names)
  for (const [name, program] of programs) processes[name] = { program, args, env: env(name) }
  const timeline: Step[] = []
  for (const verb of ['freeze', 'kill', 'term', 'restart'] as const) {
    for (const text of flags[verb] ?? []) timeline.push(parseFault(verb, text, names))
  }
  const untilMs = parseDuration(flags.until ?? DEFAULT_UNTIL, 'option --until', '--until 60s')
  return {
    seed: parseSeed(flags.seed ?? DEFAULT_SEED),
    scenario: { processes, timeline, until: { allExited: true }, limitMs: untilMs },
    names,
    traceFile: flags.trace === undefined ? null : resolve(here, flags.trace),
    inspect: flags.inspect === true,
  }
}

function findPrograms(
  file: string | undefined,
  typed: readonly string[],
  here: string,
): Map<string, string> {
  const next = 'pnpm leaselab run worker.ts'
  if (file !== undefined && typed.length > 0) {
    throw new UsageError('A file and --process together: which programs are meant?', {
      where: 'option --process',
      expected: 'one file, or --process name=file for each program',
      got: `${file} and --process ${typed.join(' --process ')}`,
      next: `pnpm leaselab run --process main=${file} --process ${typed.join(' --process ')}`,
    })
  }
  if (file !== undefined) {
    const stem = basename(file).replace(/\.[^.]*$/, '')
    const name = NAME.test(stem) && stem !== 'redis' ? stem : 'program'
    return new Map([[name, existing(file, 'argument <file>', here)]])
  }
  if (typed.length === 0) {
    throw new UsageError('Which program is to be run?', {
      where: 'argument <file>',
      expected: 'a JavaScript or TypeScript file, or --process name=file for each of several',
      got: 'nothing',
      next,
    })
  }
  const programs = new Map<string, string>()
  for (const text of typed) {
    const at = text.indexOf('=')
    const name = text.slice(0, at)
    if (at < 0 || !NAME.test(name) || name === 'redis' || programs.has(name)) {
      throw new UsageError('That names no process and its program.', {
        where: 'option --process',
        expected: 'name=file; a name of letters, digits and -, used once, other than redis',
        got: JSON.stringify(text),
        next: '--process worker-a=worker.ts --process worker-b=worker.ts',
      })
    }
    programs.set(name, existing(text.slice(at + 1), `option --process ${name}`, here))
  }
  return programs
}

function existing(typed: string, where: string, here: string): string {
  const path = resolve(here, typed)
  if (typed !== '' && statSync(path, { throwIfNoEntry: false })?.isFile()) return realpathSync(path)
  throw new UsageError('There is no such file.', {
    where,
    expected: 'the path of a JavaScript or TypeScript file',
    got: `${JSON.stringify(typed)} (${path})`,
    next: `ls ${here}`,
  })
}

/** Of each process: what is for all, then what is for it alone. */
function environments(
  typed: readonly string[],
  names: readonly string[],
): (name: string) => Readonly<Record<string, string>> {
  const settings = typed.map((text) => {
    const [, name, key, value] = /^(?:([^:=]*):)?([^:=]+)=([\s\S]*)$/.exec(text) ?? []
    if (key === undefined || value === undefined) {
      throw new UsageError('That sets no variable.', {
        where: 'option --env',
        expected: 'NAME=value, or process:NAME=value',
        got: JSON.stringify(text),
        next: `--env ${/^\w+$/.test(text) ? text : 'NAME'}=value`,
      })
    }
    if (name !== undefined) requireName(name, names, 'option --env', text)
    return { name, key, value }
  })
  return (process) => {
    const env: Record<string, string> = { REDIS_URL }
    for (const own of [false, true]) {
      for (const { name, key, value } of settings) {
        if (own ? name === process : name === undefined) env[key] = value
      }
    }
    return env
  }
}

function parseFault(
  verb: 'freeze' | 'kill' | 'term' | 'restart',
  text: string,
  names: readonly string[],
): Step {
  const where = `option --${verb}`
  const only = names.length === 1 ? names[0] : undefined
  const example = `${names[0]}@${verb === 'freeze' ? '12s+35s' : '20s'}`
  const next = `--${verb} ${example}`
  const at = text.lastIndexOf('@')
  const name = at < 0 ? only : text.slice(0, at)
  const [when = '', length, ...more] = text.slice(at + 1).split('+')
  if (name === undefined || more.length > 0 || (verb === 'freeze') !== (length !== undefined)) {
    const shape = verb === 'freeze' ? 'process@when+length' : 'process@when'
    throw new UsageError(
      name === undefined ? 'Which process is meant?' : 'That is no fault that can be carried out.',
      { where, expected: `${shape}, e.g. ${example}`, got: JSON.stringify(text), next },
    )
  }
  requireName(name, names, where, text)
  const atMs = parseDuration(when, where, next)
  const id = `--${verb} ${text}`
  if (verb !== 'freeze') return { id, when: { atMs }, do: { verb, process: name } }
  const forMs = parseDuration(length ?? '', where, next)
  return { id, when: { atMs }, do: { verb, process: name, forMs } }
}

function requireName(name: string, names: readonly string[], where: string, got: string): void {
  if (names.includes(name)) return
  throw new UsageError(`There is no process ${name}.${didYouMean(name, names)}`, {
    where,
    expected: `one of: ${names.join(', ')}`,
    got: JSON.stringify(got),
    next: `${where.replace('option ', '')} ${got.replace(name, names[0] ?? '')}`,
  })
}
