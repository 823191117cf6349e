/**
 * The rules of the house that a reader cannot check by eye: which folder may import which, and what
 * must not be named inside the world.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const LABS = fileURLToPath(new URL('../labs', import.meta.url))

/** A folder may import from itself and from those before it. */
const ORDER = ['trace', 'wire', 'scenario', 'sim', 'host', 'infra', 'arm', 'judge', 'show', 'cli']

/** Folders whose code runs inside a world. */
const INSIDE = ['trace', 'wire', 'scenario', 'sim', 'host', 'infra']

interface Ban {
  readonly name: string
  readonly pattern: RegExp
  readonly instead: string
}

const BANNED: readonly Ban[] = [
  { name: 'Date.now', pattern: /\bDate\.now\b/, instead: 'kernel.now, or context.readClockUs()' },
  {
    name: 'new Date()',
    pattern: /\bnew Date\(\s*\)/,
    instead: 'new Date(ms) from the virtual clock',
  },
  { name: 'performance', pattern: /\bperformance\.now\b/, instead: 'kernel.now' },
  { name: 'hrtime', pattern: /\bprocess\.hrtime\b/, instead: 'kernel.now' },
  { name: 'Math.random', pattern: /\bMath\.random\(/, instead: 'a named stream of sim/random.ts' },
  {
    name: 'random bytes',
    pattern: /\bfrom 'node:crypto'[\s\S]*(?<!function )\b(randomBytes|randomUUID|randomInt)\(/,
    instead: 'context.draw(name)',
  },
  {
    name: 'timers',
    pattern: /(?<![.\w])(setTimeout|setInterval|setImmediate)\((?!\w+: )/,
    instead: 'kernel.at or context.schedule',
  },
  {
    name: 'real I/O',
    pattern:
      /from 'node:(net|http|https|http2|dgram|tls|dns|child_process|worker_threads|cluster|fs\/promises|inspector|readline|timers|timers\/promises)'/,
    instead: 'the network of sim/network.ts, or nothing',
  },
  {
    name: 'the environment',
    pattern: /\bprocess\.env\b/,
    instead: 'options passed in; cli/env.ts reads it',
  },
  { name: 'locale', pattern: /\.toLocale\w*String\(\)|\bIntl\./, instead: 'a fixed locale' },
]

/** Where a banned name must stand, and why. */
const ALLOWED: readonly { readonly files: RegExp; readonly ban: string; readonly why: string }[] = [
  {
    files: /^sim\/kernel\.ts$/,
    ban: 'timers',
    why: 'the drain is Node’s own: it happens between two real immediates',
  },
  {
    files: /^host\/builtins\/net\/(index|resolve-host|server)\.ts$/,
    ban: 'real I/O',
    why: 'address checks and BlockList are Node’s own, which only calculate',
  },
  {
    files: /^host\/builtins\/http\/(index|server|messages|client)\.ts$/,
    ban: 'real I/O',
    why: 'Node’s own protocol code runs over the world’s sockets and never opens one itself',
  },
  {
    files: /^host\/builtins\/(dns|refused-modules|pure-modules)\.ts$/,
    ban: 'real I/O',
    why: 'names, constants and classes are handed on; every call is answered by the world or refused',
  },
  {
    files: /^host\/shared-objects\.ts$/,
    ban: 'real I/O',
    why: 'an Agent is made to look at its classes, and never used',
  },
]

/** Code that runs inside the realm: there these names are the world’s. */
const IN_REALM = /^host\/inside\//

function filesBelow(folder: string, ending = /\.[jt]s$/): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'))
}

/** The code without its comments: a name may be spoken of. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^import type .*$/gm, '')
}

function importsOf(path: string): string[] {
  const found = codeOf(path).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map(([, specifier]) => resolve(dirname(path), specifier!))
}

function bannedIn(code: string): Ban[] {
  return BANNED.filter(({ pattern }) => pattern.test(code))
}

describe('imports', () => {
  test('point one way: a folder imports only itself and those before it', () => {
    const wrong: string[] = []
    for (const path of filesBelow(SRC)) {
      const from = relative(SRC, path).split(/[\\/]/)[0]!
      expect(ORDER, `src/${from} has no place in the order`).toContain(from)
      for (const target of importsOf(path)) {
        const to = relative(SRC, target).split(/[\\/]/)[0]!
        if (ORDER.indexOf(to) > ORDER.indexOf(from)) wrong.push(`${relative(SRC, path)} → ${to}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('of a lab’s programs and exercises never reach into src', () => {
    const wrong = filesBelow(LABS).filter(
      (path) =>
        /[\\/](app|solution|starter)[\\/]/.test(path) &&
        importsOf(path).some((target) => target.startsWith(SRC)),
    )
    expect(wrong).toEqual([])
  })
})

describe('inside the world', () => {
  test('no real clock, chance, timer, I/O or environment is named, but where the reason stands', () => {
    const wrong: string[] = []
    for (const folder of INSIDE) {
      for (const path of filesBelow(join(SRC, folder))) {
        const file = relative(SRC, path).replaceAll('\\', '/')
        for (const { name, instead } of bannedIn(codeOf(path))) {
          if (IN_REALM.test(file) && name !== 'real I/O') continue
          if (ALLOWED.some((each) => each.files.test(file) && each.ban === name)) continue
          wrong.push(`${file}: ${name}; use ${instead}`)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('an exception that is no longer needed is taken off the list', () => {
    const inside = INSIDE.flatMap((folder) => filesBelow(join(SRC, folder)))
    const idle = ALLOWED.filter(({ files, ban }) => {
      const meant = inside.filter((path) => files.test(relative(SRC, path).replaceAll('\\', '/')))
      return !meant.some((path) => bannedIn(codeOf(path)).some((each) => each.name === ban))
    })
    expect(idle).toEqual([])
  })

  test.each([
    ['const t = Date.now()', 'Date.now'],
    ['const d = new Date()', 'new Date()'],
    ['const r = Math.random()', 'Math.random'],
    ['setTimeout(run, 5)', 'timers'],
    ["import { connect } from 'node:net'", 'real I/O'],
    ["import { randomBytes } from 'node:crypto'\nrandomBytes(4)", 'random bytes'],
    ['const home = process.env.HOME', 'the environment'],
    ['date.toLocaleString()', 'locale'],
  ])('the list finds %j', (code, name) => {
    expect(bannedIn(code).map((ban) => ban.name)).toContain(name)
  })

  test('a virtual timer of a context is none of them', () => {
    expect(bannedIn('this.setTimeout(5)\ncontext.schedule("timer", 5, run)')).toEqual([])
  })
})
