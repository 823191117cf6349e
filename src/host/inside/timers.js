/**
 * Timers of a realm: each one event of the world, in the shape of Node's.
 *
 * bridge: schedule('timer' | 'job', delayUs, run) → event · cancel(event) · guard(what) → may it be
 * done · hold()/release(): one more or less that keeps the process alive · run(fn, self, args): calls
 * code under test, an error is the process's uncaught one · bind(fn): keeps the async context ·
 * warn(text, name) · invalidCallback(got) · abortError(signal) · customPromisify · validSignal(signal)
 */
;(bridge) => {
  const TIMEOUT_MAX = 2 ** 31 - 1
  const known = new Map()
  let nextId = 1

  const warned = new Set()
  /** Once for each name, as Node does. */
  function warnOnce(text, name) {
    if (warned.has(name)) return
    warned.add(name)
    bridge.warn(`${text}.\nTimeout duration was set to 1.`, name)
  }

  function settledDelay(after) {
    // No delay at all is nothing to warn of.
    const delay = after === undefined ? 1 : after * 1
    if (delay >= 1 && delay <= TIMEOUT_MAX) return Math.trunc(delay)
    if (delay > TIMEOUT_MAX) {
      bridge.warn(
        `${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
        'TimeoutOverflowWarning',
      )
    } else if (bridge.warnsNegative) {
      if (delay < 0) warnOnce(`${delay} is a negative number`, 'TimeoutNegativeWarning')
      else if (Number.isNaN(delay)) warnOnce(`${delay} is not a number`, 'TimeoutNaNWarning')
    }
    return 1
  }

  class Timeout {
    #event = null
    #id = nextId++
    #ref = true
    #holds = false
    #bound
    constructor(callback, delay, args, repeats) {
      const settled = settledDelay(delay)
      this._idleTimeout = settled
      this._onTimeout = callback
      this._timerArgs = args
      this._repeat = repeats ? settled : null
      this._destroyed = false
      this.#bound = bridge.bind(callback)
      this.#arm()
    }

    #arm() {
      if (!bridge.guard('a timer')) return
      if (this.#event !== null) bridge.cancel(this.#event)
      this.#event = bridge.schedule('timer', this._idleTimeout * 1000, () => this.#fire())
      known.set(this.#id, this)
      this.#keep()
    }

    #keep() {
      const holds = this.#event !== null && this.#ref
      if (holds === this.#holds) return
      this.#holds = holds
      if (holds) bridge.hold()
      else bridge.release()
    }

    #fire() {
      this.#event = null
      const callback = this._onTimeout
      if (typeof callback === 'function') {
        bridge.run(this.#bound ?? callback, this, this._timerArgs ?? [])
      }
      if (this.#event !== null) return
      if (this._repeat !== null && !this._destroyed) {
        this._idleTimeout = this._repeat
        this.#arm()
      } else {
        this._destroyed = true
        known.delete(this.#id)
        this.#keep()
      }
    }

    ref() {
      this.#ref = true
      this.#keep()
      return this
    }

    unref() {
      this.#ref = false
      this.#keep()
      return this
    }

    hasRef() {
      return this.#ref
    }

    refresh() {
      if (this._onTimeout !== null) {
        this._destroyed = false
        this.#arm()
      }
      return this
    }

    close() {
      clearTimeout(this)
      return this
    }

    [Symbol.toPrimitive]() {
      return this.#id
    }

    static stop(timer) {
      if (!(#event in timer)) return
      if (timer.#event !== null) bridge.cancel(timer.#event)
      timer.#event = null
      timer._onTimeout = null
      timer._repeat = null
      timer._destroyed = true
      known.delete(timer.#id)
      timer.#keep()
    }
  }
  const stop = Timeout.stop
  delete Timeout.stop

  class Immediate {
    #event = null
    #ref = true
    #holds = false
    #bound
    constructor(callback, args) {
      this._onImmediate = callback
      this._argv = args
      this._destroyed = false
      this.#bound = bridge.bind(callback)
      if (!bridge.guard('an immediate')) return
      this.#event = bridge.schedule('job', 0, () => {
        this.#event = null
        this._destroyed = true
        this.#keep()
        bridge.run(this.#bound ?? callback, this, args ?? [])
      })
      this.#keep()
    }

    #keep() {
      const holds = this.#event !== null && this.#ref
      if (holds === this.#holds) return
      this.#holds = holds
      if (holds) bridge.hold()
      else bridge.release()
    }

    ref() {
      this.#ref = true
      this.#keep()
      return this
    }

    unref() {
      this.#ref = false
      this.#keep()
      return this
    }

    hasRef() {
      return this.#ref
    }

    static stop(immediate) {
      if (!(#event in immediate)) return
      if (immediate.#event !== null) bridge.cancel(immediate.#event)
      immediate.#event = null
      immediate._destroyed = true
      immediate._onImmediate = null
      immediate.#keep()
    }
  }
  const stopImmediate = Immediate.stop
  delete Immediate.stop

  if (Symbol.dispose) {
    Timeout.prototype[Symbol.dispose] = function () {
      stop(this)
    }
    Immediate.prototype[Symbol.dispose] = function () {
      stopImmediate(this)
    }
  }

  const check = (callback) => {
    if (typeof callback !== 'function') throw bridge.invalidCallback(callback)
  }

  function setTimeout(callback, after, ...args) {
    check(callback)
    return new Timeout(callback, after, args.length === 0 ? undefined : args, false)
  }

  function setInterval(callback, repeat, ...args) {
    check(callback)
    return new Timeout(callback, repeat, args.length === 0 ? undefined : args, true)
  }

  function setImmediate(callback, ...args) {
    check(callback)
    return new Immediate(callback, args.length === 0 ? undefined : args)
  }

  function clearTimeout(timer) {
    if (timer === null || timer === undefined) return
    if (typeof timer === 'object') {
      stop(timer)
      return
    }
    if (typeof timer === 'number' || typeof timer === 'string') {
      const found = known.get(Number(timer))
      if (found !== undefined) stop(found)
    }
  }

  function clearInterval(timer) {
    clearTimeout(timer)
  }

  function clearImmediate(immediate) {
    if (typeof immediate === 'object' && immediate !== null) stopImmediate(immediate)
  }

  // timers/promises
  const waits =
    (start, end) =>
    (...all) => {
      const [after, value, options = {}] = start === setTimeout ? all : [undefined, ...all]
      try {
        bridge.checkOptions(options)
      } catch (error) {
        return Promise.reject(error)
      }
      const { signal, ref = true } = options
      if (signal?.aborted) return Promise.reject(bridge.abortError(signal))
      return new Promise((resolve, reject) => {
        const abort = () => {
          end(timer)
          reject(bridge.abortError(signal))
        }
        const done = () => {
          signal?.removeEventListener('abort', abort)
          resolve(value)
        }
        const timer = start === setTimeout ? setTimeout(done, after) : setImmediate(done)
        if (!ref) timer.unref()
        signal?.addEventListener('abort', abort, { once: true })
      })
    }

  const delayed = {
    setTimeout(after, value, options) {
      return waitTimeout(after, value, options)
    },
    setImmediate(value, options) {
      return waitImmediate(value, options)
    },
    async *setInterval(after, value, options = {}) {
      bridge.checkOptions(options)
      const { signal, ref = true } = options
      if (signal?.aborted) throw bridge.abortError(signal)
      let missed = 0
      let wake = null
      const ring = () => {
        wake?.()
        wake = null
      }
      const interval = setInterval(() => {
        missed += 1
        ring()
      }, after)
      if (!ref) interval.unref()
      signal?.addEventListener('abort', ring, { once: true })
      try {
        for (;;) {
          if (signal?.aborted) throw bridge.abortError(signal)
          if (missed === 0) {
            await new Promise((resolve) => {
              wake = resolve
            })
          }
          for (; missed > 0; missed -= 1) yield value
        }
      } finally {
        clearInterval(interval)
        signal?.removeEventListener('abort', ring)
      }
    },
    scheduler: {
      wait: (delay, options) => waitTimeout(delay, undefined, options),
      yield: () => waitImmediate(),
    },
  }
  const waitTimeout = waits(setTimeout, clearTimeout)
  const waitImmediate = waits(setImmediate, clearImmediate)

  const promisified = (fn, by) =>
    Object.defineProperty(fn, bridge.customPromisify, { enumerable: true, get: () => by })
  promisified(setTimeout, delayed.setTimeout)
  promisified(setImmediate, delayed.setImmediate)

  return {
    timers: {
      setTimeout,
      clearTimeout,
      setImmediate,
      clearImmediate,
      setInterval,
      clearInterval,
      promises: delayed,
    },
    promises: delayed,
  }
}
