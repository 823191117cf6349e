import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtins } from '../../src/host/builtins/index.ts'
import { runOne } from './run-program.ts'

/** Without the padding that the formatter gives to tables. */
const README = readFileSync(new URL('../../src/host/README.md', import.meta.url), 'utf8')
  .replace(/ {2,}/g, ' ')
  .replace(/-{3,}/g, '---')

/** The table of built-ins, as the code has it. Node's internal modules are left out. */
function builtinTable(): string {
  const rows = [...builtins]
    .filter(([name]) => !name.startsWith('_'))
    .map(
      ([name, { support, note }]) =>
        `| \`${name}\` | ${support} |${note === undefined ? '' : ` ${note}`} |`,
    )
  return ['| module | here | note |', '| --- | --- | --- |', ...rows].join('\n')
}

test('the table of built-in modules in the README is the code’s', () => {
  const [, table] = /<!-- builtins -->\n([\s\S]*?)\n?<!-- \/builtins -->/.exec(README) ?? []
  expect(table?.trim()).toBe(builtinTable())
})

test('every global that the README names exists, and a refused one says what to use', async () => {
  const globals = README.slice(README.indexOf('## Globals'), README.indexOf('## `process`'))
  const rows = [...globals.matchAll(/^\| (`.*?) \| (\w+) \|/gm)].map(([, names = '', support]) => ({
    names: [...names.matchAll(/`([\w.]+)`/g)].map((match) => match[1] as string),
    support,
  }))
  expect(rows.length).toBeGreaterThan(10)
  const names = rows.flatMap((row) => row.names)
  const refused = rows.filter((row) => row.support === 'refused').flatMap((row) => row.names)
  const { out, err } = await runOne(
    `console.log(${JSON.stringify(names)}.filter((name) => {
       let at = globalThis
       for (const part of name.split('.')) at = at?.[part]
       return at === undefined
     }).join())
     for (const name of ${JSON.stringify(refused)}) {
       let at = globalThis, holder
       for (const part of name.split('.')) [holder, at] = [at, at?.[part]]
       if (at === undefined) continue
       try { holder === Atomics ? at.call(holder) : new at(); console.log(name, 'works') }
       catch (error) { if (error.code !== 'ERR_NOT_IN_WORLD') console.log(name, error.message) }
     }`,
  )
  expect(err).toBe('')
  // Of those, this Node has no such global itself.
  const absent = ['WebSocket', 'EventSource', 'navigator', 'Atomics.waitAsync'].filter(
    (name) => !(name in globalThis),
  )
  expect(
    out
      .trim()
      .split(',')
      .filter((name) => !absent.includes(name))
      .join(),
  ).toBe('')
})
