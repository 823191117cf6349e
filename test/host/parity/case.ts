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
}
