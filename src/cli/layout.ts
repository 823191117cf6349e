/**
 * Where things lie: the project's root and its mirror without types (see bin/build.mjs).
 *
 * Everything that a child process is started with comes from the mirror; what a person reads or edits
 * is named by its path under the root.
 */

import { join } from 'node:path'

export interface Layout {
  /** The project's folder, absolute. */
  readonly root: string
  /** The mirror's folder, absolute. */
  readonly buildDir: string
}

/** Path of the built form of a source file, e.g. of `src/arm/world-main.ts`. */
export function builtPath(layout: Layout, source: string): string {
  return join(layout.buildDir, source.replace(/\.ts$/, '.js'))
}
