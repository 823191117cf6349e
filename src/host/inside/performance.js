/**
 * `performance` of a realm: milliseconds since this incarnation began, marks and measures.
 *
 * bridge: uptimeUs() · timeOrigin (Unix ms at the start) · error(kind, code, message). What measures
 * the real engine (event loop, collections) tells nothing.
 */
;(bridge) => {
  const now = () => bridge.uptimeUs() / 1000
  const secret = Symbol('made by performance')
  let entries = []

  class PerformanceEntry {
    #name
    #type
    #start
    #duration
    constructor(key, name, type, start, duration) {
      if (key !== secret) throw new TypeError('Illegal constructor')
      this.#name = name
      this.#type = type
      this.#start = start
      this.#duration = duration
    }
    get name() {
      return this.#name
    }
    get entryType() {
      return this.#type
    }
    get startTime() {
      return this.#start
    }
    get duration() {
      return this.#duration
    }
    toJSON() {
      return {
        name: this.name,
        entryType: this.entryType,
        startTime: this.startTime,
        duration: this.duration,
      }
    }
  }

  class PerformanceMark extends PerformanceEntry {
    #detail
    constructor(name, options = {}) {
      super(secret, `${name}`, 'mark', options.startTime ?? now(), 0)
      if (this.startTime < 0) {
        throw bridge.error(
          'TypeError',
          'ERR_PERFORMANCE_INVALID_TIMESTAMP',
          `${this.startTime} is not a valid timestamp`,
        )
      }
      this.#detail = options.detail ?? null
    }
    get detail() {
      return this.#detail
    }
    toJSON() {
      return { ...super.toJSON(), detail: this.detail }
    }
  }

  class PerformanceMeasure extends PerformanceEntry {
    #detail
    constructor(key, name, start, duration, detail) {
      super(key, name, 'measure', start, duration)
      this.#detail = detail
    }
    get detail() {
      return this.#detail
    }
    toJSON() {
      return { ...super.toJSON(), detail: this.detail }
    }
  }

  /** The time that a name or number stands for. */
  function timeOf(mark) {
    if (typeof mark === 'number') return mark
    const found = entries.findLast(
      (entry) => entry.entryType === 'mark' && entry.name === `${mark}`,
    )
    if (found !== undefined) return found.startTime
    throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError')
  }

  const keep = (entry) => {
    const at = entries.findIndex((other) => other.startTime > entry.startTime)
    entries.splice(at < 0 ? entries.length : at, 0, entry)
    return entry
  }

  class Performance extends EventTarget {
    constructor(key) {
      if (key !== secret) throw new TypeError('Illegal constructor')
      super()
    }
    get timeOrigin() {
      return bridge.timeOrigin
    }
    get nodeTiming() {
      return {
        name: 'node',
        entryType: 'node',
        startTime: 0,
        duration: now(),
        nodeStart: 0,
        v8Start: 0,
        environment: 0,
        bootstrapComplete: 0,
        loopStart: 0,
        loopExit: -1,
        idleTime: 0,
      }
    }
    now() {
      return now()
    }
    mark(name, options) {
      return keep(new PerformanceMark(name, options))
    }
    measure(name, startOrOptions, endMark) {
      const isOptions = typeof startOrOptions === 'object' && startOrOptions !== null
      const options = isOptions ? startOrOptions : { start: startOrOptions, end: endMark }
      const { start, end, duration, detail = null } = options
      const until =
        end !== undefined
          ? timeOf(end)
          : duration !== undefined && start !== undefined
            ? timeOf(start) + duration
            : now()
      const from =
        start !== undefined ? timeOf(start) : duration !== undefined ? until - duration : 0
      return keep(new PerformanceMeasure(secret, `${name}`, from, until - from, detail))
    }
    clearMarks(name) {
      this.#clear('mark', name)
    }
    clearMeasures(name) {
      this.#clear('measure', name)
    }
    #clear(type, name) {
      entries = entries.filter(
        (entry) => entry.entryType !== type || (name !== undefined && entry.name !== `${name}`),
      )
    }
    getEntries() {
      return [...entries]
    }
    getEntriesByName(name, type) {
      return entries.filter(
        (entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type),
      )
    }
    getEntriesByType(type) {
      return entries.filter((entry) => entry.entryType === type)
    }
    timerify(fn) {
      return fn
    }
    eventLoopUtilization() {
      return { idle: 0, active: 0, utilization: 0 }
    }
    clearResourceTimings() {}
    setResourceTimingBufferSize() {}
    markResourceTiming() {}
    toJSON() {
      return { timeOrigin: this.timeOrigin, nodeTiming: this.nodeTiming }
    }
    get [Symbol.toStringTag]() {
      return 'Performance'
    }
  }

  return {
    performance: new Performance(secret),
    Performance,
    PerformanceEntry,
    PerformanceMark,
    PerformanceMeasure,
  }
}
