/**
 * Sees to it that nothing outlives the judge: kills process groups, and sets a guard beside a child.
 *
 * A child of ours leads a process group of its own. A guard is a shell that waits for the end of its
 * input, which comes when the judge is gone, however it went; it then kills the child's group, also
 * when that is stopped. None on Windows.
 */

import { type ChildProcess, spawn } from 'node:child_process'

const GUARD = 'read -r _; kill -9 "-$1"'

/** Ends a child and whatever it started. Nothing happens when it is gone. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

/** Guards the group of this process id. To be ended with SIGKILL once the group is gone. */
export function guardOf(pid: number): ChildProcess | null {
  if (process.platform === 'win32') return null
  const guard = spawn('/bin/sh', ['-c', GUARD, 'leaselab-guard', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
  })
  guard.on('error', () => {}) // No shell here: then there is no guard.
  guard.stdin?.on('error', () => {})
  return guard
}
