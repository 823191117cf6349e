/** A world of the simulated arm, with a hole made on purpose; prints its events as JSON. */

import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureBuilt } from '../../bin/build.mjs'
import { realThings } from '../host/real-things.mjs'

const [labDir] = process.argv.slice(2)
const buildDir = ensureBuilt(fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, ''))
const load = (path) => import(pathToFileURL(`${buildDir}/src/${path}.js`).href)
const { SimArm } = await load('arm/sim')
const { loadLua } = await load('infra/redis/lua')
const { builtins } = await load('host/builtins/index')
builtins.set('punycode', { kind: 'made', make: () => realThings })

const events = []
const scenario = {
  processes: { a: { program: 'a.mjs' } },
  timeline: [],
  until: { atMs: 3_600_000 },
  limitMs: 3_600_000,
}
const files = { labDir, exercises: {}, exerciseDirs: [], targetDir: `${labDir}/target` }
const arm = new SimArm({ seed: 'leak', scenario, files, lua: await loadLua() }, [
  (event) => events.push(event),
])
process.on('uncaughtException', (error) => {
  if (!arm.kernel.uncaught(error, 'error')) throw error
})
await arm.run()
process.stdout.write(JSON.stringify(events), () => process.exit(0))
