/** A program in memory must not load the client of a database that it does not have. */

import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { stripTypes } from '../../../src/host/strip.ts'

const MESSAGES = fileURLToPath(new URL('../../../src/infra/messages', import.meta.url))

/** The files and packages that a module loads before its first line runs. */
function loadedBy(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded
  loaded.add(path)
  const code = stripTypes(readFileSync(path, 'utf8'), path)
  for (const [, from] of code.matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gm)) {
    if (from!.startsWith('.')) loadedBy(resolve(dirname(path), from!), loaded)
    else loaded.add(from!)
  }
  return loaded
}

const namesOf = (file: string) =>
  [...loadedBy(resolve(MESSAGES, file))]
    .map((name) => (name.startsWith('/') ? relative(MESSAGES, name) : name))
    .sort()

describe('what a program loads with its tables', () => {
  it('is neither the client nor the SQL, as long as no address is given', () => {
    expect(namesOf('index.ts')).toEqual([
      'index.ts',
      'memory.ts',
      'open.ts',
      'postgres/errors.ts',
      'runs.ts',
      'values.ts',
    ])
  })

  it('is both with an address; so the list above can fail', () => {
    const names = namesOf('postgres/open.ts')
    expect(names).toContain('pg')
    expect(names).toContain('postgres/statements.ts')
  })
})
