/**
 * The README's console blocks are run and compared, so that what it shows is what one sees.
 *
 * Masked: real seconds, and the digest, which any change of the simulation moves. With
 * UPDATE_README=1 the blocks are written anew instead.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { launch, ROOT } from './cli/launch.ts'
import { starterEdited } from './grading/grade.ts'

const README = join(ROOT, 'README.md')
const BLOCK = /```console\n\$ (?<command>[^\n]+)\n(?<output>[^`]*)```/g

const text = readFileSync(README, 'utf8')
const blocks = [...text.matchAll(BLOCK)].map(({ groups }) => ({
  command: groups?.command ?? '',
  output: groups?.output ?? '',
}))

/** Runs `NAME=value … pnpm <script> <args…>` as the package's script would. */
async function run(command: string): Promise<string> {
  const words = command.split(' ')
  const at = words.indexOf('pnpm')
  const env = Object.fromEntries(words.slice(0, at).map((word) => word.split('=')))
  const [script = '', ...args] = words.slice(at + 1)
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const [node, launcher, ...verb] = String(scripts[script]).split(' ')
  expect([node, launcher]).toEqual(['node', 'bin/leaselab.mjs'])
  return (await launch([...verb, ...args], { env })).stdout
}

function masked(output: string): string {
  return output
    .replace(/digest [0-9a-f]{16}/g, 'digest ################')
    .replace(/in \d+\.\d\d s$/gm, 'in #.## s')
}

describe('README', () => {
  it('shows the self-check, the starter and a freeze', () => {
    expect(blocks.map(({ command }) => command.replace(/.*pnpm (\w+).*/, '$1'))).toEqual([
      'start',
      'leaselab',
      'leaselab',
    ])
  })

  // The second block grades the starter as it is shipped.
  it.each(starterEdited ? blocks.filter((_, k) => k !== 1) : blocks)(
    'shows the true output of $command',
    async ({ command, output }) => {
      const truth = await run(command)
      if (process.env.UPDATE_README === '1') {
        const now = readFileSync(README, 'utf8')
        writeFileSync(
          README,
          now.replace(`$ ${command}\n${output}`, () => `$ ${command}\n${truth}`),
        )
      } else {
        expect(masked(output)).toBe(masked(truth))
      }
    },
  )

  it('names every dependency', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    const missing = names.filter(
      (name) => !text.includes(`\`${name}\``) && !name.startsWith('@types/'),
    )
    expect(missing).toEqual([])
  })

  it('installs with the version of pnpm that the project pins', () => {
    const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(text).toContain(
      `npx -y ${packageManager} install && MOCK=1 SELFTEST=1 npx -y ${packageManager} start`,
    )
  })
})
