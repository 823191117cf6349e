/** The simulated arm, held to what both arms must do alike. */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { ensureBuilt } from '../../bin/build.mjs'
import { runWorlds } from '../../src/arm/run-worlds.ts'
import { armCases, FILES } from './arm.cases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const worldMain = join(ensureBuilt(root), 'src/arm/world-main.js')

describe('the simulated arm', () => {
  armCases(
    async (scenario) => {
      const job = { id: 'case', seed: '1', scenario, files: FILES, preflight: null }
      const [result] = await runWorlds([job], { worldMain })
      return result!.events
    },
    { skip: [] },
  )
})
