import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { ensureBuilt } from '../../../bin/build.mjs'

const ROOT = path.resolve(import.meta.dirname, '../../..')

it('scripts run in a process that may not generate code from strings', () => {
  const built = ensureBuilt(ROOT)
  const at = (file: string) => JSON.stringify(String(pathToFileURL(path.join(built, file))))
  const program = `
    let mayGenerate = true
    try { new Function('return 1') } catch { mayGenerate = false }
    const { loadLua } = await import(${at('src/infra/redis/lua.js')})
    const { RedisEngine } = await import(${at('src/infra/redis/engine.js')})
    const engine = new RedisEngine({ lua: await loadLua(), random: () => 0 })
    const args = ['EVAL', "return redis.call('incrby','n',ARGV[1])", '0', '41'].map((a) => Buffer.from(a))
    console.log(mayGenerate, engine.execute(engine.open(), args, 0).reply)
  `
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module']
  const output = execFileSync(process.execPath, [...flags, '-e', program], { encoding: 'utf8' })
  expect(output).toBe('false 41\n')
})
