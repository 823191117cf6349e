/** One program that must print and end the same by real Node and inside the world. */

export interface ParityCase {
  readonly claim: string
  /** File name of the program; its extension decides how it is read. Default main.mjs. */
  readonly as?: string
  readonly source: string
  /** Further files of its folder, by relative path. */
  readonly files?: Readonly<Record<string, string>>
  /** Sent once the program has printed its first line, `up`. */
  readonly signal?: string
  /** As the first process of a container; in real Node by `unshare -pf`. */
  readonly isPid1?: boolean
  /** Where the world must differ: what it prints instead, and why. */
  readonly differs?: { readonly out: string; readonly why: string }
  /** Where a newer Node prints otherwise: the world prints this on every Node, as Node 20 does. */
  readonly since?: Since
}

export interface Since {
  /** The first major version that differs. */
  readonly major: number
  readonly out: string
  readonly why: string
}

/** Does the Node of this test differ from Node 20 in this case? */
export function differsHere(since: Since | undefined): since is Since {
  return since !== undefined && Number.parseInt(process.versions.node, 10) >= since.major
}
