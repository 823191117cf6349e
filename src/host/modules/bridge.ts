/** What the host and inside/commonjs.js tell each other, and where `node:module` finds a process's. */

import type { HostContext } from '../context.ts'

export interface CommonJsBridge {
  /** `builtin:<name>` or an absolute path. Throws LoadError. */
  resolve(specifier: string, from: string): string
  builtin(name: string): unknown
  format(path: string): 'module' | 'commonjs' | 'json'
  wrapper(path: string): unknown
  text(path: string): string
  dirname(path: string): string
  entry(): string
  readonly builtinNames: readonly string[]
  isBuiltin(name: string): boolean
  fileOf(where: unknown): string
  refuse(call: string, instead: string): never
  argumentError(name: string, type: string, got: unknown): Error
  emptySpecifier(): Error
  /** The namespace of an ES module that does not wait. Throws what it throws, or LoadError. */
  requireModule(path: string, from: string | null): unknown
}

export interface CjsModules {
  /** The realm's `Module`: what `node:module` exports. */
  readonly Module: unknown
  run(path: string, asMain: boolean): unknown
  parseJson(path: string): unknown
  fill(
    meta: ImportMeta,
    url: string,
    path: string,
    dirname: string,
    resolve: (specifier: string) => string,
  ): void
}

export const loaderParts = new WeakMap<HostContext, CjsModules>()
