/**
 * The `console` of a process: the bridge to inside/console.js. Formats as Node does, without colours;
 * `time` and its kin read the virtual clock.
 */

import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { formatWithOptions, inspect } from 'node:util'
import type { BuiltinFactory } from './context.ts'
import { insideScript } from './inside.ts'
import { partsOf } from './parts.ts'

/** Node draws tables only on a console, so one that writes into a string draws ours. */
let drawn = ''
let drawing: Console | null = null

function drawTable(data: unknown, columns: string[] | undefined): string | null {
  if (data === null || typeof data !== 'object') return null
  drawing ??= new Console(
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        drawn += String(chunk)
        done()
      },
    }),
  )
  drawn = ''
  drawing.table(data, columns)
  return drawn.replace(/\n$/, '')
}

export const makeConsole: BuiltinFactory = (context) => {
  const bridge = {
    format: (args: unknown[]) => formatWithOptions({ colors: false }, ...args),
    inspect,
    table: drawTable,
    nowUs: () => context.readClockUs(),
    process: () => context.builtin('process'),
    notWritable: (name: string) =>
      partsOf(context).nodeError(
        'TypeError',
        'ERR_CONSOLE_WRITABLE_STREAM',
        `Console expects a writable stream instance for ${name}`,
      ),
  }
  return insideScript('console').runInContext(context.realm)(bridge)
}
