/**
 * The host's own pieces that run inside a realm (inside/*.js): compiled once per child.
 *
 * They are plain JavaScript, classic scripts that evaluate to one function of a bridge. What they
 * make has the realm's prototypes; what the bridge holds stays in their closure. In stacks they are
 * named like Node's internals, which is what they stand for.
 */

import { readFileSync } from 'node:fs'
import vm from 'node:vm'

const scripts = new Map<string, vm.Script>()

/** How the places of these scripts begin in a stack. */
export const INSIDE_PREFIX = 'node:internal/world/'

export function insideScript(name: string): vm.Script {
  let script = scripts.get(name)
  if (script === undefined) {
    const text = readFileSync(new URL(`./inside/${name}.js`, import.meta.url), 'utf8')
    script = new vm.Script(text, { filename: `${INSIDE_PREFIX}${name}` })
    scripts.set(name, script)
  }
  return script
}
