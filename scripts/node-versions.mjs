/**
 * `pnpm node-versions [seeds]`: is a world the same on Node 20, 22 and 24?
 *
 * Fetches the binaries (npm packages `node-<platform>-<arch>`) into a temporary folder. On each it runs
 * test/host/digest-seeds.test.ts, whose digests must be those of Node 20, and the suites that compare
 * programs in the world with programs in that very Node. A line for each; exit code 0 when all hold,
 * else 1. 20 seeds if not given.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSIONS = ['20', '22', '24']
const DIGESTS = ['test/host/digest-seeds.test.ts']
const PARITY = [
  'test/host/parity',
  'test/host/process.test.ts',
  'test/host/builtins/network.test.ts',
]

const root = fileURLToPath(new URL('..', import.meta.url))
const seeds = process.argv[2] ?? '20'
if (!/^[1-9]\d{0,3}$/.test(seeds)) {
  console.error(`pnpm node-versions: expected a number of seeds from 1 to 9999, got ${seeds}`)
  process.exit(3)
}
const dir = mkdtempSync(join(tmpdir(), 'leaselab-node-'))

/** Path of a Node of that major version. */
function fetchNode(version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  const prefix = join(dir, version)
  const what = ['--no-audit', '--no-fund', '--prefix', prefix, `${name}@${version}`]
  execFileSync('npm', ['install', '--silent', ...what], {
    stdio: 'inherit',
    shell: platform === 'win',
  })
  return join(prefix, 'node_modules', name, 'bin', platform === 'win' ? 'node.exe' : 'node')
}

/** Runs test files on that Node; answers how many tests failed, all counted when the run broke off. */
function runTests(node, version, what, files, env) {
  const report = join(dir, `${what}-${version}.json`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...files]
  const { status } = spawnSync(node, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const { testResults, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'))
  const tests = testResults.flatMap((file) => file.assertionResults)
  const failed = tests.filter((test) => test.status === 'failed').map((test) => test.fullName)
  if (status !== 0 && failed.length === 0) failed.push(`the run of ${files.join(', ')} itself`)
  return { total: numTotalTests, failed }
}

try {
  let wanted = null
  for (const version of VERSIONS) {
    const node = fetchNode(version)
    const full = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    const file = join(dir, `digests-${version}`)
    const env = { LEASELAB_SEEDS: seeds, LEASELAB_DIGESTS: file }
    const twice = runTests(node, version, 'digests', DIGESTS, env)
    const parity = runTests(node, version, 'parity', PARITY, {})
    // Written only when both runs of each world had one digest.
    const digests = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    wanted ??= digests
    const unlike = wanted.filter((line, k) => line !== digests[k])
    const failed = [...twice.failed, ...parity.failed]
    console.log(
      `Node ${full.padEnd(9)} ${digests.length} digests, ${unlike.length} unlike Node 20 · ` +
        `${parity.total - parity.failed.length} of ${parity.total} comparisons with Node itself hold`,
    )
    for (const name of failed) console.log(`  failed: ${name}`)
    for (const line of unlike) console.log(`  unlike Node 20: ${line}`)
    if (failed.length > 0 || unlike.length > 0) process.exitCode = 1
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
