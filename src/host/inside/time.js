/**
 * Time, zone and locale of a realm: `Date` and `Intl` read the world's clock, in UTC, in en-US,
 * whatever the machine's are. The prototypes stay V8's, their constructors are these.
 *
 * bridge: now() → virtual µs · epochMs
 */
;(bridge) => {
  const nowMs = () => bridge.epochMs + Math.floor(bridge.now() / 1000)
  const named = (fn, name, length = fn.length) => {
    Object.defineProperty(fn, 'name', { value: name, configurable: true })
    Object.defineProperty(fn, 'length', { value: length, configurable: true })
    return fn
  }

  function defineOn(object, name, value) {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    })
  }
  const RealDate = Date
  const construct = Reflect.construct
  const apply = Reflect.apply

  // Date
  const WorldDate = named(
    function (...args) {
      if (new.target === undefined) return new RealDate(nowMs()).toString()
      return construct(RealDate, args.length === 0 ? [nowMs()] : args, new.target)
    },
    'Date',
    7,
  )
  Object.defineProperty(WorldDate, 'prototype', { value: RealDate.prototype, writable: false })
  for (const name of ['UTC', 'parse']) {
    Object.defineProperty(WorldDate, name, {
      value: RealDate[name],
      writable: true,
      configurable: true,
    })
  }
  Object.defineProperty(WorldDate, 'now', {
    value: named(() => nowMs(), 'now'),
    writable: true,
    configurable: true,
  })
  Object.defineProperty(RealDate.prototype, 'constructor', {
    value: WorldDate,
    writable: true,
    configurable: true,
  })
  Object.defineProperty(globalThis, 'Date', {
    value: WorldDate,
    writable: true,
    enumerable: false,
    configurable: true,
  })

  // Locale and zone: fixed, whatever the machine's are.
  const LOCALE = 'en-US'
  const localised = (prototype, name, at) => {
    const original = prototype[name]
    if (original === undefined) return
    const wrapped = {
      [name](...args) {
        if (args[at] === undefined) args[at] = LOCALE
        for (let k = 0; k < at; k += 1) if (!(k in args)) args[k] = undefined
        return apply(original, this, args)
      },
    }[name]
    defineOn(prototype, name, named(wrapped, name, original.length))
  }
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    localised(RealDate.prototype, name, 0)
  }
  // V8 puts the zone's name in the machine's language.
  for (const name of ['toString', 'toTimeString']) {
    const original = RealDate.prototype[name]
    const wrapped = {
      [name]() {
        return apply(original, this, []).replace(/ \(.*\)$/, ' (Coordinated Universal Time)')
      },
    }[name]
    defineOn(RealDate.prototype, name, wrapped)
  }
  localised(Number.prototype, 'toLocaleString', 0)
  localised(BigInt.prototype, 'toLocaleString', 0)
  localised(Array.prototype, 'toLocaleString', 0)
  localised(String.prototype, 'localeCompare', 1)
  localised(String.prototype, 'toLocaleLowerCase', 0)
  localised(String.prototype, 'toLocaleUpperCase', 0)
  for (const name of Object.getOwnPropertyNames(Intl)) {
    const Real = Intl[name]
    if (typeof Real !== 'function' || Real.prototype === undefined || name === 'Locale') continue
    const isFormat = name === 'DateTimeFormat'
    const World = named(
      function (locales, options) {
        const settled =
          isFormat && options?.timeZone === undefined ? { ...options, timeZone: 'UTC' } : options
        const args = [locales === undefined ? LOCALE : locales, settled]
        if (new.target === undefined && (isFormat || name === 'NumberFormat'))
          return apply(Real, this, args)
        return construct(Real, args, new.target)
      },
      name,
      Real.length,
    )
    for (const key of Object.getOwnPropertyNames(Real)) {
      if (key === 'name' || key === 'length') continue
      Object.defineProperty(World, key, Object.getOwnPropertyDescriptor(Real, key))
    }
    defineOn(Real.prototype, 'constructor', World)
    defineOn(Intl, name, World)
  }
  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format')
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    ...format,
    get: named(function () {
      const bound = apply(format.get, this, [])
      return named((date) => bound(date === undefined ? nowMs() : date), '', 1)
    }, 'get format'),
  })
  const { formatToParts } = Intl.DateTimeFormat.prototype
  defineOn(
    Intl.DateTimeFormat.prototype,
    'formatToParts',
    {
      formatToParts(date) {
        return apply(formatToParts, this, [date === undefined ? nowMs() : date])
      },
    }.formatToParts,
  )
}
