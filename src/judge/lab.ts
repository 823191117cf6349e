/**
 * What a lab states about itself: the manifest that `labs/<lab>/lab.ts` exports as its default.
 *
 * A lab is data plus one pure function a check. Checks come from the installed lab, never from the
 * folder under test.
 */

import type { Scenario } from '../scenario/scenario.ts'
import type { History } from '../trace/history.ts'
import type { Finding } from './verdict.ts'

/** One exercise: the file a student edits and what it must export. */
export interface Exercise {
  readonly id: number
  readonly file: string
  /** Name → `typeof` of each export that must be there. */
  readonly exports: Readonly<Record<string, 'function' | 'number' | 'string' | 'object'>>
  readonly summary: string
}

export interface Check {
  readonly id: number
  /** Id of the exercise whose file is taken from the target; null if none is. */
  readonly exercise: number | null
  readonly title: string
  readonly scenario: Scenario
  /** Said in the report beside the title, e.g. `self-stop off`. */
  readonly note?: string
  /** Pure: the trace in, the finding out. Must not throw on any trace. */
  readonly judge: (history: History) => Finding
}

/** Checks of a lab at one pace: those of the simulated arm, or of the real one. */
export interface Pace {
  readonly checks: readonly Check[]
  /** The ungraded run with all the target's files together. */
  readonly together: Omit<Check, 'id' | 'exercise'>
}

export interface Lab extends Pace {
  readonly name: string
  readonly title: string
  /** Folder names inside the lab. */
  readonly solution: string
  readonly starter: string
  /** Every file name that solution and starter share (exercises and given modules like keys.ts). */
  readonly modules: readonly string[]
  readonly exercises: readonly Exercise[]
  /** Programs that `leaselab process <name>` can start for real, name → file inside the lab. */
  readonly programs: Readonly<Record<string, string>>
  /**
   * The same checks, by id, with times that real processes and servers can keep; left out by a lab
   * that has no real arm. `speed` is how many times faster than in the simulated arm.
   */
  readonly real?: Pace & { readonly speed: number }
}

/** Gives the manifest its type, and nothing else. */
export function defineLab(lab: Lab): Lab {
  return lab
}
