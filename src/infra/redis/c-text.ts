/** Text as C's string functions see it: it ends before the first zero byte. */
export function untilZero(text: string): string {
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

/** An argument as such text, latin1. */
export function cText(bytes: Buffer): string {
  return untilZero(bytes.toString('latin1'))
}
