/**
 * The preflight of a check: does the exercise's file load, and what does it export?
 *
 * It runs as a process of a small world of its own, so that a file which hangs, crashes or prints is
 * under the same rules as in the check. Its trace is not part of the check's.
 */

import type { LuaRuntime } from '../infra/redis/lua.ts'
import type { TraceEvent } from '../trace/events.ts'
import type { PreflightResult, WorldJob } from './job.ts'
import { SimArm } from './sim.ts'

const PROCESS = 'preflight'

function exportsIn(line: string): Record<string, string> | null {
  try {
    const { exports } = JSON.parse(line) as { exports?: Record<string, string> | null }
    return typeof exports === 'object' ? exports : null
  } catch {
    return null
  }
}

/** What the preflight's trace says. */
function readPreflight(events: readonly TraceEvent[]): PreflightResult {
  for (const event of events) {
    if (event.kind === 'process.error') {
      const { name, message, file, line, column } = event
      return { kind: 'failed', name, message, file, line, column }
    }
  }
  const last = events.at(-1)
  if (last?.kind === 'world.ended' && last.why !== 'until') {
    const why = last.detail ?? last.why
    const message = last.why === 'leak' ? why : `loading the file never came to its end (${why})`
    return { kind: 'failed', name: 'Ended', message, file: null, line: null, column: null }
  }
  // The file may print as well, also at its exit.
  for (const event of events.toReversed()) {
    const exports = event.kind === 'process.output' ? exportsIn(event.text) : null
    if (exports !== null) return { kind: 'loaded', exports }
  }
  const message = 'the process ended while the file was being loaded'
  return { kind: 'failed', name: 'Ended', message, file: null, line: null, column: null }
}

/**
 * Runs it. `begin` is called with the arm before it starts, so that uncaught errors find their
 * world, and with what has been seen so far, in case that a loop never comes to its end. `program` is the path of the built preflight program.
 */
export async function runPreflight(
  job: WorldJob,
  program: string,
  lua: LuaRuntime,
  begin: (arm: SimArm, seen: () => PreflightResult) => void,
): Promise<PreflightResult | null> {
  if (job.preflight === null) return null
  const events: TraceEvent[] = []
  const arm = new SimArm(
    {
      seed: job.seed,
      files: job.files,
      lua,
      scenario: {
        processes: {
          [PROCESS]: { program, env: { LEASELAB_EXERCISE: job.preflight.file } },
        },
        timeline: [],
        until: { on: { kind: 'process.exited', where: { process: PROCESS } } },
        limitMs: 60_000,
      },
    },
    [(event) => events.push(event)],
  )
  begin(arm, () => readPreflight(events))
  await arm.run()
  return readPreflight(events)
}
