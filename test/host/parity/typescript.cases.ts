/**
 * TypeScript in the world against its stripped form in real Node: what the types were must not show,
 * nor must the lines move.
 */

import type { ParityCase } from './case.ts'

const ts = (claim: string, source: string, as = 'main.mts'): ParityCase => ({ claim, source, as })

export const TYPESCRIPT: readonly ParityCase[] = [
  ts(
    'annotations, interfaces, aliases and generics vanish',
    `interface A<T extends object = {}> { readonly a: T; b?(): void }
      type F = <T>(x: T) => T
      const id: F = <T,>(x: T): T => x
      const map = new Map<string, Array<number | null>>([['a', [1, null]]]); console.log(id<number>(2), map, id({ a: {} } as A))`,
  ),
  ts(
    'lines and columns of errors stay',
    `type X = {
        a: string
      }
      function f(this: void, x?: X): asserts x is X { if (!x) throw new Error('none') }
      try { f() } catch (e) { console.log(String((e as Error).stack).split('\\n')[1]!.replace(/.*main\\.m?[tj]s/, '')) }`,
  ),
  ts(
    'as, satisfies, non-null and definite assignment',
    `const x = { a: 1 } satisfies Record<string, number>; let y!: number; y = (x as { a: number }).a!; console.log(y, <const T>(v: T) => v, [1, 2] as const)`,
  ),
  ts(
    'class members: modifiers, overloads, declare, abstract, implements, index',
    `abstract class B<T> { protected abstract go(): T; public static readonly s: string = 's'; [key: string]: unknown
        run(x: string): string; run(x: number): number; run(x: any): any { return [x, this.go()] } }
      class C extends B<number> implements Iterable<number> { private readonly n?: number = 3; declare gone: string; #h: number = 4; override go(): number { return this.#h } *[Symbol.iterator](): Iterator<number> { yield this.n! } }
      const c = new C(); console.log(c.run('x'), [...c], Object.keys(c), B.s, 'gone' in c)`,
  ),
  ts(
    'types of imports and exports vanish, values stay',
    `import { type EventEmitterOptions, EventEmitter } from 'node:events'
      import type { Server } from 'node:net'
      import type fs from 'node:fs'
      const o: EventEmitterOptions = {}; export type { Server, fs }; export const e = new EventEmitter(o); console.log(e instanceof EventEmitter)`,
  ),
  ts(
    'a semicolon is not lost where a type ends a line',
    `let a = 1
      type T = number
      ;[a] = [2] as T[]
      const b = a as number
      ;(() => console.log(a, b))()`,
  ),
  ts(
    'async, generators, decorated by types only',
    `async function* g<T>(...xs: readonly T[]): AsyncGenerator<T, void, undefined> { for (const x of xs) yield x }
      for await (const x of g<string | number>('a', 1)) console.log(x)
      const arrow = async <T,>(x: T): Promise<T> => x; console.log(await arrow('q'))`,
  ),
  ts(
    'CommonJS in .cts',
    `const { join }: typeof import('node:path') = require('node:path'); module.exports = { join }; console.log(join('a', 'b'), typeof require, (exports as object) === module.exports)`,
    'main.cts',
  ),
  ts(
    'arrows with return types over lines, optional chains, enums of values written as objects',
    `const Kind = { A: 'a', B: 'b' } as const
      type Kind = (typeof Kind)[keyof typeof Kind]
      const f = (
        k: Kind,
        o?: { p?: { q?: number } },
      ): k is 'a' => k === Kind.A && o?.p?.q! > 1
      console.log(f('a', { p: { q: 2 } }), f('b'))`,
  ),
  ts(
    'declare, unique symbol, namespaces of types, this parameters, getters',
    `declare const nowhere: unique symbol
      declare global { interface Array<T> { extra?: T } }
      declare module 'node:path' { interface More {} }
      namespace N { export type T = string }
      class G { get x(): number { return 1 } set x(v: number) { console.log('set', v) } m(this: G, a: N.T = 'd'): void { console.log(a, this.x) } }
      const g = new G(); g.x = 2; g.m(); console.log(typeof N, typeof nowhere)`,
  ),
]
