/**
 * Text of the code under test, made safe to print: it cannot move the cursor, colour a line green or
 * fake one of ours.
 *
 * Control characters (C0, DEL, C1), line separators, bidirectional overrides and lone surrogates are
 * shown as escapes; what is longer than the width is cut, and says how much is missing.
 */

const DANGEROUS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** One line, at most `width` characters and a note on the rest. */
export function sanitise(text: string, width = 160): string {
  // Cut first: a line of many megabytes must not be searched as a whole.
  const head = text.length > width ? cut(text, width) : text
  const safe = head.replace(DANGEROUS, escapeOf)
  return text.length > head.length
    ? `${safe}… (${text.length - head.length} more characters)`
    : safe
}

function cut(text: string, width: number): string {
  const last = text.charCodeAt(width - 1)
  const halvesPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, halvesPair ? width - 1 : width)
}

function escapeOf(character: string): string {
  const named = NAMES[character]
  if (named !== undefined) return named
  const code = character.charCodeAt(0)
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
