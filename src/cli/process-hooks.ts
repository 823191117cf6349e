/**
 * Module hooks of `leaselab process`; Node runs them in a thread of its own.
 *
 * `#exercises/<file>` leads to the folder under test, or to the solution where that has no such file.
 * Packages resolve from the lab, as a target may lie anywhere. `.ts` loads with its types taken out,
 * lines and columns kept.
 */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stripTypes } from '../host/strip.ts'
import type { HookData } from './process.ts'

const EXERCISES = '#exercises/'

let told: HookData

export const initialize: InitializeHook<HookData> = (data) => {
  told = data
}

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  if (specifier.startsWith(EXERCISES)) {
    const file = specifier.slice(EXERCISES.length)
    const own = join(told.targetDir, file)
    const path = existsSync(own) ? own : join(told.solutionDir, file)
    return nextResolve(pathToFileURL(path).href, context)
  }
  const fromTarget = context.parentURL?.startsWith(`${pathToFileURL(told.targetDir).href}/`)
  const isPackage = /^[\w@]/.test(specifier) && !/^[\w+-]+:/.test(specifier)
  if (!fromTarget || !isPackage) return nextResolve(specifier, context)
  const parentURL = pathToFileURL(join(told.labDir, 'package.json')).href
  return nextResolve(specifier, { ...context, parentURL })
}

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!/^file:.*\.ts$/.test(url)) return nextLoad(url, context)
  const path = fileURLToPath(url)
  const source = stripTypes(await readFile(path, 'utf8'), path)
  return { format: 'module', source, shortCircuit: true }
}
