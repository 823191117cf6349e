/**
 * Load hints: a statement put into a slow file of a package, that changes speed and nothing else.
 *
 * A hint names package, file and the SHA-256 of the file's text, so another version is left as it is.
 * It stands on a line that was there, so lines stay (columns of that line move). With and without
 * hints a run has the same digest; `setLoadHints(false)` switches them off for that comparison.
 */

import { createHash } from 'node:crypto'

interface LoadHint {
  readonly package: string
  /** End of the path, with the package's name. */
  readonly file: string
  readonly sha256: string
  /** What is replaced, once, and by what: no newline in either. */
  readonly before: string
  readonly insert: string
}

/**
 * ioredis assigns some 600 methods to a prototype, one by one. Each assignment makes a new hidden
 * class of it; a prototype that has lost a property is a dictionary and takes them at once.
 */
const HINTS: readonly LoadHint[] = [
  {
    package: 'ioredis 5.11.1',
    file: '/ioredis/built/utils/Commander.js',
    sha256: 'a199626d54821a5154c7bc96f727fea183a399acbda48b6e02359c0ccae6bb63',
    before: 'commands.forEach(',
    insert: 'Commander.prototype._=0;delete Commander.prototype._;',
  },
]

let enabled = true

export function setLoadHints(on: boolean): void {
  enabled = on
}

/** The text to compile: with its hint, when there is one for exactly this text. */
export function withLoadHint(path: string, text: string): string {
  if (!enabled) return text
  for (const hint of HINTS) {
    if (!path.endsWith(hint.file)) continue
    if (createHash('sha256').update(text).digest('hex') !== hint.sha256) continue
    return text.replace(hint.before, () => hint.insert + hint.before)
  }
  return text
}
