/**
 * Links and evaluates ES modules at once, without a promise in between.
 *
 * `require` of an ES module cannot wait, and an `import()` must not meet another's half-linked modules.
 * Node has the calls for it in public from 22.21 on (`linkRequests`, `instantiate`); before that they
 * are those of the object that vm.Module itself stands on, `module[kWrap]`. Promises: a graph is either
 * linked as a whole or not at all; what is linked once is not asked for again. Throws what V8 and
 * `request` throw.
 */

import vm from 'node:vm'

interface ModuleRequest {
  readonly specifier: string
  readonly attributes: Readonly<Record<string, string | undefined>>
}

/** What the vm.Module of Node 20 stands on. */
interface Wrap {
  getModuleRequests(): readonly ModuleRequest[]
  link(specifiers: readonly string[], modules: readonly Wrap[]): void
  instantiate(): void
  isGraphAsync?(): boolean
  /** Of what is instantiated already: only answers whether the graph waits. */
  instantiateSync(): boolean
}

/** What of newer vm.Modules the types do not know yet. */
interface NewerModule extends vm.Module {
  readonly moduleRequests?: readonly ModuleRequest[]
  linkRequests?(modules: readonly vm.Module[]): void
  instantiate?(): void
  hasAsyncGraph?(): boolean
}

/** The module that `from` asks for. */
export type Request = (request: ModuleRequest, from: vm.Module) => vm.Module

const linked = new WeakSet<vm.Module>()

function wrapOf(module: vm.Module): Wrap {
  const symbols = Object.getOwnPropertySymbols(module)
  const key = symbols.find((symbol) => symbol.description === 'kWrap')
  return (module as unknown as Record<symbol, Wrap>)[key as symbol] as Wrap
}

/** Links a module with all that it asks for, until it can be evaluated. */
export function linkGraph(root: vm.Module, request: Request): void {
  const asked: (readonly [NewerModule, readonly ModuleRequest[], readonly vm.Module[]])[] = []
  const seen = new Set<vm.Module>()
  const visit = (module: NewerModule): void => {
    if (seen.has(module) || linked.has(module)) return
    seen.add(module)
    // Modules made of values ask for nothing.
    if (!(module instanceof vm.SourceTextModule)) return
    const requests = (module as NewerModule).moduleRequests ?? wrapOf(module).getModuleRequests()
    const modules = requests.map((each) => request(each, module))
    modules.forEach(visit)
    asked.push([module, requests, modules])
  }
  visit(root)
  for (const [module, requests, modules] of asked) {
    if (module.linkRequests !== undefined) module.linkRequests(modules)
    else {
      const specifiers = requests.map(({ specifier }) => specifier)
      wrapOf(module).link(specifiers, modules.map(wrapOf))
    }
    linked.add(module)
  }
  if (root.status !== 'unlinked') return
  const newer: NewerModule = root
  if (newer.instantiate !== undefined) newer.instantiate()
  else wrapOf(root).instantiate()
}

/** True when a top-level await stands somewhere in a linked graph. */
export function waits(root: vm.Module): boolean {
  if (!(root instanceof vm.SourceTextModule)) return false
  const { hasAsyncGraph } = root as NewerModule
  if (hasAsyncGraph !== undefined) return hasAsyncGraph.call(root)
  const wrap = wrapOf(root)
  return wrap.isGraphAsync?.() ?? wrap.instantiateSync()
}

/** Evaluates a linked graph in which nothing waits. Throws what it throws, again and again the same. */
export function evaluateNow(module: vm.Module): void {
  // Runs to its end before it answers; what it throws is read from the module.
  if (module.status === 'linked') module.evaluate().catch(() => {})
  if (module.status === 'errored') throw module.error
}
