/**
 * Module hooks of a program that runs for real; Node runs them in a thread of its own.
 *
 * Files of the lab, of the solution and of the folder under test resolve by the very rules of the
 * simulated arm (host/modules/resolver.ts): the overlay of exercises, packages from the lab, no way
 * out of the folder under test. `.ts` loads with its types taken out by the same stripper.
 */

import { readFile } from 'node:fs/promises'
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Resolver } from '../host/modules/resolver.ts'
import { stripTypes } from '../host/strip.ts'
import type { ProgramFiles } from '../scenario/program-files.ts'

let resolver: Resolver
let folders: readonly string[]

export const initialize: InitializeHook<ProgramFiles> = (files) => {
  resolver = new Resolver(files, files.labDir)
  folders = [files.labDir, files.targetDir, ...files.exerciseDirs]
}

function isOurs(path: string): boolean {
  return folders.some((dir) => path.startsWith(`${dir}${sep}`)) && !path.includes('node_modules')
}

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const { parentURL } = context
  if (!parentURL?.startsWith('file:')) return nextResolve(specifier, context)
  const from = fileURLToPath(parentURL)
  if (!isOurs(from)) return nextResolve(specifier, context)
  const found = resolver.resolve(specifier, from, 'import')
  if (found.kind === 'builtin') return { url: `node:${found.name}`, shortCircuit: true }
  const url = `${pathToFileURL(found.path).href}${found.query}`
  return nextResolve(url, { ...context, parentURL: pathToFileURL(`${dirname(from)}/`).href })
}

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!/^file:[^?#]*\.ts(?:$|[?#])/.test(url)) return nextLoad(url, context)
  const path = fileURLToPath(url)
  const source = stripTypes(await readFile(path, 'utf8'), path)
  return { format: 'module', source, shortCircuit: true }
}
