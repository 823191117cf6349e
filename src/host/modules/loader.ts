/**
 * The modules of one process: instances of its own, from text and code shared by all.
 *
 * ES modules (`vm.SourceTextModule`) are found here and linked by link.ts, `require` is
 * inside/commonjs.js; either can load what the other is for. All of it happens at once or in promises
 * that nothing outside wakes, so a load ends within the drain of one event, unless the code itself
 * waits. Refuses: `require` of an ES module that waits at its top level, or that is being evaluated.
 */

import { builtinModules } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import vm from 'node:vm'
import type { HostContext } from '../context.ts'
import { insideScript } from '../inside.ts'
import { type CjsModules, type CommonJsBridge, loaderParts } from './bridge.ts'
import { codeOf, commonJsIn, commonJsNames, esModuleIn, settledFormat } from './compile.ts'
import { readText } from './disk.ts'
import { findImportedName, findSpecifier, type LoadError, loadError } from './errors.ts'
import { urlOf } from './format.ts'
import { evaluateNow, linkGraph, waits } from './link.ts'
import { builtinName, Resolver } from './resolver.ts'

const resolvers = new WeakMap<object, Resolver>()
const resolversByFolder = new Map<string, Resolver>()

/** One per overlay, so that answers are shared by processes and incarnations. */
function resolverFor({ files, cwd }: HostContext['program']): Resolver {
  let resolver = files === null ? resolversByFolder.get(cwd) : resolvers.get(files)
  if (resolver === undefined) {
    resolver = new Resolver(files, cwd)
    if (files === null) resolversByFolder.set(cwd, resolver)
    else resolvers.set(files, resolver)
  }
  return resolver
}

export class ModuleLoader {
  readonly #context: HostContext
  readonly #resolver: Resolver
  readonly #realm: vm.Context
  readonly #commonJs: CjsModules
  readonly #modules = new Map<string, vm.Module>()
  /** The file behind each ES module, for what it imports. */
  readonly #paths = new WeakMap<vm.Module, string>()
  /** Modules that could not be linked, and why: V8 does not say it a second time. */
  readonly #failed = new WeakMap<vm.Module, unknown>()
  #brought: CjsModules | null = null

  constructor(context: HostContext) {
    this.#context = context
    this.#realm = context.realm as vm.Context
    this.#resolver = resolverFor(context.program)
    this.#commonJs = this.#makeCommonJs()
    loaderParts.set(context, this.#commonJs)
  }

  #makeCommonJs(): CjsModules {
    return insideScript('commonjs').runInContext(this.#realm)(this.#bridge()) as CjsModules
  }

  /** A CommonJS file that the laboratory brings along; the program's `require` does not see it. */
  bring(path: string): unknown {
    this.#brought ??= this.#makeCommonJs()
    return this.#brought.run(path, false)
  }

  /** Runs the entry. Answers when its top level is done; rejects with what it throws. */
  async runEntry(path: string): Promise<void> {
    if (settledFormat(path) !== 'module') {
      this.#commonJs.run(path, true)
      return
    }
    const module = this.#moduleOf(path, '')
    await this.#link(module)
    await module.evaluate()
  }

  /** True when a file is an ES module: then `runEntry` may wait. */
  isModule(path: string): boolean {
    return settledFormat(path) === 'module'
  }

  /** True for a file of the folder under test. */
  inTarget(path: string): boolean {
    return this.#resolver.inTarget(path)
  }

  /** `import()`. */
  async import(
    specifier: string,
    from: string,
    attributes: Readonly<Record<string, string | undefined>>,
  ): Promise<vm.Module> {
    const module = this.#request(specifier, from, attributes)
    await this.#link(module)
    await module.evaluate()
    return module
  }

  /** In turns of its own, as every import() in Node. */
  async #link(module: vm.Module): Promise<void> {
    await null
    this.#linkNow(module)
  }

  #linkNow(module: vm.Module): void {
    if (this.#failed.has(module)) throw this.#failed.get(module)
    if (module.status !== 'unlinked') return
    try {
      linkGraph(module, ({ specifier, attributes }, from) =>
        this.#request(specifier, this.#paths.get(from) ?? '', attributes),
      )
    } catch (error) {
      const explained = this.#explainMissingExport(error)
      this.#failed.set(module, explained)
      throw explained
    }
  }

  /** `require` of an ES module: its namespace. `from` is the asking file, if there is one. */
  #requireModule(path: string, from: string | null): unknown {
    const module = this.#moduleOf(path, '')
    const by = from === null ? '' : ` from ${from}`
    if (module.status === 'evaluating' || module.status === 'linking') {
      throw loadError(
        'ERR_REQUIRE_CYCLE_MODULE',
        `Cannot require() ES Module ${path} in a cycle${by}: it is being evaluated. Break the cycle, or use import() where it can wait.`,
        null,
      )
    }
    this.#linkNow(module)
    if (waits(module)) {
      throw loadError(
        'ERR_REQUIRE_ASYNC_MODULE',
        `require() cannot be used on an ESM graph with top-level await: ${path}${by}. Use import() instead.`,
        null,
      )
    }
    evaluateNow(module)
    return this.#requiredFace(module)
  }

  /** With a default export the namespace says `__esModule`, for code that was compiled to CommonJS. */
  #requiredFace(module: vm.Module): unknown {
    const namespace = module.namespace as Record<string, unknown>
    if ('module.exports' in namespace) return namespace['module.exports']
    if (!('default' in namespace) || '__esModule' in namespace) return namespace
    const url = `${module.identifier}#required`
    let face = this.#modules.get(url)
    if (face === undefined) {
      face = new vm.SourceTextModule(
        "export * from 'it'; export { default } from 'it'; export const __esModule = true",
        { context: this.#realm, identifier: url },
      )
      this.#modules.set(url, face)
      linkGraph(face, () => module)
      evaluateNow(face)
    }
    return face.namespace
  }

  #request(
    specifier: string,
    from: string,
    attributes: Readonly<Record<string, string | undefined>>,
  ): vm.Module {
    const found = this.#resolver.resolve(specifier, from, 'import')
    const unknown = Object.entries(attributes).find(([k, v]) => k !== 'type' || v !== 'json')
    if (unknown !== undefined) {
      const [key, value] = unknown
      throw loadError(
        'ERR_IMPORT_ATTRIBUTE_UNSUPPORTED',
        `Import attribute "${key}" with value "${value}" is not supported. Expected none, or "type: json" for a JSON file`,
        findSpecifier(readText(from), from, specifier),
        'TypeError',
      )
    }
    if (found.kind === 'builtin') return this.#builtinModule(found.name)
    const isJson = settledFormat(found.path) === 'json'
    if (isJson && attributes.type !== 'json') {
      throw loadError(
        'ERR_IMPORT_ATTRIBUTE_MISSING',
        `Module "${urlOf(found.path)}" needs an import attribute of "type: json"`,
        findSpecifier(readText(from), from, specifier),
        'TypeError',
      )
    }
    return this.#moduleOf(found.path, found.query)
  }

  #moduleOf(path: string, query: string): vm.Module {
    const url = urlOf(path, query)
    let module = this.#modules.get(url)
    if (module === undefined) {
      const format = settledFormat(path)
      if (format === 'module') module = this.#esModule(path, url)
      else if (format === 'json') module = this.#jsonModule(path, url)
      else module = this.#commonJsModule(path, url)
      this.#modules.set(url, module)
      this.#paths.set(module, path)
    }
    return module
  }

  #esModule(path: string, url: string): vm.Module {
    return esModuleIn(path, url, this.#realm, (meta) => {
      this.#commonJs.fill(meta, url, path, dirname(path), (specifier) =>
        this.#resolveForMeta(specifier, path, url),
      )
    })
  }

  /** `import.meta.resolve`: a path need not exist, a package must. */
  #resolveForMeta(specifier: string, path: string, url: string): string {
    try {
      const found = this.#resolver.resolve(specifier, path, 'import')
      return found.kind === 'builtin' ? `node:${found.name}` : urlOf(found.path, found.query)
    } catch (error) {
      const isPath = /^(?:\.{0,2}\/|file:)/.test(specifier)
      if (isPath && (error as LoadError).code === 'ERR_MODULE_NOT_FOUND') {
        return new URL(specifier, url).href
      }
      throw error
    }
  }

  #jsonModule(path: string, url: string): vm.Module {
    const value = this.#commonJs.parseJson(path)
    return this.#synthetic(['default'], url, (set) => set('default', value))
  }

  #builtinModule(name: string): vm.Module {
    const url = `node:${name}`
    let module = this.#modules.get(url)
    if (module === undefined) {
      const exports = this.#context.builtin(name) as Record<string, unknown>
      const names = Object.keys(exports).filter((key) => key !== 'default')
      module = this.#synthetic(['default', ...names], url, (set) => {
        set('default', exports)
        for (const key of names) set(key, exports[key])
      })
      this.#modules.set(url, module)
    }
    return module
  }

  /** Named as Node names them: from the text. The file runs when its turn to be evaluated comes. */
  #commonJsModule(path: string, url: string): vm.Module {
    const names = new Set(this.#namesOf(path, new Set()))
    names.delete('default')
    return this.#synthetic(['default', ...names], url, (set) => {
      const exports = this.#commonJs.run(path, false)
      set('default', exports)
      if (exports === null || (typeof exports !== 'object' && typeof exports !== 'function')) return
      for (const name of names) {
        if (name in exports) set(name, (exports as Record<string, unknown>)[name])
      }
    })
  }

  #namesOf(path: string, seen: Set<string>): string[] {
    if (seen.has(path)) return []
    seen.add(path)
    const { exports, reexports } = commonJsNames(path)
    const names = [...exports]
    for (const specifier of reexports) {
      try {
        const found = this.#resolver.resolve(specifier, path, 'require')
        if (found.kind === 'builtin') {
          names.push(...Object.keys(this.#context.builtin(found.name) as object))
        } else if (settledFormat(found.path) === 'commonjs') {
          names.push(...this.#namesOf(found.path, seen))
        }
      } catch {
        // The require fails when the file runs; that is where the error belongs.
      }
    }
    return names
  }

  #synthetic(
    names: string[],
    identifier: string,
    fill: (set: (name: string, value: unknown) => void) => void,
  ): vm.Module {
    const module = new vm.SyntheticModule(
      names,
      () => fill((name, value) => module.setExport(name, value)),
      { context: this.#realm, identifier },
    )
    return module
  }

  /** V8 names specifier and export, not the line; the line is looked up in the importing texts. */
  #explainMissingExport(error: unknown): unknown {
    const told = types.isNativeError(error) ? error.message : ''
    const match = /^The requested module '(.+)' does not provide an export named '(.+)'/.exec(told)
    const [, specifier, name] = match ?? []
    if (specifier === undefined || name === undefined) return error
    for (const [, module] of this.#modules) {
      const path = this.#paths.get(module)
      if (path === undefined || !(module instanceof vm.SourceTextModule)) continue
      const place = findImportedName(codeOf(path), path, specifier, name)
      if (place === null) continue
      const found = this.#resolver.resolve(specifier, path, 'import')
      const hint = this.#typeHint(specifier, path, name)
      const isCommonJs = found.kind === 'file' && settledFormat(found.path) === 'commonjs'
      const text =
        isCommonJs && hint === ''
          ? `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, which may not support all module.exports as named exports.`
          : told + hint
      return loadError(null, text, place, 'SyntaxError')
    }
    return error
  }

  /** A type imported as a value is gone when the types are. */
  #typeHint(specifier: string, from: string, name: string): string {
    const found = this.#resolver.resolve(specifier, from, 'import')
    if (found.kind === 'builtin' || !/\.[cm]?ts$/.test(found.path)) return ''
    const declared = new RegExp(`\\bexport\\s+(?:declare\\s+)?(?:type|interface)\\s+${name}\\b`)
    return declared.test(readText(found.path))
      ? `. It is a type there; write \`import { type ${name} }\``
      : ''
  }

  #bridge(): CommonJsBridge {
    const resolver = this.#resolver
    const { program } = this.#context
    return {
      resolve: (specifier, from) => {
        const found = resolver.resolve(specifier, from, 'require')
        return found.kind === 'builtin' ? `builtin:${found.name}` : found.path
      },
      builtin: (name) => this.#context.builtin(name),
      format: settledFormat,
      wrapper: (path) => commonJsIn(path, this.#realm),
      text: readText,
      dirname,
      entry: () => program.entry,
      builtinNames: builtinModules.filter((name) => !name.startsWith('_')),
      isBuiltin: (name) => builtinName(name) !== null,
      fileOf,
      refuse: (call, instead) => this.#context.unsupported(call, instead),
      argumentError: (name, type, got) =>
        Object.assign(
          new TypeError(
            `The "${name}" argument must be of type ${type}. Received ${got === null ? 'null' : typeof got}`,
          ),
          { code: 'ERR_INVALID_ARG_TYPE' },
        ),
      emptySpecifier: () =>
        Object.assign(new TypeError("The argument 'id' must be a non-empty string. Received ''"), {
          code: 'ERR_INVALID_ARG_VALUE',
        }),
      requireModule: (path, from) => this.#requireModule(path, from),
    }
  }
}

/** Of `createRequire`: a path or a file URL, as string or URL object. Throws as Node does. */
function fileOf(where: unknown): string {
  const text = String(where)
  if (text.startsWith('file:')) return fileURLToPath(text)
  if (typeof where === 'string' && text.startsWith('/')) return text
  throw Object.assign(
    new TypeError(
      `The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received '${text}'`,
    ),
    { code: 'ERR_INVALID_ARG_VALUE' },
  )
}
