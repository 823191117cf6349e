/**
 * One image, two roles: `ROLE=gateway` or `ROLE=worker`. This is what a container starts.
 *
 * Refuses to be prod while runs are kept in memory only, before anything is connected.
 */

import { assertProdSafety } from '#exercises/env.ts'

assertProdSafety('memory')

const role = process.env.ROLE
if (role === 'gateway') await import('./gateway-main.ts')
else if (role === 'worker') await import('./worker-main.ts')
else throw new Error(`ROLE: expected gateway or worker, got ${JSON.stringify(role ?? null)}.`)
