/** The part of the global `WebAssembly` that is used: neither ES2023 nor Node's types declare it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    readonly exports: Record<string, unknown>
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
  }
  class RuntimeError extends Error {}
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  interface Table {
    get(index: number): (...args: number[]) => unknown
    set(index: number, fn: unknown): void
    grow(by: number): number
  }
}
