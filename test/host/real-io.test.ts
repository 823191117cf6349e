/**
 * Nothing leaves a world, as the system sees it: `strace` records what the child asks of the kernel
 * between the two marks of world-child.mjs. The watcher is shown to see real I/O as well.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { BACK_DOORS, backDoorProgram } from './back-doors.ts'
import { programFolder, type RunRequest, type RunResult, runPrograms } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
const mustTrace = process.env.LEASELAB_REAL_REDIS === '1' || process.env.CI !== undefined
if (!canTrace && !mustTrace) {
  console.log('real-io: skipped, strace is missing or may not trace; apt-get install strace')
}

/** Calls that only read what a path is; they say nothing to anybody and open nothing. */
const ASKS =
  /^(?:access|faccessat2?|stat|lstat|statx|newfstatat|fstat|readlink(?:at)?|statfs|getcwd)$/

/** See src/host/text-cache.ts. */
const OWN_CACHE = join(ROOT, 'node_modules', '.cache', 'leaselab', 'strip')

interface Call {
  readonly name: string
  readonly line: string
}

async function watched(request: RunRequest): Promise<{ world: RunResult; calls: Call[] }> {
  const log = join(programFolder(), 'strace.txt')
  const under = ['strace', '-f', '-qq', '-s', '300', '--seccomp-bpf', '-o', log]
  under.push('-e', 'trace=%network,%file,%process,kill,io_uring_setup,memfd_create')
  const world = await runPrograms({ ...request, under })
  const lines = readFileSync(log, 'utf8').split('\n')
  const begin = lines.findIndex((line) => line.includes('/leaselab-world-begins'))
  const end = lines.findIndex((line) => line.includes('/leaselab-world-ends'))
  expect(begin).toBeGreaterThan(0)
  expect(end).toBeGreaterThan(begin)
  const calls = lines.slice(begin + 1, end).flatMap((line): Call[] => {
    const name = /^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed)/.exec(line)?.[1]
    return name === undefined ? [] : [{ name, line }]
  })
  return { world, calls }
}

/** What is more than a look, and more than the reading of a file below one of `folders`. */
function offences(calls: readonly Call[], folders: readonly string[]): string[] {
  return calls
    .filter(({ name, line }) => {
      if (ASKS.test(name) || / resumed>/.test(line)) return false
      if (name === 'exit' || name === 'exit_group') return false
      // What the host itself keeps of a text that it has never seen: no doing of the program.
      if (line.includes(OWN_CACHE)) return false
      // V8 starts a thread of its own now and then; a process has no CLONE_THREAD.
      if (name === 'clone' || name === 'clone3') return !line.includes('CLONE_THREAD')
      if (name !== 'open' && name !== 'openat') return true
      const [, path = '', how = ''] = /"([^"]*)", ([A-Z_|]+)/.exec(line) ?? []
      return !how.startsWith('O_RDONLY') || !folders.some((folder) => path.startsWith(folder))
    })
    .map(({ line }) => line)
}

const run = canTrace || mustTrace ? test : test.skip

describe('seen by the system itself', () => {
  run('a program that tries forty back doors opens, sends and starts nothing', async () => {
    const dir = programFolder()
    const source = backDoorProgram()
    const { world, calls } = await watched({ dir, processes: { main: { source } } })
    const lines = (world.stdout.main ?? '').trim().split('\n')
    expect(BACK_DOORS.length).toBeGreaterThanOrEqual(40)
    expect(lines, world.stderr.main).toHaveLength(BACK_DOORS.length)
    // What `use` tells of a success; a failure has a `no` before it.
    expect(
      lines.filter((line) => /(?<!no )\b(?:read|write|spawn|binding)(?=,|$)/.test(line)),
    ).toEqual([])
    expect(offences(calls, [dir, ROOT])).toEqual([])
    expect(existsSync(join(dir, 'stolen.txt'))).toBe(false)
    expect(existsSync(join(dir, 'etc'))).toBe(false)
  })

  run(
    'the same watcher sees a file, a socket and a process of a hole made on purpose',
    async () => {
      const source = `import real from 'node:punycode'
      real.readFileSync('/etc/hostname')
      try { real.process.getBuiltinModule('net').connect(9, '127.0.0.1').on('error', () => {}) } catch {}
      real.process.getBuiltinModule('child_process').spawnSync('true')
      real.process.getBuiltinModule('fs').writeFileSync('/dev/null', 'x')
      console.log('done')`
      const dir = programFolder()
      const request = { dir, realThings: true, processes: { main: { source } } }
      const { world, calls } = await watched(request)
      expect(world.stdout.main).toBe('done\n')
      const seen = offences(calls, [dir, ROOT]).join('\n')
      expect(seen).toMatch(/openat\(.*"\/etc\/hostname"/)
      expect(seen).toMatch(/openat\(.*"\/dev\/null", O_WRONLY/)
      expect(seen).toMatch(/socket\(AF_INET/)
      expect(seen).toMatch(/execve\(/)
    },
  )
})
