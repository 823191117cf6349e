/**
 * What is left when the judge itself is killed outright while a world hangs: nothing.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LAB, ROOT, targetWith } from './grade.ts'

/** Backtracks for ever inside the engine, where no round of a loop is counted. */
const ENDLESS = "/^(a+)+$/.test('a'.repeat(60) + '!')\n"

/** World children of `pid`, from /proc. */
function worldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text.split(' ').filter((child) => {
    return child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('world-main')
  })
}

// Children are found through /proc, which only Linux has.
test.runIf(process.platform === 'linux')(
  'kill -9 of the judge: a world that hangs ends too',
  async () => {
    const { dir, drop } = targetWith({ 'shard.ts': ENDLESS })
    try {
      const launcher = join(ROOT, 'bin/leaselab.mjs')
      const judge = spawn(
        process.execPath,
        [launcher, 'grade', LAB, '--target', dir, '--check', '1'],
        { stdio: 'ignore' },
      )
      await expect.poll(() => worldsOf(judge.pid!).length, { timeout: 10_000 }).toBe(1)
      const [world] = worldsOf(judge.pid!)
      // Long enough for the world to be in its loop, and for its thread to be there.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      expect(existsSync(`/proc/${world}/stat`)).toBe(true)
      judge.kill('SIGKILL')
      await once(judge, 'exit')
      await expect.poll(() => existsSync(`/proc/${world}/stat`), { timeout: 5000 }).toBe(false)
    } finally {
      drop()
    }
  },
)
