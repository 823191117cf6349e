/**
 * What the judge asks a world child to run, and what comes back. Plain JSON both ways.
 */

import type { ProgramFiles } from '../scenario/program-files.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { TraceEvent } from '../trace/events.ts'

/** A module to look at before the world starts: does it load, and what does it export? */
export interface Preflight {
  /** Its name among the exercises: a key of `ProgramFiles.exercises`. */
  readonly file: string
}

export interface WorldJob {
  /** Unique in a batch. */
  readonly id: string
  readonly seed: string
  readonly scenario: Scenario
  /** Null for programs of no lab: paths are absolute then, and each starts in its own folder. */
  readonly files: ProgramFiles | null
  readonly preflight: Preflight | null
  /** Somebody watches: a printed line leaves the child at once. */
  readonly live?: boolean
  readonly tuning?: Tuning
}

/** To measure what these cost or bring. Of a child's first job: code is compiled once. */
export interface Tuning {
  readonly loadHints: boolean
  readonly countLoops: boolean
}

/** What the preflight saw: `typeof` of every export, or the error that loading it threw. */
export type PreflightResult =
  | { readonly kind: 'loaded'; readonly exports: Readonly<Record<string, string>> }
  | {
      readonly kind: 'failed'
      readonly name: string
      readonly message: string
      readonly file: string | null
      readonly line: number | null
      readonly column: number | null
    }

export interface WorldResult {
  readonly id: string
  readonly preflight: PreflightResult | null
  /** Ends with `world.ended`, also when the child was killed (then the parent adds it). */
  readonly events: readonly TraceEvent[]
  /** Hex; over everything that the digest covers. Null in the real arm, where no two runs are alike. */
  readonly digest: string | null
  /** Real milliseconds from the job's begin to its end, its preflight included. For reports only. */
  readonly realMs: number
}
