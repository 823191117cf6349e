/**
 * What browsers and Node share and Node would do on other threads or in another realm:
 * `structuredClone`, `Blob`, `File`, `AbortSignal`. Made here of this realm's objects.
 *
 * bridge: natives.globals: Node's own · typeOf(value), viewName(view): what a value is ·
 * setTimeout · outOfRange(name, range, got)
 */
;(bridge) => {
  const { globals } = bridge.natives

  function defineOn(object, name, value) {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    })
  }

  // A signal that goes off after virtual time; the class behind it is Node's.
  function AbortSignal() {
    throw new TypeError('Illegal constructor')
  }
  AbortSignal.prototype = globals.AbortSignal.prototype
  defineOn(AbortSignal, 'abort', (reason) => {
    const controller = new globals.AbortController()
    controller.abort(reason)
    return controller.signal
  })
  defineOn(AbortSignal, 'any', (signals) => globals.AbortSignal.any(signals))
  defineOn(AbortSignal, 'timeout', (delay) => {
    if (typeof delay !== 'number' || !(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
      throw bridge.outOfRange('delay', `>= 0 && <= ${Number.MAX_SAFE_INTEGER}`, delay)
    }
    const controller = new globals.AbortController()
    const reason = () =>
      new globals.DOMException('The operation was aborted due to timeout', 'TimeoutError')
    bridge.setTimeout(() => controller.abort(reason()), delay).unref()
    return controller.signal
  })

  // A copy made in this realm. Throws DataCloneError for what cannot be copied.
  function structuredClone(value, options) {
    const seen = new Map()
    const refuse = (what) => {
      throw new globals.DOMException(`${what} could not be cloned.`, 'DataCloneError')
    }
    for (const moved of options?.transfer ?? []) {
      if (!(moved instanceof ArrayBuffer)) refuse(String(moved))
    }
    const copy = (from) => {
      if (typeof from === 'symbol') refuse(String(from))
      if (typeof from === 'function') refuse(String(from))
      if (typeof from !== 'object' || from === null) return from
      const known = seen.get(from)
      if (known !== undefined) return known
      const keep = (made) => {
        seen.set(from, made)
        return made
      }
      if (Array.isArray(from)) {
        const made = keep(new Array(from.length))
        for (const key of Object.keys(from)) made[key] = copy(from[key])
        return made
      }
      const tag = bridge.typeOf(from)
      switch (tag) {
        case 'Date':
          return keep(new Date(Date.prototype.getTime.call(from)))
        case 'RegExp':
          return keep(new RegExp(from.source, from.flags))
        case 'Boxed':
          return keep(Object(from.valueOf()))
        case 'ArrayBuffer':
          return keep(from.slice(0))
        case 'SharedArrayBuffer':
          return keep(from)
        case 'View': {
          const whole = copy(from.buffer)
          const Class =
            from.constructor === globals.Buffer ? Uint8Array : globalThis[bridge.viewName(from)]
          const length = from instanceof DataView ? from.byteLength : from.length
          return keep(new Class(whole, from.byteOffset, length))
        }
        case 'Map': {
          const made = keep(new Map())
          for (const [key, held] of [...from]) made.set(copy(key), copy(held))
          return made
        }
        case 'Set': {
          const made = keep(new Set())
          for (const held of [...from]) made.add(copy(held))
          return made
        }
        case 'Error': {
          const Class =
            { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[
              from.name
            ] ?? Error
          const made = keep(new Class())
          defineOn(made, 'message', String(from.message))
          if ('stack' in from) defineOn(made, 'stack', from.stack)
          if ('cause' in from) defineOn(made, 'cause', copy(from.cause))
          return made
        }
        case 'Uncloneable':
          return refuse(`#<${from.constructor?.name ?? 'Object'}>`)
        default: {
          const made = keep({})
          for (const key of Object.keys(from)) made[key] = copy(from[key])
          return made
        }
      }
    }
    return copy(value)
  }

  class Blob {
    #bytes
    #type
    constructor(parts = [], options = {}) {
      this.#bytes = globals.Buffer.concat(
        Array.from(parts, (part) => {
          if (part instanceof Blob) return part.#bytes
          if (ArrayBuffer.isView(part)) {
            return globals.Buffer.from(part.buffer, part.byteOffset, part.byteLength)
          }
          if (part instanceof ArrayBuffer) return globals.Buffer.from(part)
          return globals.Buffer.from(String(part))
        }),
      )
      this.#type = String(options.type ?? '').toLowerCase()
    }
    get size() {
      return this.#bytes.length
    }
    get type() {
      return this.#type
    }
    slice(start, end, type = '') {
      return new Blob([this.#bytes.subarray(start, end)], { type })
    }
    async arrayBuffer() {
      return Uint8Array.prototype.slice.call(this.#bytes).buffer
    }
    async bytes() {
      return new Uint8Array(this.#bytes)
    }
    async text() {
      return this.#bytes.toString('utf8')
    }
    stream() {
      const bytes = new Uint8Array(this.#bytes)
      return new globals.ReadableStream({
        start(controller) {
          if (bytes.length > 0) controller.enqueue(bytes)
          controller.close()
        },
      })
    }
    get [Symbol.toStringTag]() {
      return 'Blob'
    }
  }
  class File extends Blob {
    #name
    #lastModified
    constructor(parts, name, options = {}) {
      super(parts, options)
      this.#name = String(name)
      this.#lastModified = options.lastModified ?? Date.now()
    }
    get name() {
      return this.#name
    }
    get lastModified() {
      return this.#lastModified
    }
    get [Symbol.toStringTag]() {
      return 'File'
    }
  }
  return { AbortSignal, Blob, File, structuredClone }
}
