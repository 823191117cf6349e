import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import type { WorldJob } from '../../src/arm/job.ts'
import { runWorlds, WorldBug } from '../../src/arm/run-worlds.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const worldMain = fileURLToPath(new URL('../fixtures/worlds/fake-world.mjs', import.meta.url))

const job = (id: string): WorldJob => ({
  id,
  seed: '1',
  scenario: { processes: {}, timeline: [], until: { atMs: 1 }, limitMs: 1 },
  files: { labDir: '/', exercises: {}, exerciseDirs: [], targetDir: '/' },
  preflight: null,
})

async function endsOf(...ids: string[]): Promise<string[]> {
  const results = await runWorlds(ids.map(job), { worldMain })
  expect(results.map((result) => result.id)).toEqual(ids)
  return results.map(({ events }) => {
    const last = events.at(-1)
    return last?.kind === 'world.ended' ? `${last.why}: ${last.detail}` : 'no end'
  })
}

describe('a child that does not come to its end', () => {
  test('crashes and early exits end their own job alone; the next goes on in a fresh child', async () => {
    expect(await endsOf('fine 1', 'exit', 'fine 2', 'self-kill', 'abort', 'fine 3')).toEqual([
      'until: null',
      'crash: the code under test brought its whole process down (exit code 0)',
      'until: null',
      'crash: the code under test brought its whole process down (SIGKILL)',
      'memory: ran out of heap memory',
      'until: null',
    ])
  })

  test('an endless loop is a hang within seconds', async () => {
    const began = performance.now()
    expect(await endsOf('loop', 'fine')).toEqual([
      expect.stringContaining('hang: computed for 5 s'),
      'until: null',
    ])
    expect(performance.now() - began).toBeLessThan(25_000)
  }, 40_000)

  test('memory beyond the limit ends the job and not the machine', async () => {
    expect(await endsOf('memory', 'fine')).toEqual([
      expect.stringContaining('memory: used more than 600 MB'),
      'until: null',
    ])
  }, 40_000)
})

test('a bug of ours is no verdict: it rejects', async () => {
  await expect(endsOf('fine', 'bug')).rejects.toThrow(WorldBug)
})

test('megabytes through the channel arrive whole, characters of several bytes too', async () => {
  const [result] = await runWorlds([job('large')], { worldMain })
  const { preflight } = result!
  expect(preflight?.kind === 'loaded' && preflight.exports.x).toBe('é'.repeat(2_000_000))
})

/** Not one that is dead and waits for a parent to ask: where nothing inherits orphans, it stays. */
function runs(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

// Children are found through /proc, which only Linux has.
test.runIf(process.platform === 'linux').each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  '%s to the judge takes a hanging child along',
  async (signal) => {
    const build = pathToFileURL(join(ensureBuilt(ROOT), 'src/arm/run-worlds.js')).href
    const source = `
      const { runWorlds } = await import(${JSON.stringify(build)})
      const jobs = [${JSON.stringify(job('loop'))}]
      runWorlds(jobs, { worldMain: ${JSON.stringify(worldMain)} })
      setTimeout(() => console.log('under way'), 500)`
    const judge = spawn(process.execPath, ['--input-type=module', '-e', source])
    await once(judge.stdout, 'data')
    const listed = readFileSync(`/proc/${judge.pid}/task/${judge.pid}/children`, 'utf8')
    const children = listed.trim().split(' ')
    expect(children).toHaveLength(2) // The world's child and its guard.
    judge.kill(signal)
    const [, ended] = await once(judge, 'exit')
    expect(ended).toBe(signal)
    const alive = (): string[] => children.filter(runs)
    await expect.poll(alive, { timeout: 5000 }).toEqual([])
  },
)

test('a child that said it would go no further leaves the jobs after it unharmed', async () => {
  expect(await endsOf('retire', 'fine')).toEqual(['until: null', 'until: null'])
})
