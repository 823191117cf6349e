import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { worldEndsInOrder } from '../../src/judge/rules.ts'
import type { TraceEvent } from '../../src/trace/events.ts'
import { programFolder, writeFiles } from '../host/run-program.ts'

const CHILD = fileURLToPath(new URL('./leaky-world.mjs', import.meta.url))
const FLAGS = ['--experimental-vm-modules', '--no-warnings']

function eventsOf(effect: string): TraceEvent[] {
  const dir = programFolder()
  mkdirSync(join(dir, 'target'))
  writeFiles(dir, {
    'a.mjs': `import real from 'node:punycode'\nreal.setTimeout(() => {\n  ${effect}\n}, 1)\nsetInterval(() => {}, 1)`,
  })
  const out = execFileSync(process.execPath, [...FLAGS, CHILD, dir], {
    timeout: 30_000,
    maxBuffer: 1 << 26,
    encoding: 'utf8',
  })
  return JSON.parse(out) as TraceEvent[]
}

describe('a leak in the simulated arm', () => {
  for (const [how, effect] of [
    ['thrown', `console.log('late')`],
    ['caught by the program', `try { console.log('late') } catch {}`],
  ] as const) {
    test(`ends the trace with the reason leak and is judged as violated: ${how}`, () => {
      const events = eventsOf(effect)
      expect(events.at(-1)).toMatchObject({ kind: 'world.ended', why: 'leak' })
      const told = events.filter((event) => event.kind === 'process.error')
      expect(told).toMatchObject([{ process: 'a', name: 'LeakError', line: 3 }])
      const finding = worldEndsInOrder(events)
      expect(finding?.status).toBe('violated')
      expect(JSON.stringify(finding)).toContain('a line on stdout of a was made while nothing')
    })
  }
})
