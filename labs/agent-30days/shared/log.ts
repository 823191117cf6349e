/**
 * What a program says: one JSON object a line on stdout, `event` first.
 *
 * These lines are its *belief* (`lease.held`, `lease.lost`, `handler.start`, `effect`, …): what it
 * thinks it holds and has done, which may differ from what the servers know.
 */

export type Field = string | number | boolean | null | readonly (string | number)[]

/** Prints one line. */
export function say(event: string, fields: Readonly<Record<string, Field>> = {}): void {
  console.log(JSON.stringify({ event, ...fields }))
}

/** Text of anything that was thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
