/**
 * Modules that packages import and that have no simulated form: importable, refused when called.
 *
 * The names are listed here and not read from Node's module, since loading some of these changes the
 * whole process (`domain`, `repl`).
 */

import type { BuiltinFactory, HostContext } from '../context.ts'

/** A function, also usable as a class, that refuses when it is called or instantiated. */
export function refusedCall(context: HostContext, call: string, instead: string): () => never {
  // A declaration, since packages extend such classes: an arrow function could not be one.
  function refuse(): never {
    return context.unsupported(call, instead)
  }
  const name = call.slice(call.lastIndexOf('.') + 1)
  return Object.defineProperty(refuse, 'name', { value: name, configurable: true })
}

/** Refusing functions for `names`, space-separated, of the module `module`. */
export function refusedCalls(
  context: HostContext,
  module: string,
  names: string,
  instead: string,
): Record<string, () => never> {
  const calls: Record<string, () => never> = {}
  for (const name of names.split(' '))
    calls[name] = refusedCall(context, `${module}.${name}`, instead)
  return calls
}

/** A module of which `names` refuse; `kept` gives the rest. */
export function refusingModule(
  module: string,
  names: string,
  instead: string,
  kept: (context: HostContext) => object = () => ({}),
): BuiltinFactory {
  return (context) => {
    const made = { ...refusedCalls(context, module, names, instead) }
    return Object.defineProperties(made, Object.getOwnPropertyDescriptors(kept(context)))
  }
}
