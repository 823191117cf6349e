/**
 * Runs jobs on a real Redis and brings their traces back: the judge's side of the real arm.
 *
 * Takes and answers what `runWorlds` does, with two differences: a digest is null (no two real runs
 * are alike), and a run that the machine disturbed is repeated once; disturbed again it ends with
 * `world.ended` saying so, which is inconclusive. Whether an exercise's file loads is looked at in
 * the simulated arm, which has the same rules for loading. Each run has a key space of its own, which
 * is empty again when it is over, also after SIGINT, SIGTERM and SIGHUP; what a run left that was
 * killed outright is removed at the start of the next.
 */

import { dirname, join } from 'node:path'
import type { WorldEnded } from '../trace/events.ts'
import type { WorldJob, WorldResult } from './job.ts'
import { RealArm } from './real.ts'
import { RealRefusal } from './real-refusal.ts'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'
import { openLink, type RedisLink } from './redis-link.ts'
import { emptySpace, type RedisSpace, removeLeftovers, takeSpace } from './redis-space.ts'
import { type Survey, survey } from './redis-survey.ts'
import { MACHINE_TROUBLE, runWorlds } from './run-worlds.ts'

/** A server that was found fit. */
export interface RealServer {
  readonly address: RedisAddress
  readonly survey: Survey
}

export interface RealRunOptions {
  /** Path of the built world-main, for the look at the exercises' files; real-main lies beside it. */
  readonly worldMain: string
  readonly server: RealServer
  readonly onResult?: (result: WorldResult) => void
  /** The machine disturbed a run, and it is repeated. */
  readonly onRepeat?: (id: string, gapMs: number) => void
}

/** A run that is under way, and what it has on the server. */
interface Underway {
  readonly arm: RealArm
  readonly link: RedisLink
  readonly space: RedisSpace
}

const CLEANUP_CEILING_MS = 3000
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Finds out whether runs can go on the Redis of this address, and tidies up there. Throws RealRefusal. */
export async function meetServer(redisUrl: string): Promise<RealServer> {
  if (process.platform === 'win32') {
    throw new RealRefusal('The real arm does not run on Windows.', {
      expected: 'Linux or macOS, which can stop a process and let it go on',
      got: 'win32',
      next: 'MOCK=1 SELFTEST=1 pnpm start runs the same checks in memory',
    })
  }
  const address = parseRedisAddress(redisUrl)
  const link = await openLink(address)
  try {
    const facts = await survey(link, address)
    await removeLeftovers(link, address)
    return { address, survey: facts }
  } finally {
    link.close()
  }
}

export async function runReal(
  jobs: readonly WorldJob[],
  options: RealRunOptions,
): Promise<WorldResult[]> {
  const loaded = await lookAtFiles(jobs, options.worldMain)
  const results: WorldResult[] = []
  const session = new Session(options.server, join(dirname(options.worldMain), 'real-main.js'))
  session.watchSignals(true)
  try {
    for (const job of jobs) {
      const preflight = loaded.get(job.id) ?? null
      const begunMs = performance.now()
      const events = preflight?.kind === 'failed' ? [] : await session.run(job, options.onRepeat)
      const realMs = performance.now() - begunMs
      const result: WorldResult = { id: job.id, preflight, events, digest: null, realMs }
      results.push(result)
      options.onResult?.(result)
    }
  } finally {
    session.watchSignals(false)
  }
  return results
}

/** The preflights of all jobs, in worlds in which nothing else happens. */
async function lookAtFiles(jobs: readonly WorldJob[], worldMain: string) {
  const scenario = { processes: {}, timeline: [], until: { atMs: 0 }, limitMs: 1 }
  const looks = jobs.filter((job) => job.preflight !== null).map((job) => ({ ...job, scenario }))
  const results = await runWorlds(looks, { worldMain })
  return new Map(results.map(({ id, preflight }) => [id, preflight]))
}

class Session {
  readonly #address: RedisAddress
  readonly #survey: Survey
  readonly #main: string
  readonly #underway = new Set<Underway>()
  #ending = false

  constructor(server: RealServer, main: string) {
    this.#main = main
    this.#address = server.address
    this.#survey = server.survey
  }

  /** The events of a run that the machine let be, or of the second one. */
  async run(job: WorldJob, onRepeat: RealRunOptions['onRepeat']) {
    const { events, gapMs } = await this.#once(job)
    if (gapMs === null) return events
    onRepeat?.(job.id, gapMs)
    const again = await this.#once(job)
    if (again.gapMs === null) return again.events
    const detail = `${MACHINE_TROUBLE}twice it kept the run waiting, for ${Math.round(gapMs)} ms and ${Math.round(again.gapMs)} ms`
    const last = again.events.at(-1) as WorldEnded
    return [...again.events.slice(0, -1), { ...last, detail }]
  }

  async #once(job: WorldJob) {
    const link = await openLink(this.#address)
    const space = await takeSpace(link, this.#address)
    const { prefix } = space
    const arm = new RealArm({
      job,
      main: this.#main,
      address: this.#address,
      survey: this.#survey,
      control: link,
      prefix,
    })
    const underway = { arm, link, space }
    this.#underway.add(underway)
    try {
      await arm.run()
      return { events: arm.events, gapMs: arm.watch.worstMs }
    } finally {
      await this.#cleanUp(underway)
    }
  }

  watchSignals(on: boolean): void {
    for (const signal of ENDING_SIGNALS) {
      if (on) process.on(signal, this.#endWith)
      else process.off(signal, this.#endWith)
    }
    if (on) process.on('exit', this.#abortAll)
    else process.off('exit', this.#abortAll)
  }

  readonly #abortAll = (): void => {
    for (const { arm } of this.#underway) arm.abort()
  }

  /** Children have groups of their own, so Ctrl-C reaches only us. */
  readonly #endWith = (signal: NodeJS.Signals): void => {
    if (this.#ending) return
    this.#ending = true
    this.#abortAll()
    const ceiling = new Promise((resolve) => setTimeout(resolve, CLEANUP_CEILING_MS))
    const cleaned = Promise.all([...this.#underway].map((each) => this.#cleanUp(each)))
    void Promise.race([cleaned, ceiling])
      .catch(() => {})
      .then(() => {
        this.watchSignals(false)
        process.kill(process.pid, signal)
      })
  }

  async #cleanUp(underway: Underway): Promise<void> {
    const { link, space, arm } = underway
    await arm.gone()
    try {
      // A server that was restarted meanwhile has ended the run's own connection.
      const usable = link.isBroken ? await openLink(this.#address) : link
      await emptySpace(usable, this.#address, space)
      usable.close()
    } catch {
      // The server is gone: the next start removes what is there.
    }
    link.close()
    this.#underway.delete(underway)
  }
}
