/**
 * The `process` of a realm, its ticks, and its standard streams.
 *
 * bridge: facts (JSON text of what never changes) · env · EventEmitter, Writable, Readable ·
 * nextTick/queueMicrotask: Node's own · alive() · call(fn, self, args) · write(stream, text) ·
 * exit(code), killSelf(signal), uptimeUs(), nowUs(), memory · refuse(call, instead) ·
 * error(kind, code, message) · received(value) · signals: name → number · builtin(name)
 */
;(bridge) => {
  const facts = JSON.parse(bridge.facts)

  const invalid = (name, type, got) =>
    bridge.error(
      'TypeError',
      'ERR_INVALID_ARG_TYPE',
      `The "${name}" argument must be ${type}. Received ${bridge.received(got)}`,
    )

  // Ticks and microtasks are Node's; after death they do nothing.
  function runTick(callback, args) {
    if (bridge.alive()) bridge.call(callback, undefined, args)
  }
  function nextTick(callback, ...args) {
    if (typeof callback !== 'function') throw invalid('callback', 'of type function', callback)
    if (bridge.alive()) bridge.nextTick(runTick, callback, args)
  }
  const NOTHING = []
  function queueMicrotask(callback) {
    if (typeof callback !== 'function') throw invalid('callback', 'of type function', callback)
    if (bridge.alive()) bridge.queueMicrotask(() => runTick(callback, NOTHING))
  }

  function makeProcess() {
    const { EventEmitter } = bridge.emitter()
    const prototype = Object.create(EventEmitter.prototype, {
      constructor: {
        value: function process() {
          throw new TypeError('Illegal constructor')
        },
        writable: true,
        configurable: true,
      },
      [Symbol.toStringTag]: { value: 'process', configurable: true },
    })
    const process = Object.create(prototype)
    EventEmitter.call(process)

    Object.assign(process, {
      version: facts.version,
      versions: facts.versions,
      arch: facts.arch,
      platform: 'linux',
      release: facts.release,
      features: facts.features,
      config: facts.config,
      title: 'node',
      argv: facts.argv,
      execArgv: [],
      execPath: facts.execPath,
      argv0: 'node',
      pid: facts.pid,
      ppid: facts.ppid,
      debugPort: 9229,
      exitCode: undefined,
      _exiting: false,
      env: makeEnv(),
      allowedNodeEnvironmentFlags: new Set(),
      nextTick,
    })

    let exitCode
    Object.defineProperty(process, 'exitCode', {
      get: () => exitCode,
      set(code) {
        checkCode(code)
        exitCode = code
      },
      enumerable: true,
      configurable: false,
    })

    function checkCode(code) {
      if (code === undefined || code === null) return
      const value = typeof code === 'string' && code !== '' ? Number(code) : code
      if (typeof value === 'number' && Number.isInteger(value)) return
      if (typeof value === 'number' && typeof code !== 'string') {
        throw bridge.error(
          'RangeError',
          'ERR_OUT_OF_RANGE',
          `The value of "code" is out of range. It must be an integer. Received ${String(code)}`,
        )
      }
      throw invalid('code', 'of type number', code)
    }

    process.exit = function exit(code) {
      if (code !== undefined) process.exitCode = code
      if (bridge.alive() && !process._exiting) {
        process._exiting = true
        bridge.beforeEnd(() => process.emit('exit', Number(process.exitCode ?? 0)))
      }
      return process.reallyExit(Number(process.exitCode ?? 0))
    }
    process.reallyExit = (code) => bridge.exit(Number(code ?? 0))
    process.abort = () => bridge.killSelf('SIGABRT')
    process.kill = (pid, signal) => {
      if (pid !== (pid | 0)) throw invalid('pid', 'of type number', pid)
      const name = typeof signal === 'number' ? bridge.signalName(signal) : (signal ?? 'SIGTERM')
      if (signal !== 0 && (name === undefined || bridge.signals[name] === undefined)) {
        throw bridge.error('TypeError', 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${String(signal)}`)
      }
      if (Math.abs(pid) !== process.pid && pid !== 0) {
        throw Object.assign(bridge.error('Error', 'ESRCH', 'kill ESRCH'), {
          errno: -3,
          syscall: 'kill',
        })
      }
      if (signal !== 0) bridge.killSelf(name)
      return true
    }

    process.cwd = () => facts.cwd
    process.chdir = () =>
      bridge.refuse('process.chdir', 'Use absolute paths, made with path.join(process.cwd(), …).')
    process.umask = () => 18
    for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) process[name] = () => 1000
    process.getgroups = () => [1000]
    for (const name of ['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups']) {
      process[name] = () =>
        bridge.refuse(`process.${name}`, 'The process keeps the user that it has.')
    }
    for (const name of [
      'binding',
      '_linkedBinding',
      'dlopen',
      'loadEnvFile',
      '_debugProcess',
      '_kill',
    ]) {
      process[name] = () =>
        bridge.refuse(`process.${name}`, 'It reaches into the machine; use a built-in module.')
    }
    process.report = {
      getReport: () => bridge.refuse('process.report', 'Read process.memoryUsage() or os.'),
      writeReport: () => bridge.refuse('process.report', 'Read process.memoryUsage() or os.'),
    }
    process.getBuiltinModule = (name) =>
      bridge.isBuiltin(String(name))
        ? bridge.builtin(String(name).replace(/^node:/, ''))
        : undefined

    const hrtime = (previous) => {
      const us = bridge.nowUs()
      const now = [Math.floor(us / 1e6), (us % 1e6) * 1000]
      if (previous === undefined) return now
      if (!Array.isArray(previous)) throw invalid('time', 'an instance of Array', previous)
      const seconds = now[0] - previous[0]
      const nanos = now[1] - previous[1]
      return nanos < 0 ? [seconds - 1, nanos + 1e9] : [seconds, nanos]
    }
    hrtime.bigint = () => BigInt(bridge.nowUs()) * 1000n
    process.hrtime = hrtime
    process.uptime = () => bridge.uptimeUs() / 1e6
    const memoryUsage = () => ({ ...facts.memory })
    memoryUsage.rss = () => facts.memory.rss
    process.memoryUsage = memoryUsage
    process.constrainedMemory = () => facts.constrainedMemory
    process.availableMemory = () => facts.constrainedMemory - facts.memory.rss
    // Code takes no virtual time, so the processor's share of it is none.
    process.cpuUsage = () => ({ user: 0, system: 0 })
    process.resourceUsage = () => ({ ...facts.resources })
    process.getActiveResourcesInfo = () => []
    process.setSourceMapsEnabled = () => {}

    let capture = null
    process.setUncaughtExceptionCaptureCallback = (fn) => {
      if (fn !== null && typeof fn !== 'function') {
        throw invalid('fn', 'of type function or null', fn)
      }
      capture = fn
    }
    process.hasUncaughtExceptionCaptureCallback = () => capture !== null

    process.emitWarning = (warning, type, code, below) => {
      let detail
      let settled = type
      let settledCode = code
      if (typeof type === 'object' && type !== null) {
        detail = type.detail
        settledCode = type.code
        settled = type.type
      } else if (typeof type === 'function') settled = undefined
      let told = warning
      if (typeof warning === 'string') {
        told = new Error(warning)
        told.name = String(settled || 'Warning')
        if (settledCode !== undefined && typeof settledCode !== 'function') told.code = settledCode
        if (detail !== undefined) told.detail = detail
        Error.captureStackTrace(told, typeof below === 'function' ? below : process.emitWarning)
      } else if (!(warning instanceof Error)) {
        throw invalid('warning', 'of type string or an instance of Error', warning)
      }
      if (told.name === 'DeprecationWarning' && process.noDeprecation) return
      nextTick(() => process.emit('warning', told))
    }
    process.on('warning', (warning) => {
      const code = warning.code === undefined ? '' : `[${warning.code}] `
      const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : ''
      bridge.write(
        'stderr',
        `(node:${process.pid}) ${code}${warning.name}: ${warning.message}${detail}\n`,
      )
      if (!bridge.warnedBefore()) {
        bridge.write(
          'stderr',
          '(Use `node --trace-warnings ...` to show where the warning was created)\n',
        )
      }
    })

    const lazily = (name, make) => {
      Object.defineProperty(process, name, {
        get() {
          const value = make()
          Object.defineProperty(process, name, {
            value,
            enumerable: true,
            configurable: true,
            writable: true,
          })
          return value
        },
        enumerable: true,
        configurable: true,
      })
    }
    lazily('stdout', () => output('stdout', 1))
    lazily('stderr', () => output('stderr', 2))
    lazily('stdin', () => {
      const { Readable } = bridge.streams()
      const stdin = new Readable({
        read() {
          this.push(null)
        },
      })
      stdin.fd = 0
      return stdin
    })

    bridge.handOver({
      emit: (name, ...args) => process.emit(name, ...args),
      listenerCount: (name) => process.listenerCount(name),
      capture: () => capture,
      exitCode: () => process.exitCode,
      setExitCode: (code) => {
        exitCode = code
      },
      markExiting: () => {
        const before = process._exiting
        process._exiting = true
        return before
      },
      emitWarning: (text, name) => process.emitWarning(text, name),
    })
    return process
  }

  function output(name, fd) {
    const { Writable, StringDecoder } = bridge.streams()
    const decoder = new StringDecoder('utf8')
    const stream = new Writable({
      decodeStrings: false,
      write(chunk, encoding, done) {
        put(chunk, encoding)
        done()
      },
    })
    function put(chunk, encoding) {
      if (typeof chunk === 'string') {
        const plain =
          encoding === undefined ||
          encoding === null ||
          /^utf-?8$/i.test(encoding) ||
          encoding === 'buffer'
        bridge.write(name, plain ? chunk : Buffer.from(chunk, encoding).toString('utf8'))
      } else if (ArrayBuffer.isView(chunk)) {
        bridge.write(
          name,
          decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
        )
      } else {
        throw bridge.error(
          'TypeError',
          'ERR_INVALID_ARG_TYPE',
          `The "chunk" argument must be of type string or an instance of Buffer or Uint8Array. Received ${bridge.received(chunk)}`,
        )
      }
    }
    // Written at once and in order, as Node writes to files and pipes; no stream in between.
    stream.write = function write(chunk, encoding, callback) {
      if (stream.writableEnded)
        return Writable.prototype.write.call(stream, chunk, encoding, callback)
      const done = typeof encoding === 'function' ? encoding : callback
      put(chunk, typeof encoding === 'function' ? undefined : encoding)
      if (typeof done === 'function') nextTick(done, null)
      return true
    }
    stream.fd = fd
    stream._type = 'pipe'
    stream._isStdio = true
    stream.destroySoon = stream.destroy
    return stream
  }

  /** Every value a string, as the operating system keeps it. */
  function makeEnv() {
    const values = JSON.parse(bridge.env)
    const text = (value) => {
      if (typeof value === 'symbol')
        throw new TypeError('Cannot convert a Symbol value to a string')
      return String(value)
    }
    return new Proxy(values, {
      set(target, key, value) {
        if (typeof key === 'symbol')
          throw new TypeError('Cannot convert a Symbol value to a string')
        target[key] = text(value)
        return true
      },
      defineProperty(target, key, descriptor) {
        if ('value' in descriptor) {
          return Reflect.defineProperty(target, key, {
            value: text(descriptor.value),
            writable: true,
            enumerable: true,
            configurable: true,
          })
        }
        throw bridge.error(
          'TypeError',
          'ERR_INVALID_OBJECT_DEFINE_PROPERTY',
          "'process.env' does not accept an accessor(getter/setter) descriptor",
        )
      },
    })
  }

  return { makeProcess, nextTick, queueMicrotask }
}
