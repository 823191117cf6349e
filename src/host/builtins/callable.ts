/**
 * Classes that may be called without `new`, as Node's own constructor functions may.
 */

type Constructor = abstract new (...args: never[]) => object

/** The class itself, except that a call without `new` makes an instance too. */
export function callable<C extends Constructor>(Class: C): C {
  const outside = new Proxy(Class, {
    apply: (target, _self, args) => Reflect.construct(target, args),
  })
  Object.defineProperty(Class.prototype, 'constructor', {
    value: outside,
    writable: true,
    configurable: true,
  })
  return outside
}
