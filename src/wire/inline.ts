/**
 * An inline request (what a person types into telnet) as arguments.
 *
 * Double quotes know \n \r \t \b \a, \xHH and a backslash before any other character; single quotes
 * only \'. A closing quote must be followed by a space or the end. Source: sdssplitargs in Redis 7.0.
 */

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

const isSpace = (c: string | undefined): boolean => c !== undefined && /[ \t\n\v\f\r]/.test(c)

/** Null when a quote is not closed or is followed by text. */
export function splitInline(line: string): Buffer[] | null {
  const args: Buffer[] = []
  let at = 0
  for (;;) {
    while (isSpace(line[at])) at++
    if (at >= line.length) return args
    let arg = ''
    while (at < line.length && !isSpace(line[at])) {
      const c = line[at] as string
      if (c !== '"' && c !== "'") {
        arg += c
        at++
        continue
      }
      const quoted = quotedText(line, at)
      if (quoted === null) return null
      arg += quoted.text
      at = quoted.next
      if (at < line.length && !isSpace(line[at])) return null
    }
    args.push(Buffer.from(arg, 'latin1'))
  }
}

function quotedText(line: string, start: number): { text: string; next: number } | null {
  const quote = line[start] as string
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const c = line[at] as string
    if (c === quote) return { text, next: at + 1 }
    if (c !== '\\' || at + 1 >= line.length) {
      text += c
      continue
    }
    if (quote === "'") {
      if (line[at + 1] === "'") at++
      text += line[at] as string
      continue
    }
    const hex = /^x([0-9a-fA-F]{2})/.exec(line.slice(at + 1, at + 4))
    if (hex !== null) {
      text += String.fromCharCode(Number.parseInt(hex[1] as string, 16))
      at += 3
      continue
    }
    at++
    text += ESCAPES[line[at] as string] ?? (line[at] as string)
  }
  return null
}
