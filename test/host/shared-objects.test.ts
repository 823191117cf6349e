/**
 * Whatever a program can reach of Node and changes, is told, and is as before in the next world of
 * the same child: proved with a program that leaves a mark on all it can reach, and one that looks.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import type { WorldJob } from '../../src/arm/job.ts'
import { runWorlds } from '../../src/arm/run-worlds.ts'

const dir = mkdtempSync(join(tmpdir(), 'leaselab-shared-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Each function, prototype and table that can be reached, with the way to it. */
const WALK = `
const { builtinModules } = require('node:module')
const seen = new Map()
const roots = []
for (const name of builtinModules) {
  try { roots.push([require(name), name]) } catch {}
}
for (const name of Object.getOwnPropertyNames(globalThis)) roots.push([globalThis[name], name])
const http = require('http')
roots.push([http.createServer(), 'server'], [http.globalAgent, 'agent'], [new Error('x'), 'error'])
roots.push([require('zlib').createGzip(), 'gzip'], [require('crypto').createHash('sha1'), 'hash'])
roots.push([new (require('net').Socket)(), 'socket'], [fs(), 'stat'], [Buffer.from('x'), 'bytes'])
roots.push([new URL('http://x/?a').searchParams.entries(), 'entries'], [new AbortController().signal, 'signal'])
roots.push([new TextDecoder(), 'decoder'], [setTimeout(() => {}, 1), 'timer'], [new Blob([]).stream(), 'bytes'])
roots.push([require('readline').createInterface({ input: new (require('stream').PassThrough)() }), 'lines'])
roots.push([new ReadableStream().getReader(), 'reader'], [new (require('stream').PassThrough)()[Symbol.asyncIterator](), 'steps'])
function fs() { return require('fs').statSync(__filename) }
while (roots.length > 0) {
  const [value, path] = roots.pop()
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue
  if (path.length > 300) continue
  seen.set(value, path)
  roots.push([Object.getPrototypeOf(value), path + '.__proto__'])
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)
    for (const part of [property.value, property.get, property.set]) roots.push([part, path + '.' + String(key)])
  }
}
`

const MARK = `${WALK}
process.on('exit', () => {
  let marked = 0
  for (const [value] of seen) {
    try {
      Object.defineProperty(value, 'leftBehind', { value: true, configurable: true })
      marked += 1
    } catch {}
  }
  require('fs').writeSync(1, 'marked ' + marked + '\\n')
})
`

const LOOK = `${WALK}
const found = [...seen].filter(([value]) => Object.hasOwn(value, 'leftBehind')).map(([, path]) => path)
console.log(JSON.stringify({ reached: seen.size, found }))
`

function job(id: string, source: string): WorldJob {
  const program = join(dir, `${id}.cjs`)
  writeFileSync(program, source)
  return {
    id,
    seed: '1',
    scenario: {
      processes: { p: { program } },
      timeline: [],
      until: { on: { kind: 'process.exited', where: { process: 'p' } } },
      limitMs: 60_000,
    },
    files: null,
    preflight: null,
  }
}

async function run(...sources: string[]) {
  const { worldMain } = await built()
  const results = await runWorlds(
    sources.map((source, n) => job(`w${n}`, source)),
    { worldMain },
  )
  return results.map(({ events }) => {
    const end = events.at(-1)
    const lines = events.flatMap((event) => (event.kind === 'process.output' ? [event.text] : []))
    return {
      lines,
      why: end?.kind === 'world.ended' ? end.why : null,
      detail: end?.kind === 'world.ended' ? end.detail : null,
    }
  })
}

async function built() {
  const outDir = await ensureBuilt(join(import.meta.dirname, '../..'))
  return { worldMain: join(outDir, 'src/arm/world-main.js') }
}

describe("Node's own classes, of which there is one copy", () => {
  it('carry nothing from one world into the next', async () => {
    const [marked, looked] = await run(MARK, LOOK)
    expect(Number(marked?.lines[0]?.slice(7))).toBeGreaterThan(3000)
    expect(marked?.why).toBe('leak')
    const { reached, found } = JSON.parse(looked?.lines[0] ?? '{}')
    expect(reached).toBeGreaterThan(3000)
    expect(found).toEqual([])
    expect(looked).toMatchObject({ why: 'until', detail: null })
  })

  it.each([
    ['stream.Readable.prototype.push', "require('stream').Readable.prototype.push = () => {}"],
    ['events.prototype.emit', "Object.getPrototypeOf(require('events').prototype).emit = () => {}"],
    ['URL.prototype.href', "Object.defineProperty(URL.prototype, 'href', { value: 'x' })"],
    ['URL.prototype.__proto__', 'Object.setPrototypeOf(URL.prototype, { x: 1 })'],
  ])('%s: the change is told', async (name, source) => {
    const [changed, after] = await run(source, 'console.log(1)')
    expect(changed).toMatchObject({ why: 'leak', detail: expect.stringContaining(`${name} was`) })
    expect(after).toMatchObject({ why: 'until', lines: ['1'] })
  })

  it('what cannot be put back ends the child, not the next world', async () => {
    const frozen = "Object.freeze(require('stream').Readable.prototype)"
    const extend =
      "new (class extends require('stream').Readable {})().push = null\nrequire('stream').Readable.prototype.mine = 1\ndelete require('stream').Readable.prototype.mine\nconsole.log('free')"
    const [changed, after] = await run(frozen, extend)
    expect(changed?.why).toBe('leak')
    expect(after).toMatchObject({ why: 'until', lines: ['free'] })
  })
})
