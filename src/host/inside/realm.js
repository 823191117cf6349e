/**
 * The globals of a realm: what of JavaScript hangs on chance, threads or the garbage collector, and
 * what Node adds to JavaScript.
 *
 * bridge: random() · natives: Node's own, handed in as they are · web: what inside/web.js made ·
 * timers · queueMicrotask · lazy: name → function that makes it on first use · refuse(call, instead)
 * · isNative(value, name) → is it one of Node's own realm · symbols: what Node adds to Symbol ·
 * nodeMajor, machine: what `navigator` tells
 */
;(bridge) => {
  const global = globalThis
  const { natives } = bridge

  const define = (name, value) =>
    Object.defineProperty(global, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    })
  const show = (name, value) =>
    Object.defineProperty(global, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  const lazily = (name, make, enumerable = false) =>
    Object.defineProperty(global, name, {
      get() {
        const value = make()
        Object.defineProperty(global, name, {
          value,
          writable: true,
          enumerable,
          configurable: true,
        })
        return value
      },
      set(value) {
        Object.defineProperty(global, name, {
          value,
          writable: true,
          enumerable,
          configurable: true,
        })
      },
      enumerable,
      configurable: true,
    })
  const named = (fn, name, length = fn.length) => {
    Object.defineProperty(fn, 'name', { value: name, configurable: true })
    Object.defineProperty(fn, 'length', { value: length, configurable: true })
    return fn
  }

  const apply = Reflect.apply
  function defineOn(object, name, value) {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    })
  }

  // Where V8 has none yet, Node makes these itself, and packages take them for given.
  for (const name of ['dispose', 'asyncDispose']) {
    if (Symbol[name] !== undefined || bridge.symbols[name] === undefined) continue
    Object.defineProperty(Symbol, name, { value: bridge.symbols[name] })
  }

  // Chance
  defineOn(
    Math,
    'random',
    named(() => bridge.random(), 'random'),
  )

  // Bytes are Node's own, so that Buffer and every built-in take them for what they are.
  for (const name of natives.byteClasses) define(name, natives.globals[name])
  define('Buffer', natives.globals.Buffer)

  // What Node threw in its own realm is an Error here too.
  const accepts = (Class, isOne) => {
    Object.defineProperty(Class, Symbol.hasInstance, {
      value(value) {
        if (apply(Function.prototype[Symbol.hasInstance], this, [value])) return true
        return this === Class && isOne(value)
      },
      configurable: true,
      writable: true,
    })
  }
  for (const name of [
    'Error',
    'AggregateError',
    'EvalError',
    'RangeError',
    'ReferenceError',
    'SyntaxError',
    'TypeError',
    'URIError',
    'Promise',
    'Object',
    'Function',
    'Array',
    'Map',
    'Set',
    'Date',
    'RegExp',
  ]) {
    accepts(global[name], (value) => bridge.isNative(value, name))
  }

  // Garbage collection tells nobody: when it comes depends on the machine.
  class WorldWeakRef {
    #target
    constructor(target) {
      this.#target = target
    }
    deref() {
      return this.#target
    }
    get [Symbol.toStringTag]() {
      return 'WeakRef'
    }
  }
  class WorldFinalizationRegistry {
    constructor(cleanup) {
      if (typeof cleanup !== 'function') {
        throw new TypeError('FinalizationRegistry: cleanup must be callable')
      }
    }
    register() {}
    unregister() {
      return false
    }
    get [Symbol.toStringTag]() {
      return 'FinalizationRegistry'
    }
  }
  define('WeakRef', named(WorldWeakRef, 'WeakRef'))
  define('FinalizationRegistry', named(WorldFinalizationRegistry, 'FinalizationRegistry'))

  // Waiting that no event of the world could end, and work on other threads.
  defineOn(Atomics, 'wait', (..._args) =>
    bridge.refuse('Atomics.wait', 'It stops the whole process; await a promise or a timer.'),
  )
  if ('waitAsync' in Atomics) {
    defineOn(Atomics, 'waitAsync', (..._args) =>
      bridge.refuse('Atomics.waitAsync', 'Await a promise or an event.'),
    )
  }
  const { Module, Instance } = WebAssembly
  defineOn(WebAssembly, 'compile', async (bytes) => new Module(bytes))
  defineOn(WebAssembly, 'instantiate', async (source, imports) => {
    if (source instanceof Module) return new Instance(source, imports)
    const module = new Module(source)
    return { module, instance: new Instance(module, imports) }
  })
  for (const name of ['compileStreaming', 'instantiateStreaming']) {
    defineOn(WebAssembly, name, () =>
      bridge.refuse(`WebAssembly.${name}`, 'Use WebAssembly.compile with the bytes.'),
    )
  }

  for (const name of natives.asTheyAre) {
    if (natives.globals[name] !== undefined) define(name, natives.globals[name])
  }

  for (const name of ['AbortSignal', 'Blob', 'File']) define(name, bridge.web[name])
  show('structuredClone', bridge.web.structuredClone)

  define('global', global)
  Object.defineProperty(global, Symbol.toStringTag, { value: 'global', configurable: true })
  if (natives.globals.Navigator !== undefined) furnishNavigator()
  lazily('process', bridge.lazy.process)
  delete global.console
  lazily('console', bridge.lazy.console)
  lazily('crypto', bridge.lazy.crypto)
  for (const name of ['Crypto', 'CryptoKey', 'SubtleCrypto']) {
    if (natives.globals[name] !== undefined) lazily(name, () => bridge.lazy.cryptoClass(name))
  }
  lazily('performance', bridge.lazy.performance)
  for (const name of natives.performanceClasses)
    lazily(name, () => bridge.lazy.performanceClass(name))
  lazily('PerformanceObserver', bridge.lazy.observer)
  for (const name of [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ]) {
    show(name, bridge.timers[name])
  }
  show('queueMicrotask', bridge.queueMicrotask)

  function furnishNavigator() {
    const facts = {
      hardwareConcurrency: 2,
      language: 'en-US',
      languages: Object.freeze(['en-US']),
      platform: `Linux ${bridge.machine}`,
      userAgent: `Node.js/${bridge.nodeMajor}`,
    }
    class Navigator {
      constructor() {
        throw new TypeError('Illegal constructor')
      }
    }
    for (const [name, value] of Object.entries(facts)) {
      Object.defineProperty(Navigator.prototype, name, {
        get: () => value,
        enumerable: true,
        configurable: true,
      })
    }
    define('Navigator', Navigator)
    const navigator = Object.create(Navigator.prototype)
    lazily('navigator', () => navigator, true)
  }

  // Undici takes a while to load, so it waits for the first use, as in Node.
  const fetch = function fetch(input, init = undefined) {
    return apply(bridge.lazy.fetchApi('fetch'), undefined, [input, init])
  }
  show('fetch', fetch)
  for (const name of natives.fetchClasses) {
    if (natives.globals[name] !== undefined) lazily(name, () => bridge.lazy.fetchApi(name))
  }

  // Present, as packages look for them; they say what to use when they are called.
  for (const [name, instead] of natives.refused) {
    if (natives.globals[name] === undefined) continue
    // A class, so that packages can extend it at load.
    class Refused {
      constructor() {
        bridge.refuse(name, instead)
      }
    }
    define(name, named(Refused, name, 0))
  }
}
