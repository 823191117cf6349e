/** Signals: which there are, and what they do to a process that has no handler for them. Linux's. */

import { constants } from 'node:os'

const IGNORED: ReadonlySet<string> = new Set([
  'SIGCHLD',
  'SIGCONT',
  'SIGURG',
  'SIGWINCH',
  'SIGPIPE',
])

export function isSignal(name: string): boolean {
  return Object.hasOwn(constants.signals, name)
}

/** SIGKILL and SIGSTOP are not asked for here: nothing can change what they do. */
export function defaultAction(name: string): 'end' | 'ignore' {
  return IGNORED.has(name) ? 'ignore' : 'end'
}
