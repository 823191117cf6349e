/**
 * Copies of Node's http classes for one process, cut off from the originals.
 *
 * Node's constructors and methods do the work, but nothing that a program can reach through an
 * instance, a prototype or `constructor` leads to Node's own class: those would open real sockets,
 * read the real clock, and share what is set on them with every process of the world.
 */

/** Own methods of `original`, without its constructor, over another parent. */
export function detachedPrototype(
  original: object,
  parent: object,
  without: readonly string[],
): object {
  const own: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(original)
  Reflect.deleteProperty(own, 'constructor')
  for (const name of without) Reflect.deleteProperty(own, name)
  return Object.create(parent, own)
}

/** Joins a constructor and its prototype as `class` would. */
export function bindClass(Class: object, name: string, prototype: object, parent: object): void {
  Object.defineProperty(Class, 'prototype', { value: prototype, writable: true })
  Object.defineProperty(Class, 'name', { value: name, configurable: true })
  Object.defineProperty(prototype, 'constructor', {
    value: Class,
    writable: true,
    configurable: true,
  })
  Object.setPrototypeOf(Class, parent)
}
