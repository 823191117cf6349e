/** All programs of a kind run in one world, each a process of its own; real Node runs two at a time. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { stripTypes } from '../../../src/host/strip.ts'
import {
  programFolder,
  type RunResult,
  runPrograms,
  type Verb,
  writeFiles,
} from '../run-program.ts'
import { differsHere, type ParityCase } from './case.ts'
import { MODULES } from './modules.cases.ts'
import { NETWORK } from './network.cases.ts'
import { ORDER } from './order.cases.ts'
import { PRESSURE } from './pressure.cases.ts'
import { REQUIRE_ESM } from './require-esm.cases.ts'
import { SIGNALS } from './signals.cases.ts'
import { STREAMS } from './streams.cases.ts'
import { TYPESCRIPT } from './typescript.cases.ts'

interface Ending {
  readonly out: string
  readonly code: number | null
  readonly signal: string | null
}

const mayUnshare = spawnSync('unshare', ['-pf', 'true']).status === 0
const runAtATime = turnstile(2)

const KINDS: Readonly<Record<string, readonly ParityCase[]>> = {
  'order and endings': ORDER,
  'emitters and streams': STREAMS,
  modules: MODULES,
  'require of ES modules': REQUIRE_ESM,
  network: NETWORK,
  'back-pressure': PRESSURE,
  signals: SIGNALS,
  TypeScript: TYPESCRIPT,
}

for (const [kind, cases] of Object.entries(KINDS)) {
  describe(`${kind}: a program prints and ends in the world as in Node`, () => {
    let dir: string
    let world: RunResult
    beforeAll(async () => {
      dir = programFolder()
      const processes: Record<string, { file: string; isPid1: boolean }> = {}
      for (const [k, { source, files = {}, as = 'main.mjs', isPid1 = false }] of cases.entries()) {
        writeFiles(join(dir, `c${k}`), { ...files, [as]: source })
        processes[`c${k}`] = { file: join(dir, `c${k}`, as), isPid1 }
      }
      const verbs = cases.flatMap(({ signal }, k): Verb[] =>
        signal === undefined ? [] : [{ atMs: 100, process: `c${k}`, verb: 'signal', signal }],
      )
      world = await runPrograms({ dir, processes, verbs })
    })

    for (const [k, program] of cases.entries()) {
      // Only root may make process namespaces; without them there is no PID 1 to compare with.
      const run = program.isPid1 && !mayUnshare ? test.skip : test.concurrent
      run(program.claim, async () => {
        const byNode = await runAtATime(() => runByNode(join(dir, `c${k}`), program))
        const { code = null, signal = null } = world.exits[`c${k}`] ?? {}
        const byWorld: Ending = { out: world.stdout[`c${k}`] ?? '', code, signal }
        if (differsHere(program.since)) {
          expect(byWorld.out).toBe(program.since.out)
          expect(byNode.out, 'no difference any more').not.toBe(program.since.out)
        } else if (program.differs === undefined) {
          expect(byWorld, world.stderr[`c${k}`]).toEqual(withoutLate(byNode))
        } else {
          expect(byWorld.out).toBe(program.differs.out)
          expect(byNode.out, 'no difference any more').not.toBe(program.differs.out)
        }
      })
    }
  })
}

test('there are 120 compared programs at least, with those of the other two suites', () => {
  const here = Object.values(KINDS).reduce((sum, cases) => sum + cases.length, 0)
  expect(here).toBeGreaterThanOrEqual(120 - 45 - 26)
  expect(TYPESCRIPT.length).toBeGreaterThanOrEqual(10)
})

/** A world's output is kept by lines, so that a last one without its end gains a newline. */
function withoutLate({ out, ...rest }: Ending): Ending {
  return { out: out === '' || out.endsWith('\n') ? out : `${out}\n`, ...rest }
}

function runByNode(dir: string, program: ParityCase): Promise<Ending> {
  const { as = 'main.mjs', source, isPid1 = false, signal } = program
  const stripped = as.replace(/ts$/, 'js')
  if (stripped !== as) writeFiles(dir, { [stripped]: stripTypes(source, as) })
  const command = [...(isPid1 ? ['unshare', '-pf'] : []), process.execPath, join(dir, stripped)]
  const [file = '', ...args] = command
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: dir,
      env: { TZ: 'UTC', LC_ALL: 'C', PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    })
    let out = ''
    let sent = false
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (signal === undefined || sent || !out.startsWith('up\n')) return
      sent = true
      process.kill(isPid1 ? onlyChildOf(child) : Number(child.pid), signal)
    })
    child.on('error', reject)
    child.on('close', (code, ended) => resolve({ out, code, signal: ended }))
  })
}

/** `unshare` waits for the process that is PID 1 in its own namespace; from here it has another number. */
function onlyChildOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

/** Lets `limit` jobs run at once; the others wait in line. */
function turnstile(limit: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = limit
  return async (job) => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go))
    else free -= 1
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
