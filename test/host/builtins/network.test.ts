import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runPrograms } from '../run-program.ts'
import { networkCases } from './network.cases.ts'

const folder = mkdtempSync(join(tmpdir(), 'leaselab-network-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Outcome {
  readonly stdout: string
  readonly code: number | null
}

function runByNode(source: string, n: number): Promise<Outcome> {
  const file = join(folder, `${n}.mjs`)
  writeFileSync(file, source)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file], { timeout: 20_000 })
    let stdout = ''
    child.stdout.on('data', (data) => {
      stdout += data
    })
    child.stderr.on('data', (data) => {
      stdout += `stderr: ${data}`
    })
    child.on('close', (code) => resolve({ stdout, code }))
  })
}

async function runInWorld(source: string): Promise<Outcome> {
  const result = await runPrograms({ processes: { a: { source } } })
  const stderr = result.stderr.a ? `stderr: ${result.stderr.a}` : ''
  return { stdout: `${result.stdout.a}${stderr}`, code: result.exits.a?.code ?? null }
}

describe('what Node prints is what the world prints', () => {
  networkCases.forEach(({ title, source }, n) => {
    test(title, { timeout: 40_000 }, async () => {
      const byNode = await runByNode(source, n)
      expect(byNode.code).toBe(0)
      expect(byNode.stdout).not.toBe('')
      expect(await runInWorld(source)).toEqual(byNode)
    })
  })
})
