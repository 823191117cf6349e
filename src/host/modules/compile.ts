/**
 * Source text to compiled code, once per world child: scripts are shared by all realms.
 *
 * A CommonJS file becomes a `vm.Script` that gives its wrapper function in whatever realm it is run;
 * an ES module is compiled anew in every realm (V8 binds it to one), from text and code cache kept
 * here. Types are stripped, so places stay. Throws SyntaxError with `place` where one is known.
 */

import { createRequire } from 'node:module'
import { types } from 'node:util'
import vm from 'node:vm'
import { findSyntaxError, StripError, stripTypes } from '../strip.ts'
import { readText } from './disk.ts'
import { loadError, type Place, placeAt, withPlace } from './errors.ts'
import { formatOf, isTypeScript } from './format.ts'
import { withLoadHint } from './load-hints.ts'
import { withRoundsCounted } from './loops.ts'

/** Brings in a module for a running `import()`. Answers a vm.Module. */
export type DynamicImport = (
  specifier: string,
  from: string,
  attributes: Readonly<Record<string, string | undefined>>,
) => Promise<vm.Module>

/** Whose `import()` it is, asked at the call: scripts are shared, the running process is not. */
export type FindImporter = () => DynamicImport | null

type CjsWrapper = (
  exports: unknown,
  require: unknown,
  module: unknown,
  filename: string,
  dirname: string,
) => unknown

const WRAPPER_HEAD = '(function (exports, require, module, __filename, __dirname) { '
const WRAPPER_TAIL = '\n})'
/** Syntax that says of a file without `type` that it is an ES module. */
const ESM_ONLY =
  /Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import.meta'|await is only valid in async functions and the top level/

/** A module that comes out of a code cache has forgotten its import() callback (Node 20). */
const DYNAMIC_IMPORT = /\bimport\s*\(/

const texts = new Map<string, string>()
const scripts = new Map<string, vm.Script>()
const formats = new Map<string, 'module' | 'commonjs' | 'json'>()
const moduleCodes = new Map<string, string>()
const moduleCaches = new Map<string, Buffer>()
const exportNames = new Map<string, { exports: string[]; reexports: string[] }>()

let findImporter: FindImporter = () => null

/** Set by the host: see FindImporter. */
export function setFindImporter(find: FindImporter): void {
  findImporter = find
}

/** The JavaScript of a file: its text, without types. */
export function codeOf(path: string): string {
  let code = texts.get(path)
  if (code === undefined) {
    code = isTypeScript(path) ? stripTypes(readText(path), path) : readText(path)
    if (code.startsWith('#!')) code = `//${code.slice(2)}`
    texts.set(path, code)
  }
  return code
}

/** The format, with `ambiguous` decided by trying: CommonJS unless only an ES module can say so. */
export function settledFormat(path: string): 'module' | 'commonjs' | 'json' {
  let format = formats.get(path)
  if (format === undefined) {
    const stated = formatOf(path)
    if (stated !== 'ambiguous') format = stated
    else {
      try {
        scriptOf(path)
        format = 'commonjs'
      } catch (error) {
        if (!isSyntaxError(error) || !ESM_ONLY.test(error.message)) throw error
        format = 'module'
      }
    }
    formats.set(path, format)
  }
  return format
}

/** The wrapper function of a CommonJS file in this realm. */
export function commonJsIn(path: string, realm: vm.Context): CjsWrapper {
  return scriptOf(path).runInContext(realm) as CjsWrapper
}

function scriptOf(path: string): vm.Script {
  let script = scripts.get(path)
  if (script === undefined) {
    const code = codeOf(path)
    try {
      script = new vm.Script(
        WRAPPER_HEAD + withRoundsCounted(withLoadHint(path, code), path, false) + WRAPPER_TAIL,
        {
          filename: path,
          columnOffset: -WRAPPER_HEAD.length,
          importModuleDynamically: importFrom(path) as never,
        },
      )
    } catch (error) {
      throw located(error, path, code)
    }
    scripts.set(path, script)
  }
  return script
}

/** An ES module of this realm, not linked. */
export function esModuleIn(
  path: string,
  url: string,
  realm: vm.Context,
  initializeImportMeta: (meta: ImportMeta) => void,
): vm.SourceTextModule {
  const code = codeOf(path)
  const cacheable = !DYNAMIC_IMPORT.test(code)
  const cachedData = cacheable ? moduleCaches.get(path) : undefined
  try {
    const module = new vm.SourceTextModule(moduleCodeOf(path, code), {
      context: realm,
      identifier: url,
      initializeImportMeta,
      importModuleDynamically: importFrom(path) as never,
      ...(cachedData === undefined ? {} : { cachedData }),
    })
    if (cacheable && cachedData === undefined) moduleCaches.set(path, cacheOf(module))
    return module
  } catch (error) {
    throw located(error, path, code)
  }
}

/** What V8 gets of an ES module. */
function moduleCodeOf(path: string, code: string): string {
  let counted = moduleCodes.get(path)
  if (counted === undefined) {
    counted = withRoundsCounted(code, path, true)
    moduleCodes.set(path, counted)
  }
  return counted
}

function cacheOf(module: vm.SourceTextModule): Buffer {
  return (module as unknown as { createCachedData(): Buffer }).createCachedData()
}

function importFrom(path: string) {
  return (specifier: string, _referrer: unknown, attributes: Record<string, string>) => {
    const importer = findImporter()
    if (importer === null) {
      return Promise.reject(
        loadError('ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING', `import() outside a process`, null),
      )
    }
    return importer(specifier, path, attributes)
  }
}

/** The names that a CommonJS file gives to `import`, found in its text as Node finds them. */
export function commonJsNames(path: string): { exports: string[]; reexports: string[] } {
  let names = exportNames.get(path)
  if (names === undefined) {
    names = lexer().parse(codeOf(path), path)
    exportNames.set(path, names)
  }
  return names
}

interface Lexer {
  parse(source: string, name?: string): { exports: string[]; reexports: string[] }
}
let loadedLexer: Lexer | null = null

function lexer(): Lexer {
  loadedLexer ??= createRequire(import.meta.url)('cjs-module-lexer') as Lexer
  return loadedLexer
}

/** V8 tells where a script is broken in the stack's first line, and of a module not at all. */
function located(error: unknown, path: string, code: string): unknown {
  if (!isSyntaxError(error) || error instanceof StripError) return error
  const place =
    placeInStack(error, path) ?? placeByParser(code, path) ?? placeOfDuplicate(error, path, code)
  const told = `${place === null ? path : `${path}:${place.line}`}\n${place === null ? '' : picture(code, place)}\nSyntaxError: ${error.message}`
  error.stack = told
  return withPlace(error, place)
}

/** Of either realm: a module's syntax errors are made in the realm that it was for. */
function isSyntaxError(error: unknown): error is SyntaxError {
  return types.isNativeError(error) && error.name === 'SyntaxError'
}

function placeInStack(error: SyntaxError, path: string): Place | null {
  const [first, , marks] = (error.stack ?? '').split('\n')
  const at = /:(\d+)$/.exec(first ?? '')
  if (at === null || !first?.startsWith(path) || !marks?.includes('^')) return null
  const line = Number(at[1])
  return { file: path, line, column: marks.indexOf('^') + 1 }
}

function placeByParser(code: string, path: string): Place | null {
  const found = findSyntaxError(code, path.replace(/\.c?js$/, '.mjs'))
  return found === null ? null : { file: path, line: found.line, column: found.column }
}

/** What the parser lets pass and V8 does not: a name declared or exported twice. */
function placeOfDuplicate(error: SyntaxError, path: string, code: string): Place | null {
  const name = /'([\w$]+)'/.exec(error.message)?.[1]
  if (name === undefined) return null
  const index = code.lastIndexOf(name)
  return index < 0 ? null : placeAt(code, path, index)
}

/** The line and a mark below it, as Node shows it. */
export function picture(code: string, place: Place): string {
  const line = code.split('\n')[place.line - 1] ?? ''
  return `${line}\n${' '.repeat(Math.max(0, place.column - 1))}^\n`
}
