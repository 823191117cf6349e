/**
 * `require` inside a realm. The whole script is one function: it takes the bridge to the host and
 * answers what the host needs. Everything that code under test can touch is made here, so that its
 * prototypes are the realm's own.
 *
 * bridge: resolve(specifier, from) → 'builtin:<name>' or an absolute path · builtin(name) · format(path)
 * → 'commonjs' | 'json' | 'module' · requireModule(path, from) → the namespace of an ES module ·
 * wrapper(path) → the file's function in this realm · text(path) · dirname(path)
 */
;(bridge) => {
  const cache = Object.create(null)
  const extensions = Object.create(null)
  let main

  class Module {
    constructor(id = '', parent = undefined) {
      this.id = id
      this.path = bridge.dirname(id)
      this.exports = {}
      this.filename = null
      this.loaded = false
      this.children = []
      this.paths = []
      Object.defineProperty(this, 'parent', {
        value: parent,
        enumerable: false,
        configurable: true,
        writable: true,
      })
      if (parent?.children) parent.children.push(this)
    }

    require(specifier) {
      if (typeof specifier !== 'string') {
        throw bridge.argumentError('id', 'string', specifier)
      }
      if (specifier === '') throw bridge.emptySpecifier()
      return load(specifier, this.filename ?? this.id, this)
    }

    get [Symbol.toStringTag]() {
      return undefined
    }
  }

  /** Where packages are looked for, the nearest first. */
  function packageFolders(dir) {
    const folders = []
    for (let at = dir; ; at = bridge.dirname(at)) {
      if (!at.endsWith('/node_modules'))
        folders.push(at === '/' ? '/node_modules' : `${at}/node_modules`)
      if (at === bridge.dirname(at)) return folders
    }
  }

  for (const extension of ['.js', '.cjs', '.ts', '.cts']) {
    extensions[extension] = (module, filename) => runCode(module, filename)
  }
  extensions['.json'] = (module, filename) => {
    module.exports = parseJson(filename)
  }

  function parseJson(filename) {
    try {
      return JSON.parse(bridge.text(filename))
    } catch (error) {
      error.message = `${filename}: ${error.message}`
      throw error
    }
  }

  function runCode(module, filename) {
    const run = bridge.wrapper(filename)
    run.call(module.exports, module.exports, makeRequire(module), module, filename, module.path)
  }

  function load(specifier, from, parent) {
    const target = bridge.resolve(specifier, from)
    if (target.startsWith('builtin:')) {
      const cached = cache[specifier]
      if (cached !== undefined && !specifier.startsWith('node:')) return cached.exports
      return bridge.builtin(target.slice(8))
    }
    return loadFile(target, parent).exports
  }

  function loadFile(path, parent) {
    const known = cache[path]
    if (known !== undefined) {
      if (parent?.children && !parent.children.includes(known)) parent.children.push(known)
      return known
    }
    const format = bridge.format(path)
    const module = new Module(path, parent)
    module.filename = path
    module.paths = packageFolders(module.path)
    cache[path] = module
    if (main === undefined && parent === undefined) {
      main = module
      module.id = '.'
    }
    let complete = false
    try {
      if (format === 'json') module.exports = parseJson(path)
      else if (format === 'module') {
        module.exports = bridge.requireModule(path, parent?.filename ?? null)
      } else runCode(module, path)
      complete = true
    } finally {
      if (!complete && cache[path] === module) delete cache[path]
    }
    module.loaded = true
    return module
  }

  function makeRequire(module) {
    const require = function require(specifier) {
      return module.require(specifier)
    }
    require.resolve = (specifier, options) => {
      if (typeof specifier !== 'string') throw bridge.argumentError('request', 'string', specifier)
      const from = module.filename ?? module.id
      const starts = options?.paths?.map((path) => `${path}/_`) ?? [from]
      let failure
      for (const start of starts) {
        try {
          const target = bridge.resolve(specifier, start)
          return target.startsWith('builtin:') ? specifier : target
        } catch (error) {
          failure = error
        }
      }
      throw failure
    }
    require.resolve.paths = () => []
    require.main = main
    require.extensions = extensions
    require.cache = cache
    return require
  }

  Module._cache = cache
  Module._extensions = extensions
  Module._pathCache = Object.create(null)
  Module.globalPaths = []
  Module.Module = Module
  Module._load = (specifier, parent) => load(specifier, parent?.filename ?? bridge.entry(), parent)
  Module._resolveFilename = (specifier, parent) => {
    const target = bridge.resolve(specifier, parent?.filename ?? bridge.entry())
    return target.startsWith('builtin:') ? specifier : target
  }
  Module._nodeModulePaths = (from) => {
    const paths = []
    let rest = from.replace(/\/$/, '')
    for (;;) {
      if (!rest.endsWith('/node_modules')) paths.push(`${rest}/node_modules`)
      if (rest === '') return paths
      rest = rest.slice(0, rest.lastIndexOf('/'))
    }
  }
  Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});']
  Module.wrap = (script) => Module.wrapper[0] + script + Module.wrapper[1]
  Module.builtinModules = Array.from(bridge.builtinNames)
  Module.isBuiltin = (name) => bridge.isBuiltin(String(name))
  Module.createRequire = (where) => {
    const filename = bridge.fileOf(where)
    const module = new Module(filename)
    module.filename = filename
    return makeRequire(module)
  }
  Module.syncBuiltinESMExports = () => {}
  Module.register = () => bridge.refuse('module.register', 'Loader hooks have no place in a world.')
  Module.enableCompileCache = () => ({ status: 3 })
  Module.getCompileCacheDir = () => undefined
  Module.findSourceMap = () => undefined

  return {
    Module,
    /** Runs a file as a module of its own; answers its `module.exports`. */
    run: (path, asMain) => loadFile(path, asMain ? undefined : null).exports,
    cached: (path) => cache[path],
    parseJson,
    metaResolve: (resolve) => (specifier) => resolve(String(specifier)),
    fill: (meta, url, path, dirname, resolve) => {
      meta.dirname = dirname
      meta.filename = path
      meta.resolve = (specifier) => resolve(String(specifier))
      meta.url = url
    },
  }
}
