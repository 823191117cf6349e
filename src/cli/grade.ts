/**
 * Grades a folder: asks the judge for jobs, has them run, shows the verdict.
 *
 * Answers the exit code of the verdict. `--twice` runs every world a second time and throws when a
 * digest differs, as that is a bug of ours. With `json` the verdict is all that goes to stdout.
 */

import type { WorldJob, WorldResult } from '../arm/job.ts'
import { divergenceText, firstDivergence } from '../judge/divergence.ts'
import { type GradeRequest, isReference, judgeResults, planJobs } from '../judge/grade.ts'
import type { ExitCode } from '../judge/verdict.ts'
import type { Ink } from '../show/ink.ts'
import { headline, report } from '../show/report.ts'

/** Runs worlds; results come in the order of the jobs. */
export type RunWorlds = (
  jobs: readonly WorldJob[],
  options: { readonly worldMain: string; readonly onResult?: (result: WorldResult) => void },
) => Promise<WorldResult[]>

export interface GradeOptions {
  readonly json: boolean
  readonly twice: boolean
}

/** What grading needs from outside. `write` gets text for stdout; `now` is real time in ms. */
export interface GradeTools {
  readonly runWorlds: RunWorlds
  readonly worldMain: string
  readonly write: (text: string) => void
  readonly ink: Ink
  readonly now: () => number
}

/** Two runs with one seed gave two traces: ours to mend. */
export class DivergenceError extends Error {
  override readonly name = 'DivergenceError'
}

export async function grade(
  request: GradeRequest,
  options: GradeOptions,
  tools: GradeTools,
): Promise<ExitCode> {
  const { runWorlds, worldMain, write, ink } = tools
  const startedAt = tools.now()
  const jobs = planJobs(request)
  if (!options.json) write(headline({ ...request, reference: isReference(request) }, ink))
  const results = await runWorlds(jobs, { worldMain })
  if (options.twice) {
    const again = await runWorlds(jobs, { worldMain })
    const divergence = firstDivergence(results, again)
    if (divergence) throw new DivergenceError(divergenceText(divergence))
  }
  const verdict = judgeResults(request, results)
  if (options.json) {
    write(`${JSON.stringify(verdict)}\n`)
    return verdict.exitCode
  }
  const virtualUs = results.reduce((sum, result) => sum + (result.events.at(-1)?.t ?? 0), 0)
  const realMs = tools.now() - startedAt
  write(report(verdict, { virtualUs, realMs, twice: options.twice }, ink))
  return verdict.exitCode
}
