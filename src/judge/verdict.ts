/**
 * The verdict as data: the one thing that every reporter is a view of.
 *
 * `held` · `violated` (with the first bad fact and the way to it) · `inconclusive` (the fault never
 * bit, or the machine disturbed the run). Exit codes: 0 all held · 1 some violated · 2 some
 * inconclusive, none violated · 3 usage · 4 a bug of ours.
 */

export type Status = 'held' | 'violated' | 'inconclusive'
export type ExitCode = 0 | 1 | 2 | 3 | 4
export type ArmName = 'sim' | 'real'

/** A place in a file, for a person to open. `file` is relative to the folder under test if inside it. */
export interface Place {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
}

/** One line of the story: when (µs of the run: virtual, or true in the real arm), who, what. */
export interface Evidence {
  readonly t: number
  readonly who: string
  readonly what: string
}

/** What a check's `judge` answers, from the trace alone. */
export interface Finding {
  readonly status: Status
  /** The figures that must hold, e.g. `256/256 shards occupied, largest bucket 17`. */
  readonly expected: string
  /** The figures that came. */
  readonly got: string
  /** The few events that decided it, in order. */
  readonly evidence: readonly Evidence[]
  readonly where?: Place | null
  /** The next thing to do, said kindly; for a violated check. */
  readonly hint?: string
}

export interface CheckVerdict {
  readonly id: number
  /** Exercise that turns this line, or null if the code is given. */
  readonly exercise: number | null
  readonly title: string
  readonly status: Status
  readonly expected: string
  readonly got: string
  readonly evidence: readonly Evidence[]
  /** The last lines that each process printed. */
  readonly output: readonly Evidence[]
  readonly where: Place | null
  readonly hint: string | null
  /** One shell line that repeats this check alone. */
  readonly repro: string
  /** Null in the real arm. */
  readonly digest: string | null
}

export interface Verdict {
  readonly schema: 1
  readonly lab: string
  readonly target: string
  /** True when the target is the lab's own solution. */
  readonly reference: boolean
  readonly seed: string
  readonly arm: ArmName
  readonly options: Readonly<Record<string, string | number | boolean>>
  /** Null in the real arm. */
  readonly digest: string | null
  readonly exitCode: ExitCode
  readonly checks: readonly CheckVerdict[]
  /** All the target's files together: told, never graded. Null when not run. */
  readonly together: CheckVerdict | null
}

export interface UsageVerdict {
  readonly schema: 1
  readonly exitCode: 3 | 4
  readonly error: string
}
