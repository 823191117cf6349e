#!/usr/bin/env node
/**
 * The launcher: builds what changed, hands over to src/cli/main.ts, ends with its exit code.
 *
 * Plain JavaScript, since it runs before anything is stripped. Whatever escapes from here on is a bug
 * of ours: exit 4, with the stack told in the TypeScript files' names. A verdict is never lost to an
 * exception: exit 0 and 1 come from a verdict alone.
 */

const OLDEST_NODE = [20, 19]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  fail(
    3,
    `leaselab needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`,
  )
} else {
  await run()
}

async function run() {
  const { fileURLToPath, pathToFileURL } = await import('node:url')
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '')
  let buildDir = null
  let program = null
  try {
    const { ensureBuilt } = await import('./build.mjs')
    buildDir = ensureBuilt(root)
    const { main } = await import(pathToFileURL(`${buildDir}/src/cli/main.js`).href)
    const outcome = await main({ root, buildDir }, process.argv.slice(2))
    process.exitCode = outcome.exitCode
    program = outcome.program
  } catch (error) {
    if (error?.name === 'BuildError')
      fail(4, `leaselab cannot be built from its own source:\n${error.message}`)
    else if (isMissingPackage(error)) {
      fail(3, `A package of leaselab is not installed. Run in ${root}: npx -y pnpm@12.4.2 install`)
    } else fail(4, bugReport(error, root, buildDir))
  }
  // Outside the net: a program started by `leaselab process` lives and dies as under plain Node.
  if (program) await import(program)
}

function isMissingPackage(error) {
  return (
    (error?.code === 'ERR_MODULE_NOT_FOUND' && /find package/.test(error.message)) ||
    (error?.code === 'MODULE_NOT_FOUND' && !/module '[./]/.test(error.message))
  )
}

function bugReport(error, root, buildDir) {
  const told = error instanceof Error ? (error.stack ?? String(error)) : String(error)
  const mirror = buildDir ?? `${root}/node_modules/.cache/leaselab/build`
  const places = told
    .replaceAll('file://', '')
    .replaceAll(`${mirror}/`, '')
    .replaceAll(`${root}/`, '')
    .replace(/\b((?:src|labs)\/[\w./-]+)\.js(?=:\d)/g, '$1.ts')
  return `This is a bug in leaselab itself, not in the code that it looked at.\n${places}`
}

function fail(exitCode, error) {
  process.exitCode = exitCode
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ schema: 1, exitCode, error })}\n`)
  } else {
    process.stderr.write(`${error}\n`)
  }
}
