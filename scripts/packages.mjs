/**
 * `pnpm packages`: runs packages unmodified in a world, each twice, and prints a line for each: name,
 * versions, ok or not, digest, ms of the first run. `--newest` installs the newest versions with npm
 * into a folder of its own and runs the same programs from there; arguments choose cases by name.
 * Exit codes: 0 all ok · 1 some not · 3 usage.
 */

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CASES } from '../test/packages/cases.mjs'
import { manifestOf, PROGRAMS, runCase } from '../test/packages/run.mjs'

const NPM_LIMIT_MS = 180_000

const options = process.argv.slice(2)
const newest = options.includes('--newest')
const wanted = options.filter((option) => option !== '--newest')
const known = CASES.map(({ name }) => name)
const unknown = wanted.find((name) => !known.includes(name))
if (unknown !== undefined) {
  console.error(
    `pnpm packages: expected --newest or names of ${known.join(', ')}; got '${unknown}'. Leave it out to run all.`,
  )
  process.exit(3)
}

const chosen = wanted.length === 0 ? CASES : CASES.filter(({ name }) => wanted.includes(name))
const folder = newest ? installNewest(chosen) : PROGRAMS
let failed = 0
try {
  for (const tested of chosen) failed += (await report(tested)) ? 0 : 1
} finally {
  if (newest) rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0

async function report(tested) {
  let problem
  let first
  try {
    first = await runCase(tested, folder)
    const second = await runCase(tested, folder)
    problem = first.problem
    if (problem === null && first.digest !== second.digest) {
      problem = `two runs of one seed differ: digests ${first.digest} and ${second.digest}`
    }
  } catch (error) {
    problem = error.message
  }
  const versions = first?.versions.join(', ') ?? tested.packages.join(', ')
  const figures = first ? `${first.digest.slice(0, 16)} ${Math.round(first.realMs)} ms` : ''
  console.log(
    `${tested.name.padEnd(12)} ${versions.padEnd(42)} ${problem === null ? 'ok ' : 'not'} ${figures}`,
  )
  if (problem !== null) console.log(problem.replace(/^/gm, '  '))
  return problem === null
}

/**
 * Answers the folder, which holds the programs and sees the packages. Where the newest needs a newer
 * Node than this, it is the newest of the major that is locked here, and that is told.
 */
function installNewest(cases) {
  const dir = mkdtempSync(join(tmpdir(), 'leaselab-packages-'))
  cpSync(PROGRAMS, dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{ "private": true }')
  const names = [...new Set(cases.flatMap(({ packages }) => packages))]
  install(
    dir,
    names.map((name) => `${name}@latest`),
  )
  const older = names.flatMap((name) => {
    const { version, engines } = manifestOf(name, dir)
    if (runsHere(engines?.node)) return []
    const [major] = manifestOf(name, PROGRAMS).version.split('.')
    console.log(
      `${name} ${version} needs Node ${engines.node} and this is ${process.version}: the newest ${major} runs instead.`,
    )
    return [`${name}@${major}`]
  })
  if (older.length > 0) install(dir, older)
  return dir
}

/** Of ranges such as `>=22.19.0`; anything else counts as one that allows this Node. */
function runsHere(range = '') {
  const [, least] = /^>=\s*(\d[\d.]*)$/.exec(range.trim()) ?? []
  if (least === undefined) return true
  const wanted = least.split('.').map(Number)
  const here = process.versions.node.split('.').map(Number)
  const at = wanted.findIndex((part, n) => part !== here[n])
  return at < 0 || here[at] > wanted[at]
}

/** Ends with 1 when npm fails. */
function install(dir, specs) {
  const { status, stderr, error } = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...specs],
    { cwd: dir, encoding: 'utf8', timeout: NPM_LIMIT_MS },
  )
  if (status === 0) return
  rmSync(dir, { recursive: true, force: true })
  console.error(
    `npm could not install ${specs.join(', ')}:\n${error?.message ?? stderr}\nLook whether the registry can be reached, or run without --newest.`,
  )
  process.exit(1)
}
