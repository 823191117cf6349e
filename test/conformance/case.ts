/**
 * What a conformance case is: commands for a server that has just been emptied, in the notation of
 * redis-cli (quotes and \xHH work), run against the real Redis and the engine, replies compared to the
 * byte.
 *
 * A step may begin with a mark: `b> ` runs on a second connection; `b! ` sends a command there that
 * blocks; `b? ` awaits its reply. A step that cannot be compared to the byte is an object that says
 * how it is compared and why.
 */
export type Mask =
  /** The same shape; integers, also those in text, may differ by up to 2,000. */
  | 'near'
  /** Seconds and microseconds of one instant, less than 2 s apart. */
  | 'instant'
  /** Arrays hold the same items in any order. */
  | 'unordered'
  /** Only the type of the reply, and for errors the text, are compared. */
  | 'shape'

export type Step =
  | string
  | { readonly run: string | readonly Buffer[]; readonly mask: Mask; readonly why: string }

export interface Case {
  readonly title: string
  readonly steps: readonly Step[]
}

export type Family = { readonly name: string; readonly cases: readonly Case[] }
