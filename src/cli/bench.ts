/**
 * `pnpm bench`: one table of what this machine makes of the lab, peers measured in the same run.
 *
 * Medians of several rounds. Aims stand beside the figures; a figure below its floor is said so, and
 * the exit code is then 1. Needs the development packages (fake-timers), so a clone, not an install.
 */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { hostRows } from './bench-host.ts'
import { type KernelRates, kernelRates } from './bench-kernel.ts'
import { median, perSecond, type Row, table, told } from './bench-rows.ts'
import { worldRows } from './bench-worlds.ts'

export interface BenchPlaces {
  /** The repository. */
  readonly root: string
  /** The built world-main. */
  readonly worldMain: string
}

/** Wall time of a command, median of several runs, in ms. Throws when it does not end with 0. */
function wallMs(args: readonly string[], env: Record<string, string>, rounds = 5): number {
  const times: number[] = []
  for (let k = 0; k < rounds; k += 1) {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    times.push(performance.now() - began)
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  }
  return median(times)
}

function kernelRows(rates: KernelRates, realm: Row): Row[] {
  const times = rates.kernel / rates.fakeTimers
  return [
    {
      what: 'bare kernel, one timer and one await an event',
      figure: `${perSecond(rates.kernel)} = ${times.toFixed(1)} × fake-timers`,
      aim: 'aim 10 ×, floor 3 ×',
      fails: times < 3,
    },
    realm,
    told('  fake-timers 15, tickAsync, the same chain', perSecond(rates.fakeTimers)),
    told('  one hop through the event loop an event', perSecond(rates.hopPerEvent)),
  ]
}

function selfCheckRows({ root }: BenchPlaces, env: Record<string, string>): Row[] {
  const launcher = join(root, 'bin/leaselab.mjs')
  const checkMs = wallMs([launcher, 'selftest'], { ...env, LAB: 'day-10-sharding-lease' })
  const wholeMs = wallMs([launcher, 'selftest'], env)
  const emptyMs = wallMs(['-e', '0'], env)
  return [
    {
      what: 'self-check of day 10, from the command to its end',
      figure: `${(checkMs / 1000).toFixed(2)} s`,
      aim: 'aim 1.5 s, floor 3 s',
      fails: checkMs > 3000,
    },
    told('  of the assembled system', `${(wholeMs / 1000).toFixed(2)} s`),
    told('  node -e 0', `${(emptyMs / 1000).toFixed(2)} s`),
  ]
}

/** Measures all and answers the table and whether every floor was kept. */
export async function bench(
  places: BenchPlaces,
  env: Record<string, string>,
): Promise<{ readonly table: string; readonly kept: boolean }> {
  const rates = await kernelRates()
  const { realm, starts, loops } = await hostRows(places, rates.kernel)
  const rows = [
    ...kernelRows(rates, realm),
    ...starts,
    ...(await worldRows(places)),
    loops,
    ...selfCheckRows(places, env),
  ]
  return { table: table(rows), kept: rows.every((row) => !row.fails) }
}
