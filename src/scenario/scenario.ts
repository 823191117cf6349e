/**
 * A scenario as data: which processes there are, and what is done to them and when.
 *
 * An arm executes it; nothing in here is a function, so it can be sent to another process, stored
 * beside a trace and, later, written as YAML. Times are whole milliseconds of the world's own clock.
 */

/** One process of the cluster. */
export interface ProcessSpec {
  /** Entry file, relative to the lab's folder. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** `start` (default): at time 0, in the order written. `timeline`: only when a step starts it. */
  readonly begins?: 'start' | 'timeline'
  /** It ends by itself when its work is done; else its end is worth a word in the report. */
  readonly ends?: true
}

/** How one field of an event is compared. A plain value is compared by equality. */
export type FieldTest =
  | string
  | number
  | boolean
  | null
  | { readonly oneOf: readonly (string | number)[] }
  | { readonly startsWith: string }
  | { readonly includes: string }

/**
 * Which events are meant. `argv` matches a command whose arguments contain all of these strings
 * (`argv[0]` by `command`); `json` matches an output line that is a JSON object with these members.
 */
export interface EventPattern {
  readonly kind: string
  readonly where?: Readonly<Record<string, FieldTest>>
  readonly command?: readonly string[]
  readonly argv?: readonly string[]
  readonly json?: Readonly<Record<string, FieldTest>>
}

/** A point in the run: a time, or the nth event of a pattern (n from 1), and a while after it. */
export type When =
  | { readonly atMs: number }
  | { readonly on: EventPattern; readonly nth?: number; readonly plusMs?: number }
  | { readonly step: string; readonly plusMs?: number }

export type Verb =
  | { readonly verb: 'start'; readonly process: string }
  | { readonly verb: 'freeze'; readonly process: string; readonly forMs?: number }
  | { readonly verb: 'thaw'; readonly process: string }
  | { readonly verb: 'kill'; readonly process: string }
  | { readonly verb: 'term'; readonly process: string }
  | { readonly verb: 'restart'; readonly process: string }
  /** Lets go what the step of this id holds. */
  | { readonly verb: 'release'; readonly step: string }
  /**
   * From now on: the first command of `process` on a Redis server that matches is held at the
   * server's door, with everything behind it on its connection, until a `release` of this step.
   */
  | ({ readonly verb: 'hold' } & CommandRule)
  /**
   * From now on: at the first command that matches its connection goes half dead. Nothing passes it
   * any more in either direction, and neither end is told.
   */
  | ({ readonly verb: 'stall'; readonly point: Point } & CommandRule)
  /** From now on: at the first command that matches its connection is reset (ECONNRESET). */
  | ({ readonly verb: 'reset'; readonly point: Point } & CommandRule)
  /** Every piece of traffic between the two takes this much longer, each way. */
  | ({ readonly verb: 'slow'; readonly delayMs: number } & LinkFault)
  /**
   * Traffic between the two waits, as packets do that are sent again and again: `out` what leaves
   * `process`, `in` what comes to it (default: both). It goes on, in order, after a `heal`.
   */
  | ({ readonly verb: 'partition'; readonly way?: 'out' | 'in' | 'both' } & LinkFault)
  /** Ends what the `slow` or `partition` of this step does. */
  | { readonly verb: 'heal'; readonly step: string }

/** Where a command is hit: before it arrives, or once it has been carried out and before it is answered. */
export type Point = 'before-arrival' | 'after-commit'

/** Which command is meant, as in `EventPattern`. */
export interface CommandRule {
  readonly process: string
  readonly command: readonly string[]
  readonly argv?: readonly string[]
}

/** The link between a process and a server (`redis`) or another process. */
export interface LinkFault {
  readonly process: string
  readonly to: string
  /** It heals by itself after this long. */
  readonly forMs?: number
}

export interface Step {
  /** Names the step for `release`, `step` triggers and the report. Unique in the scenario. */
  readonly id: string
  readonly when: When
  readonly do: Verb
}

export interface Scenario {
  readonly processes: Readonly<Record<string, ProcessSpec>>
  readonly timeline: readonly Step[]
  /**
   * The run ends at this point, or (`allExited`) once no process lives and no step to come starts
   * one …
   */
  readonly until: When | { readonly allExited: true }
  /** … or here at the latest (virtual time). Reaching it is told as `world.ended: time-limit`. */
  readonly limitMs: number
}
