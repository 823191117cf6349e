/**
 * Grades for the tests as CI does: the launcher as a child process, its JSON read back.
 */

import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Verdict } from '../../src/judge/verdict.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const LAB = 'day-10-sharding-lease'
export const LAB_DIR = join(ROOT, 'labs/agent-30days', LAB)

/**
 * Somebody has worked in starter/, as the README asks them to: tests of the starter as it is shipped
 * would look at their work, and are skipped. False where git cannot tell.
 */
export const starterEdited =
  spawnSync('git', ['diff', '--quiet', 'HEAD', '--', 'starter/*.ts'], { cwd: LAB_DIR }).status === 1

if (starterEdited) {
  console.warn(
    'starter/ is edited: tests of the shipped starter are skipped (git stash brings them back)',
  )
}

export interface Graded {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly verdict: Verdict
}

/** Runs `leaselab grade` on a folder with `--json`; `env` is added to a clean environment. */
export function grade(
  target: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Graded> {
  const launcher = join(ROOT, 'bin/leaselab.mjs')
  const { PATH = '', HOME = '' } = process.env
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [launcher, 'grade', LAB, '--target', target, '--json', ...args],
      { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (exitCode) => {
      try {
        resolve({ exitCode, stdout, stderr, verdict: JSON.parse(stdout) as Verdict })
      } catch {
        reject(new Error(`no JSON on stdout (exit ${exitCode}): ${stdout}${stderr}`))
      }
    })
  })
}

/** `1:held 2:violated …` */
export const statuses = (verdict: Verdict): string =>
  verdict.checks.map(({ id, status }) => `${id}:${status}`).join(' ')

/** A copy of the solution with some files replaced (null: removed). Gone when `drop` is called. */
export function targetWith(files: Readonly<Record<string, string | null>>): {
  readonly dir: string
  readonly drop: () => void
} {
  const dir = mkdtempSync(join(tmpdir(), 'leaselab-target-'))
  cpSync(join(LAB_DIR, 'solution'), dir, { recursive: true })
  for (const [name, source] of Object.entries(files)) {
    if (source === null) rmSync(join(dir, name))
    else writeFileSync(join(dir, name), source)
  }
  return { dir, drop: () => rmSync(dir, { recursive: true, force: true }) }
}
