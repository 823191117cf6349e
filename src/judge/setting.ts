/**
 * What a lab tells the invariants about itself: names and figures, and nothing that runs.
 *
 * Plain JSON, so that a scenario can carry one. A part that is null is absent from the lab: what reads
 * it is then not applicable. A *resource* is what leases, streams and store have in common (a shard):
 * it is written as the text that follows the part's `keyStart`, or as the store's field, so that
 * `lease:shard:131`, `koda:runs:s131` and `{ "shard": 131 }` speak of the resource `131`.
 * Times are whole milliseconds.
 */

export interface Setting {
  readonly leases: LeaseSetting | null
  readonly messages: MessageSetting | null
  readonly store: StoreSetting | null
  readonly beliefs: BeliefSetting | null
  readonly bounds: Bounds
  /** Who may hold leases, by process name. */
  readonly workers: Readonly<Record<string, WorkerSetting>>
  readonly health: HealthSetting | null
  /** Environments that share servers; with fewer than two of them nothing can cross. */
  readonly environments: readonly EnvironmentSetting[]
  readonly panel: PanelSetting | null
  readonly boot: BootSetting | null
}

export interface LeaseSetting {
  /** A key that begins so is a lease; the rest of it is the resource. */
  readonly keyStart: string
  /** A lease's value is owner, this, token; split at its last occurrence. */
  readonly separator: string
  /** Keys that begin so are counters that mint tokens; null if there are none in Redis. */
  readonly counterStart: string | null
  readonly ttlMs: number
  /** How often a worker looks for free leases. */
  readonly sweepMs: number
  /** Resources whose leases a check's own probes write: whatever is done there is staged. */
  readonly staged: readonly string[]
}

export interface MessageSetting {
  /** A stream that begins so carries messages; the rest of its key is the resource. */
  readonly keyStart: string
  readonly group: string
  /** Fields that name the conversation (one user's messages, to be kept in order) and the place in it. */
  readonly fields: { readonly run: string; readonly seq: string }
  /** Keys of dead-letter streams begin so; null if there are none. */
  readonly deadLetterStart: string | null
  /**
   * The endpoint that takes messages: it answers `status` once one is published, with run, seq and
   * (in the member `resource`) where it went.
   */
  readonly published: {
    readonly server: string
    readonly path: string
    readonly status: number
    readonly resource: string
  } | null
}

export interface StoreSetting {
  readonly server: string
  /** POST of one message. Fields are members of its body. */
  readonly write: {
    readonly path: string
    readonly resource: string
    readonly token: string
    readonly run: string
    readonly seq: string
    /** Member of the answer that lists what was written: a write took effect if it is not empty. */
    readonly rows: string
  }
  /** POST that makes a token known before the first message; null if there is none. */
  readonly plant: {
    readonly path: string
    readonly resource: string
    readonly token: string
  } | null
  /** Status of an answer that refuses a stale token. */
  readonly refusedStatus: number
}

/** Names of the JSON lines by which processes tell what they believe, and of their members. */
export interface BeliefSetting {
  readonly held: string
  readonly lost: string
  /** A message's handling begins. */
  readonly began: string
  readonly resource: string
  readonly run: string
  readonly seq: string
  /** False if holders do not stop by themselves in this run: then nothing bounds their belief. */
  readonly selfStop: boolean
}

export interface Bounds {
  /** A message on the wire and its answer need no longer than this. */
  readonly latencyMs: number
  readonly longestHandlingMs: number
  /** A holder stops itself when this has passed since its last good renewal was sent … */
  readonly selfStopMs: number
  /** … and looks at its clock at least this often. */
  readonly watchMs: number
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number
}

export interface WorkerSetting {
  /** How many leases it takes at most. */
  readonly share: number
  /** The resources it may hold; null for all. */
  readonly resources: readonly string[] | null
}

export interface HealthSetting {
  readonly livenessPath: string
  /** Names (as in an address, without port) of the servers whose outage must not fail liveness. */
  readonly dependencies: readonly string[]
  /** A loop that leaves work waiting for longer than this is wedged. */
  readonly wedgedAfterMs: number
}

export interface EnvironmentSetting {
  readonly name: string
  /** In front of each of its keys; may be empty. */
  readonly keyPrefix: string
  readonly processes: readonly string[]
}

/** Workers beat by writing a key; a page of a server shows who lives. */
export interface PanelSetting {
  readonly server: string
  readonly path: string
  /** Member of the answer that lists the workers, and members of each of these. */
  readonly list: string
  readonly worker: string
  readonly state: string
  /** States that say "it lives". */
  readonly alive: readonly string[]
  /** The key that begins so and ends with a worker's name is its heartbeat. */
  readonly beatStart: string
  /** A beat older than this makes its worker stale. */
  readonly staleMs: number
}

export interface BootSetting {
  /** JSON line with which a program says that it has started. */
  readonly ready: string
  /** Key that holds the shard count the data was written with, and the programs' own count. */
  readonly shardCount: { readonly key: string; readonly count: number } | null
  /** Whether programs must look at `maxmemory-policy`. */
  readonly maxmemoryPolicy: boolean
  /** What single programs were started with, by process name. */
  readonly started: Readonly<Record<string, StartedWith>>
}

export interface StartedWith {
  /** The program's own ceiling for its drain. */
  readonly drainMs?: number
  readonly graceMs?: number
  readonly preStopMs?: number
  /** Prefix of its keys; an empty one must be refused. */
  readonly keyPrefix?: string
}
