/**
 * `pnpm arms [lab …]`: every lab's starter and solution in both arms, in one table.
 *
 * The real arm needs REDIS_URL, or an installed redis-server, which is then started and ended here.
 * Exit 0: ids and statuses are the same in both arms, and are what the lab promises (the solution
 * holds all); 1: some differ; 3: there is no Redis to be had. One after another, as two runs at a time
 * would keep each other waiting.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedRedis, startRedis } from './servers.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LAUNCHER = path.join(ROOT, 'bin', 'leaselab.mjs')
const MARKS = { held: '✅', violated: '❌', inconclusive: '❔' }
const TARGETS = ['solution', 'starter']

/** Names and folders of the labs. */
function labs() {
  const below = (folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
      .map((entry) => path.join(folder, entry.name))
  return below(path.join(ROOT, 'labs'))
    .flatMap(below)
    .filter((dir) => existsSync(path.join(dir, 'lab.ts')))
    .map((dir) => ({ name: path.basename(dir), dir }))
}

/** The verdict as JSON, and how long it took. */
function grade(lab, target, env) {
  const begunMs = performance.now()
  return new Promise((resolve, reject) => {
    const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env
    const args = ['grade', lab, '--target', target, '--json', '--no-together']
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      env: Object.fromEntries(
        Object.entries({ PATH, HOME, NODE_EXTRA_CA_CERTS, ...env }).filter(([, value]) => value),
      ),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more
    })
    child.on('error', reject)
    child.on('close', () => {
      try {
        resolve({ ...JSON.parse(text), seconds: (performance.now() - begunMs) / 1000 })
      } catch {
        reject(new Error(`${lab} ${target}: no verdict came: ${text}`))
      }
    })
  })
}

const statuses = ({ checks }) => checks.map(({ id, status }) => `${id}:${status}`).join(' ')
const marks = ({ checks }) => checks.map(({ id, status }) => `${id} ${MARKS[status]}`).join('  ')

/** Prints the rows of one lab and target; answers whether the arms agree. */
async function compare(lab, dir, target, redisUrl, width) {
  const folder = path.join(dir, target)
  const inMemory = await grade(lab, folder, { MOCK: '1' })
  let real = await grade(lab, folder, { REDIS_URL: redisUrl })
  // What the machine disturbed proves nothing either way: once more, and then it counts.
  if (real.checks?.some(({ status }) => status === 'inconclusive')) {
    real = await grade(lab, folder, { REDIS_URL: redisUrl })
  }
  const title = `${lab}/${target}`.padEnd(width)
  const row = (name, arm, verdict, word = '') => {
    const time = `${verdict.seconds.toFixed(1)} s`.padStart(8)
    console.log(`${name}  ${arm.padEnd(4)}  ${marks(verdict)}  ${time}  ${word}`.trimEnd())
  }
  row(title, 'sim', inMemory)
  if (real.error?.includes('has no real arm')) {
    console.log(`${' '.repeat(width)}  real  not built yet`)
    return target !== 'solution' || inMemory.exitCode === 0
  }
  if (real.checks === undefined) {
    console.log(`${' '.repeat(width)}  real  ${real.error}`)
    return false
  }
  const same = statuses(inMemory) === statuses(real)
  row(' '.repeat(width), 'real', real, same ? 'the same' : 'DIFFERENT')
  if (!same) {
    for (const check of real.checks) {
      const other = inMemory.checks.find(({ id }) => id === check.id)
      if (other?.status !== check.status)
        console.log(`  ${check.id}: ${check.got}\n  ${check.repro}`)
    }
  }
  return same && (target !== 'solution' || inMemory.exitCode === 0)
}

async function main(wanted) {
  const chosen = labs().filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  const unknown = wanted.find((name) => !chosen.some((lab) => lab.name === name))
  if (unknown !== undefined) {
    console.error(
      `There is no lab ${unknown}. One of: ${labs()
        .map(({ name }) => name)
        .join(', ')}`,
    )
    return 3
  }
  let redis = null
  let redisUrl = process.env.REDIS_URL
  if (!redisUrl) {
    if (installedRedis() === null) {
      console.error(
        'pnpm arms needs a real Redis. Set REDIS_URL, or install one: apt-get install redis-server',
      )
      return 3
    }
    redis = await startRedis()
    redisUrl = `redis://127.0.0.1:${redis.port}`
  }
  const width = Math.max(...chosen.map(({ name }) => name.length)) + '/solution'.length
  let same = true
  try {
    for (const { name, dir } of chosen) {
      for (const target of TARGETS) {
        same = (await compare(name, dir, target, redisUrl, width)) && same
      }
    }
  } finally {
    await redis?.stop()
  }
  console.log(same ? 'Both arms agree.' : 'The arms differ, or a solution does not hold.')
  return same ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
