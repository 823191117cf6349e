/**
 * The real arm as the command line sees it: what goes with it, and its refusals as slips of a person.
 */

import { RealRefusal } from '../arm/real-refusal.ts'
import type { Lab } from '../judge/lab.ts'
import type { GradingFlags } from './command-line.ts'
import type { RunWorlds } from './grade.ts'
import { UsageError } from './usage-error.ts'

const IN_MEMORY = 'MOCK=1 SELFTEST=1 pnpm start'

/** Throws UsageError for what the real arm does not do. */
export function refuseOnRealArm(lab: Lab, flags: GradingFlags): void {
  if (lab.real === undefined) {
    throw new UsageError(`${lab.name} has no real arm.`, {
      where: 'environment variable REDIS_URL',
      expected: 'MOCK=1, or no address: everything runs in memory',
      got: 'REDIS_URL without MOCK=1',
      next: IN_MEMORY,
    })
  }
  if (flags.twice !== true) return
  throw new UsageError('No two runs of the real arm are alike.', {
    where: 'option --twice',
    expected: '--twice in memory only',
    got: '--twice with REDIS_URL',
    next: 'leave --twice out, or set MOCK=1',
  })
}

/** Runs jobs on the Redis of this address. Throws UsageError when that cannot be used. */
export async function realRunner(redisUrl: string): Promise<RunWorlds> {
  const { meetServer, runReal } = await import('../arm/run-real.ts')
  try {
    const server = await meetServer(redisUrl)
    return (jobs, options) => runReal(jobs, { ...options, server, onRepeat: tellRepeat })
  } catch (error) {
    if (!(error instanceof RealRefusal)) throw error
    const where = 'environment variable REDIS_URL'
    throw new UsageError(error.message, { where, ...error.details })
  }
}

function tellRepeat(id: string, gapMs: number): void {
  const ms = Math.round(gapMs)
  process.stderr.write(`${id}: the machine stood still for ${ms} ms; it is run once more.\n`)
}
