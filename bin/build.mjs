/**
 * Builds the laboratory on demand: a mirror of src/ and the labs' manifests, stripped of types.
 *
 * Promises: lines and columns stay as they are in the TypeScript files; an unchanged tree costs only
 * stats (no stripper is loaded); several builds at once do not break each other, since every file
 * arrives by a rename; what has gone from the source goes from the mirror.
 * Refuses: TypeScript that is more than types (enums, parameter properties), with file and line.
 * Why not a loader hook: `module.register` starts a thread and costs 100 ms in every start, which is
 * a tenth of a whole self-check; Node 20 cannot run .ts itself.
 * Not here: the code under test. The host strips that on its own.
 */

import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MANIFEST = 'manifest.json'
/** Beside a manifest `lab.ts`, the folder where a lab keeps the rest of what the judge runs. */
const LAB_SIDE = ['lab.ts', 'checks']

export class BuildError extends Error {
  name = 'BuildError'
}

/**
 * Brings the mirror of `root` up to date and answers its folder, absolute.
 * `base` is for tests; by default the mirror lies in node_modules/.cache, or under the system's
 * temporary folder where that cannot be written. Throws BuildError for a file that cannot be stripped.
 */
export function ensureBuilt(root, base = cacheFolder(root)) {
  const buildDir = join(base, 'build')
  const before = readManifest(buildDir)
  const builder = builderStamp()
  const after = {}
  for (const source of listSources(root)) {
    const stat = statSync(join(root, source), { throwIfNoEntry: false })
    if (stat === undefined) continue
    const stamp = `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`
    const output = outputOf(source)
    const known = before.builder === builder ? before.files[source] : undefined
    const built = known && statSync(join(buildDir, output), { throwIfNoEntry: false })
    if (known && built && built.size === known.built) {
      if (known.stamp === stamp) {
        after[source] = known
        continue
      }
      const hash = hashOf(readFileSync(join(root, source)))
      if (hash === known.hash) {
        after[source] = { ...known, stamp }
        continue
      }
    }
    const text = readFileSync(join(root, source))
    const code = translate(root, source, text)
    writeAtomically(join(buildDir, output), code)
    after[source] = { stamp, hash: hashOf(text), built: Buffer.byteLength(code) }
  }
  const manifest = JSON.stringify({ builder, files: after })
  if (manifest !== before.text) {
    for (const source of Object.keys(before.files)) {
      if (!(source in after)) rmSync(join(buildDir, outputOf(source)), { force: true })
    }
    linkPackages(root, buildDir)
    writeAtomically(join(buildDir, MANIFEST), manifest)
  }
  return buildDir
}

/** Changes when this file does, as the same source may then give another output. */
function builderStamp() {
  const { mtimeMs, size } = statSync(fileURLToPath(import.meta.url))
  return `${mtimeMs} ${size}`
}

function readManifest(buildDir) {
  try {
    const text = readFileSync(join(buildDir, MANIFEST), 'utf8')
    const { builder, files } = JSON.parse(text)
    return { builder, files, text }
  } catch {
    return { builder: null, files: {}, text: null }
  }
}

/** Paths relative to the root, with `/`, of everything that the mirror holds. */
function listSources(root) {
  const found = ['package.json']
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (!/\.(md|d\.ts)$/.test(entry.name)) found.push(path)
    }
  }
  walk('src')
  for (const lab of labFolders(root)) {
    for (const name of LAB_SIDE) {
      const stat = statSync(join(root, lab, name), { throwIfNoEntry: false })
      if (stat?.isDirectory()) walk(`${lab}/${name}`)
      else if (stat) found.push(`${lab}/${name}`)
    }
  }
  return found
}

/** `labs/<course>/<lab>`, relative to the root, for every folder with a manifest. */
function labFolders(root) {
  const folders = []
  const namesIn = (folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { withFileTypes: true })
          .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
          .map((entry) => `${folder}/${entry.name}`)
      : []
  for (const course of namesIn('labs')) {
    for (const lab of namesIn(course)) {
      if (existsSync(join(root, lab, 'lab.ts'))) folders.push(lab)
    }
  }
  return folders
}

function outputOf(source) {
  return source.replace(/\.ts$/, '.js')
}

function translate(root, source, bytes) {
  if (source === 'package.json') return packageOfMirror(bytes.toString('utf8'))
  if (!source.endsWith('.ts')) return bytes
  let code
  try {
    code = stripper(root)(bytes.toString('utf8'), { mode: 'strip-only', filename: source }).code
  } catch (error) {
    if (error?.startLine === undefined) throw error
    throw new BuildError(
      `${source}:${error.startLine}:${error.startColumn + 1}: ${error.message}\n${error.snippet}`,
    )
  }
  return withJsSpecifiers(code)
}

let loaded
function stripper(root) {
  // Loading it costs 200 ms, so it is loaded for the first file that changed, not before.
  loaded ??= createRequire(join(root, 'package.json'))('@swc/wasm-typescript').transformSync
  return loaded
}

// No two of the alternatives begin alike: else a long text without a quote would be tried for ever.
const STATIC_IMPORT =
  /^((?:import|export)\b(?:\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|\/(?![/*])|[^'"`/])*?\bfrom\s*|import\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/gm
const DYNAMIC_IMPORT = /\b(import\(\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2(?=\s*\))/g

/** `./x.ts` → `./x.js` in statements that begin a line and in `import('…')`; as long as before. */
export function withJsSpecifiers(code) {
  return code.replace(STATIC_IMPORT, '$1$2$3.js$2').replace(DYNAMIC_IMPORT, '$1$2$3.js$2')
}

/** So that `leaselab/judge` means the mirror when a manifest in the mirror imports it. */
function packageOfMirror(text) {
  const { name, version, type, exports } = JSON.parse(text)
  const mirrored = Object.fromEntries(
    Object.entries(exports ?? {}).map(([key, path]) => [key, outputOf(path)]),
  )
  return JSON.stringify({ name, version, type, exports: mirrored }, null, 2)
}

function writeAtomically(file, content) {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, content)
  try {
    renameSync(draft, file)
  } catch (error) {
    // Windows refuses to replace a file that another start has open; that start wrote the same.
    unlinkSync(draft)
    if (!existsSync(file)) throw error
  }
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}

function cacheFolder(root) {
  const packages = join(root, 'node_modules')
  const inside = join(packages, '.cache', 'leaselab')
  try {
    mkdirSync(inside, { recursive: true })
    accessSync(inside, constants.W_OK)
    return inside
  } catch {
    const user = typeof process.getuid === 'function' ? process.getuid() : 'user'
    const outside = join(tmpdir(), `leaselab-${user}-${hashOf(root).slice(0, 12)}`)
    mkdirSync(outside, { recursive: true, mode: 0o700 })
    return realpathSync(outside)
  }
}

/** A mirror outside the root cannot find the packages by walking up; a link leads it there. */
function linkPackages(root, buildDir) {
  const packages = join(root, 'node_modules')
  if (buildDir.startsWith(packages) || existsSync(join(buildDir, 'node_modules'))) return
  mkdirSync(buildDir, { recursive: true })
  try {
    symlinkSync(packages, join(buildDir, 'node_modules'), 'junction')
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}
