/**
 * Starts the launcher as a person would, with an environment that holds only what a test gives it.
 */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
export const LAUNCHER = join(ROOT, 'bin', 'leaselab.mjs')
export const LAB = 'day-10-sharding-lease'
export const LAB_DIR = join(ROOT, 'labs', 'agent-30days', LAB)

export interface Launched {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly launcher?: string
}

export function launch(args: readonly string[], around: Surroundings = {}): Promise<Launched> {
  const { cwd = ROOT, env = {}, launcher = LAUNCHER } = around
  const { PATH = '', HOME = '' } = process.env
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
