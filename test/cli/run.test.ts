import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { LAUNCHER, launch } from './launch.ts'

const dir = mkdtempSync(join(tmpdir(), 'leaselab-run-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const program = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return name
}
const run = (...args: string[]) => launch(['run', ...args], { cwd: dir })
const worker = program(
  'worker.ts',
  `const who: string = process.env.WHO ?? 'nobody'
setInterval(() => {}, 1000)
console.log(who)
setTimeout(() => {
  console.log('late')
  process.exit(4)
}, 30_000)
`,
)

describe('leaselab run', () => {
  it('prints what the program prints and ends with its code', async () => {
    const { code, stdout, stderr } = await run(worker, '--env', 'WHO=me')
    expect({ code, stdout, stderr }).toEqual({ code: 4, stdout: 'me\nlate\n', stderr: '' })
  })

  it('several programs have prefixes and their own variables; a freeze delays', async () => {
    const several = ['--process', `a=${worker}`, '--process', `b=${worker}`]
    const faults = ['--freeze', 'a@10s+35s', '--kill', 'b@20s']
    const { code, stdout } = await run(...several, ...faults, '--env', 'a:WHO=x', '--env', 'WHO=y')
    expect(stdout).toBe('a | x\nb | y\na | late\n')
    expect(code).toBe(137)
  })

  it('--until ends with 0 and a note; the trace has a header and no draft is left', async () => {
    const { code, stderr } = await run(worker, '--until', '1.5s', '--trace', 'out.jsonl')
    expect(code).toBe(0)
    expect(stderr).toContain('stopped after 1.500 virtual s')
    const lines = readFileSync(join(dir, 'out.jsonl'), 'utf8').trim().split('\n')
    expect(JSON.parse(lines[0]!)).toEqual({ kind: 'trace', version: 1, seed: '1' })
    expect(JSON.parse(lines.at(-1)!).kind).toBe('world.ended')
    expect(readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it.each([
    [['missing.ts'], 'There is no such file.'],
    [[worker, '--kill', 'wroker@2s'], 'There is no process wroker. Did you mean worker?'],
    [[worker, '--kill', '2h'], 'That is no length of time.'],
    [[worker, '--freeze', '2s'], 'That is no fault that can be carried out.'],
    [['--process', worker], 'That names no process and its program.'],
    [[worker, '--process', `a=${worker}`], 'A file and --process together'],
    [[worker, '--seed', '1', '--seed', '2'], '--seed is given twice.'],
    [[worker, '--seed', 'x'], 'The seed is not a number.'],
    [['--process', `a=${worker}`, '--process', `b=${worker}`, '--kill', '2s'], 'Which process'],
  ])('%j is a slip', async (args, message) => {
    const { code, stderr, stdout } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
    for (const part of ['where', 'expected', 'got', 'next']) expect(stderr).toContain(`  ${part} `)
  })
})

it('a debugger stops at the stated line of the TypeScript file', async () => {
  const child = spawn(process.execPath, [LAUNCHER, 'run', worker, '--inspect'], { cwd: dir })
  let text = ''
  const address = await new Promise<string>((resolve) => {
    child.stderr.on('data', (more) => {
      text += more
      const found = /ws:\/\/\S+/.exec(text)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
  const socket = new WebSocket(address)
  const closed = new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => socket.on('open', resolve))
  const stopped = new Promise<number>((resolve) => {
    let id = 0
    const send = (method: string, params = {}) =>
      socket.send(JSON.stringify({ id: ++id, method, params }))
    socket.on('message', (bytes) => {
      const { method, params } = JSON.parse(String(bytes))
      if (method !== 'Debugger.paused') return
      if (params.hitBreakpoints?.length > 0) resolve(params.callFrames[0].location.lineNumber)
      send('Debugger.resume')
    })
    send('Runtime.enable')
    send('Debugger.enable')
    const url = pathToFileURL(join(dir, worker)).href
    send('Debugger.setBreakpointByUrl', { lineNumber: 4, url })
    send('Runtime.runIfWaitingForDebugger')
  })
  expect(await stopped).toBe(4)
  expect(await closed).toBe(4)
  socket.terminate()
}, 30_000)
