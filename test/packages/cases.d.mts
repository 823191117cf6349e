export interface PackageCase {
  readonly name: string
  readonly packages: readonly string[]
  /** By process: the file of its program. */
  readonly programs: Readonly<Record<string, string>>
  /** The process that decides. */
  readonly decides: string
  /** A Redis of the world's own, as host `redis`. */
  readonly redis?: boolean
  readonly verbs: readonly {
    readonly atMs: number
    readonly process: string
    readonly verb: string
    readonly signal?: string
  }[]
}

export const CASES: readonly PackageCase[]
