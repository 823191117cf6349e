/**
 * The child of `runPrograms`: one world, no lab, no scenario. Reads a job (JSON) from stdin, writes
 * what happened (JSON) to descriptor 3. Plain JavaScript: it starts from the laboratory's mirror.
 */

import { existsSync, readFileSync, writeSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureBuilt } from '../../bin/build.mjs'

const job = JSON.parse(readFileSync(0, 'utf8'))
const buildDir = ensureBuilt(fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, ''))
const load = (path) => import(pathToFileURL(`${buildDir}/src/${path}.js`).href)

const { Kernel } = await load('sim/kernel')
const { Network } = await load('sim/network')
const { Chance } = await load('sim/random')
const { Recorder } = await load('trace/recorder')
const { HostProcess } = await load('host/process')

const { setLoadHints } = await load('host/modules/load-hints')
setLoadHints(job.loadHints)

// A hole made on purpose: what of the machine a program finds behind this name is real.
if (job.realThings) {
  const { builtins } = await load('host/builtins/index')
  const { realThings } = await import('./real-things.mjs')
  builtins.set('punycode', { kind: 'made', make: () => realThings })
}

const kernel = new Kernel()
const chance = new Chance(job.seed)
const recorder = new Recorder(() => kernel.now)
const { record } = recorder
const network = new Network({ kernel, chance, record, minLatencyUs: 500, maxLatencyUs: 1500 })
if (job.redis) {
  const { RedisServer } = await load('infra/redis/server')
  const { loadLua } = await load('infra/redis/lua')
  const { epochMs } = job
  const lua = await loadLua()
  new RedisServer({ kernel, chance, record, network, lua, epochMs, name: 'redis', port: 6379 })
}
const events = []
recorder.addSink((event) => events.push(event))

process.on('uncaughtException', (error) => {
  if (!kernel.uncaught(error, 'error')) fail(error)
})
process.on('unhandledRejection', (error, promise) => {
  if (!kernel.uncaught(error, 'rejection', promise)) fail(error)
})
kernel.onRunaway = (detail) => fail(new Error(detail))

const alive = new Map()
const incarnations = new Map()
function spawn(name) {
  const spec = job.processes[name]
  const incarnation = (incarnations.get(name) ?? 0) + 1
  incarnations.set(name, incarnation)
  const host = new HostProcess({
    kernel,
    network,
    chance,
    record,
    name,
    incarnation,
    pid: spec.pid ?? 1,
    program: { entry: spec.file, cwd: spec.cwd, files: job.files ?? null },
    env: spec.env ?? {},
    args: spec.args ?? [],
    epochMs: job.epochMs,
    isPid1: spec.isPid1 ?? true,
    onExit: () => {
      if (alive.get(name) === host) alive.delete(name)
      if (name === job.stopAfter) kernel.stop()
      else if (alive.size === 0 && pendingVerbs === 0 && !job.serveUntilEnd) kernel.stop()
    },
  })
  alive.set(name, host)
  host.start()
}

let pendingVerbs = job.verbs.length
const origin = kernel.origin('test')
for (const name of Object.keys(job.processes)) if (!job.processes[name].later) spawn(name)
for (const { atMs, process: name, verb, signal } of job.verbs) {
  kernel.at(Math.round(atMs * 1000), origin, null, 'job', () => {
    pendingVerbs -= 1
    if (verb === 'start') spawn(name)
    else if (verb === 'signal') alive.get(name)?.signal(signal)
    else alive.get(name)?.[verb]()
  })
}

// Two system calls that a watcher recognises: what lies between them is the world's doing.
if (job.marks) existsSync('/leaselab-world-begins')
const end = await kernel.run(job.untilMs * 1000)
if (job.marks) existsSync('/leaselab-world-ends')
finish({ end })

function fail(error) {
  finish({ end: { why: 'failed', detail: String(error?.stack ?? error) } })
}

function finish(result) {
  const out = JSON.stringify({
    ...result,
    events,
    digest: recorder.digest(),
    nowUs: kernel.now,
    fired: kernel.fired,
  })
  const bytes = Buffer.from(out)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(3, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
  process.exit(0)
}
