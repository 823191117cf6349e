/**
 * `leaselab run`: programs of no lab, in a world of their own, their output as they print it.
 *
 * Answers the exit code: the program's (of several the first that is not 0, each by its last life; a
 * death by signal is 128 and its number), 1 when the world did not come to an end of its own (hang,
 * livelock, crash, memory), 0 when the time was over. Notes of ours go to stderr. A line that ended
 * without a newline gets one. The trace is JSON lines, its first line the header; it appears whole or
 * not at all.
 */

import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { WorldJob, WorldResult } from '../arm/job.ts'
import type { RunOptions } from '../arm/run-worlds.ts'
import { TRACE_VERSION, type TraceEvent, type WorldEnded } from '../trace/events.ts'
import type { RunPlan } from './run-options.ts'
import { UsageError } from './usage-error.ts'

export interface RunTools {
  readonly runWorlds: (
    jobs: readonly WorldJob[],
    options: RunOptions,
  ) => Promise<readonly WorldResult[]>
  readonly worldMain: string
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

export async function run(plan: RunPlan, tools: RunTools): Promise<number> {
  const { names, scenario, seed, traceFile } = plan
  const note = (text: string): void => tools.err(`leaselab: ${text}\n`)
  const onEvent = (event: TraceEvent): void => {
    if (event.kind !== 'process.output') return
    const prefix = names.length > 1 ? `${event.process} | ` : ''
    tools[event.stream === 'stdout' ? 'out' : 'err'](`${prefix}${event.text}\n`)
  }
  if (traceFile !== null) probeTrace(traceFile)
  const onInspector = (address: string): void => {
    note(`debugger listening on ${address}`)
    note('the world begins when one is attached (Chrome: chrome://inspect)')
  }
  const job: WorldJob = { id: 'run', seed, scenario, files: null, preflight: null, live: true }
  const [result] = await tools.runWorlds([job], {
    worldMain: tools.worldMain,
    onEvent,
    ...(plan.inspect ? { onInspector } : {}),
  })
  const events = result?.events ?? []
  if (traceFile !== null) writeTrace(traceFile, seed, events)
  const end = events.at(-1)
  if (end?.kind !== 'world.ended') return 1
  const bit = new Set(events.map((event) => (event.kind === 'fault.bit' ? event.step : null)))
  for (const { id } of scenario.timeline) {
    if (!bit.has(id)) note(`${id} never took hold: there was no living process at that time`)
  }
  return tellEnd(end, note) ? exitCodeOf(events) : 1
}

/** True when the world came to an end that is not a failure. */
function tellEnd(end: WorldEnded, note: (text: string) => void): boolean {
  const at = `${(end.t / 1e6).toFixed(3)} virtual s`
  if (end.why === 'until') return true
  if (end.why === 'time-limit') {
    note(`stopped after ${at}, as --until says; what still ran was ended`)
    return true
  }
  if (end.why === 'idle') {
    note(`stopped after ${at}: processes still wait, and nothing is left that could wake them`)
    return true
  }
  const why = end.why === 'event-limit' ? 'livelock' : end.why
  note(`${why} after ${at}: ${end.detail ?? 'no more is known'}`)
  return false
}

function exitCodeOf(events: readonly TraceEvent[]): number {
  const codes = new Map<string, number>()
  for (const event of events) {
    if (event.kind !== 'process.exited') continue
    const { process, code, signal } = event
    const numbers: Readonly<Record<string, number>> = constants.signals
    codes.delete(process)
    codes.set(process, code ?? 128 + (numbers[signal ?? ''] ?? 0))
  }
  return [...codes.values()].find((code) => code !== 0) ?? 0
}

const draftOf = (file: string): string => `${file}.${process.pid}.tmp`

/** Finds out before anything runs whether the trace can be written. */
function probeTrace(file: string): void {
  try {
    writeFileSync(draftOf(file), '')
    rmSync(draftOf(file))
  } catch (error) {
    throw new UsageError('The trace cannot be written there.', {
      where: 'option --trace',
      expected: 'a path in a folder that exists and can be written to',
      got: `${file} (${(error as NodeJS.ErrnoException).code})`,
      next: '--trace trace.jsonl',
    })
  }
}

function writeTrace(file: string, seed: string, events: readonly TraceEvent[]): void {
  const header = { kind: 'trace', version: TRACE_VERSION, seed }
  const lines = [header, ...events].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(draftOf(file), lines.join(''))
  renameSync(draftOf(file), file)
}
