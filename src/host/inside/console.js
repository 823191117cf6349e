/**
 * The `console` of a realm: text by Node's own formatter, to the process's own streams.
 *
 * bridge: format(args) · inspect(value, options) · table(args) → text or null when it is no table ·
 * nowUs() · process() → the realm's process · emitWarning
 */
;(bridge) => {
  class Console {
    #out
    #err
    #indent = ''
    #counts = new Map()
    #since = new Map()

    constructor(stdout, stderr) {
      const options =
        stdout?.write === undefined && stdout?.stdout !== undefined ? stdout : { stdout, stderr }
      if (typeof options.stdout?.write !== 'function' && typeof options.stdout !== 'function') {
        throw bridge.notWritable('stdout')
      }
      const out = options.stdout
      const err = options.stderr ?? out
      this.#out = typeof out === 'function' ? out : (text) => out.write(text)
      this.#err = typeof err === 'function' ? err : (text) => err.write(text)
      // Console methods are handed around without their object.
      for (const name of METHODS) this[name] = this[name].bind(this)
    }

    #put(write, text) {
      const indented =
        this.#indent === '' ? text : `${this.#indent}${text.replaceAll('\n', `\n${this.#indent}`)}`
      write(`${indented}\n`)
    }

    log(...args) {
      const [first] = args
      const plain = args.length === 1 && typeof first === 'string'
      this.#put(this.#out, plain ? first : bridge.format(args))
    }

    error(...args) {
      this.#put(this.#err, bridge.format(args))
    }

    dir(value, options) {
      this.#put(this.#out, bridge.inspect(value, { customInspect: false, ...options }))
    }

    trace(...args) {
      const trace = { name: 'Trace', message: bridge.format(args) }
      Error.captureStackTrace(trace, this.trace)
      const frames = trace.stack.slice(trace.stack.indexOf('\n    at '))
      this.error(
        `Trace${trace.message === '' ? '' : `: ${trace.message}`}${frames.startsWith('\n') ? frames : ''}`,
      )
    }

    assert(condition, ...args) {
      if (condition) return
      if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`
      else args.unshift('Assertion failed')
      this.warn(...args)
    }

    count(label = 'default') {
      const name = `${label}`
      const count = (this.#counts.get(name) ?? 0) + 1
      this.#counts.set(name, count)
      this.log(`${name}: ${count}`)
    }

    countReset(label = 'default') {
      const name = `${label}`
      if (!this.#counts.delete(name))
        bridge.process().emitWarning(`Count for '${name}' does not exist`)
    }

    group(...labels) {
      if (labels.length > 0) this.log(...labels)
      this.#indent += '  '
    }

    groupEnd() {
      this.#indent = this.#indent.slice(2)
    }

    table(data, columns) {
      const text = bridge.table(data, columns)
      if (text === null) this.log(data)
      else this.#put(this.#out, text)
    }

    time(label = 'default') {
      const name = `${label}`
      if (this.#since.has(name)) {
        bridge.process().emitWarning(`Label '${name}' already exists for console.time()`)
        return
      }
      this.#since.set(name, bridge.nowUs())
    }

    timeLog(label = 'default', ...data) {
      this.#elapsed('timeLog', `${label}`, data)
    }

    timeEnd(label = 'default') {
      const name = `${label}`
      if (this.#elapsed('timeEnd', name, [])) this.#since.delete(name)
    }

    #elapsed(method, name, data) {
      const since = this.#since.get(name)
      if (since === undefined) {
        bridge.process().emitWarning(`No such label '${name}' for console.${method}()`)
        return false
      }
      this.log('%s: %s', name, durationText((bridge.nowUs() - since) / 1000), ...data)
      return true
    }

    profile() {}
    profileEnd() {}
    timeStamp() {}
  }
  Console.prototype.info = Console.prototype.log
  Console.prototype.debug = Console.prototype.log
  Console.prototype.dirxml = Console.prototype.log
  Console.prototype.warn = Console.prototype.error
  Console.prototype.groupCollapsed = Console.prototype.group
  const METHODS = Object.getOwnPropertyNames(Console.prototype).filter(
    (name) => name !== 'constructor',
  )

  function durationText(ms) {
    if (ms < 1000) return `${Number(ms.toFixed(3))}ms`
    const seconds = ms / 1000
    if (seconds < 60) return `${seconds.toFixed(3)}s`
    const minutes = Math.floor(seconds / 60)
    const rest = (seconds % 60).toFixed(3).padStart(6, '0')
    if (minutes < 60) return `${minutes}:${rest} (m:ss.mmm)`
    return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest.slice(0, 2)} (h:mm:ss)`
  }

  const console = new Console({
    stdout: (text) => bridge.process().stdout.write(text),
    stderr: (text) => bridge.process().stderr.write(text),
  })
  console.Console = Console
  return console
}
