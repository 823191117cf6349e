/**
 * `leaselab process <program>`: a lab's program as an ordinary Node process, with real sockets.
 *
 * The process is this very one: signals, exit codes and `kill -9` mean what they mean under plain
 * Node, since there is nobody in between. Module hooks strip types and lead `#exercises/<file>` to
 * the folder under test: those of the real arm, so the files are the same as in both arms.
 */

import { register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Lab } from '../judge/lab.ts'
import { programFiles } from '../judge/places.ts'
import type { Target } from './labs.ts'
import { builtPath, type Layout } from './layout.ts'
import { didYouMean } from './suggest.ts'
import { UsageError } from './usage-error.ts'

export interface ProcessRequest {
  readonly layout: Layout
  readonly lab: Lab
  readonly labDir: string
  readonly target: Target
  /** Name of one of the lab's programs. */
  readonly name: string
  readonly args: readonly string[]
}

/** Sets up the hooks and `process.argv`; answers the address of the module to import. */
export function prepareProcess(request: ProcessRequest): string {
  const { layout, lab, labDir, target, name, args } = request
  const file = Object.hasOwn(lab.programs, name) ? lab.programs[name] : undefined
  if (file === undefined) {
    const names = Object.keys(lab.programs)
    throw new UsageError(`${lab.name} has no program ${name}.${didYouMean(name, names)}`, {
      where: 'argument <program>',
      expected: `one of: ${names.join(', ')}`,
      got: JSON.stringify(name),
      next: `pnpm leaselab process ${names[0] ?? '<program>'}`,
    })
  }
  const data = programFiles(lab, labDir, target.parts ?? { '': target.dir }, target.present)
  register(pathToFileURL(builtPath(layout, 'src/arm/real-hooks.ts')), { data })
  const program = join(labDir, file)
  process.argv.splice(1, process.argv.length - 1, program, ...args)
  return pathToFileURL(program).href
}
