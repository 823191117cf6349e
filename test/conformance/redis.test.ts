/**
 * The engine against a real redis-server: the same commands, the same bytes.
 *
 * Needs an installed redis-server 7.0 (Debian, Ubuntu: apt-get install redis-server) and starts its
 * own on loopback. Without one the tests are skipped; with LEASELAB_REAL_REDIS=1 that is a failure.
 * LEASELAB_SEED and LEASELAB_SEQUENCES choose where drawn sequences begin and how many there are.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installedRedis, type RunningServer, startRedis } from '../../scripts/servers.mjs'
import { COMMANDS } from '../../src/infra/redis/commands/registry.ts'
import { loadLua } from '../../src/infra/redis/lua.ts'
import { FAMILIES } from './cases/index.ts'
import { Differ, type Difference, parseStep } from './differ.ts'
import { randomOddSteps } from './random-odd.ts'
import { randomSteps } from './random-steps.ts'
import { answerOfEngine, answerOfReal, RAW_INPUTS } from './raw-bytes.ts'

const required = process.env.LEASELAB_REAL_REDIS === '1'
const version = installedRedis()
const usable = version?.startsWith('7.0.') ?? false
const SEQUENCES = 60
const ODD_SEQUENCES = 200
const HOW = 'install redis-server 7.0 (apt-get install redis-server) to compare against it'

function report(differences: readonly Difference[]): string {
  return differences
    .map(
      ({ step, command, real, engine }) =>
        `step ${step}: ${command}\n  real   ${real}\n  engine ${engine}`,
    )
    .join('\n')
}

describe('the engine answers as a real Redis does', () => {
  it.runIf(required)('a real Redis 7.0 is installed', () => {
    expect(usable, `found ${version ?? 'none'}; ${HOW}`).toBe(true)
  })

  describe.runIf(usable)(`redis-server ${version}`, () => {
    let server: RunningServer
    let differ: Differ

    beforeAll(async () => {
      server = await startRedis()
      differ = await Differ.connect(server.port, await loadLua())
    }, 20_000)

    afterAll(async () => {
      differ?.close()
      await server?.stop()
    })

    for (const { name, cases } of FAMILIES) {
      describe(name, () => {
        for (const { title, steps } of cases) {
          it(title, async () => {
            expect(report(await differ.run(steps))).toBe('')
          })
        }
      })
    }

    for (const [title, input] of RAW_INPUTS) {
      it(`raw bytes: ${title}`, async () => {
        const real = await answerOfReal(server.port, input)
        const lua = await loadLua()
        expect(answerOfEngine(lua, input, 64 * 1024)).toEqual(real)
        expect(answerOfEngine(lua, input, 7)).toEqual(real)
      })
    }

    for (const [what, draw, count, sequences] of [
      ['any sequence of commands', randomSteps, 150, SEQUENCES],
      [
        'any sequence of commands that are often not quite right',
        randomOddSteps,
        60,
        ODD_SEQUENCES,
      ],
    ] as const) {
      it(`${what}, drawn from a seed`, async () => {
        const first = Number(process.env.LEASELAB_SEED ?? 1)
        const end = first + Number(process.env.LEASELAB_SEQUENCES ?? sequences)
        for (let seed = first; seed < end; seed++) {
          const differences = await differ.run(draw(seed, count))
          const repeat = `repeat with LEASELAB_SEED=${seed}`
          expect(report(differences.slice(0, 3)), repeat).toBe('')
        }
      }, 600_000)
    }
  })

  it.skipIf(usable)(`skipped: found ${version ?? 'no redis-server'}; ${HOW}`, () => {})

  it('every command of the registry occurs in a case', () => {
    const used = new Set(
      FAMILIES.flatMap(({ cases }) => cases)
        .flatMap(({ steps }) => steps)
        .flatMap((step) => {
          const words = parseStep(step).args.map((arg) => arg.toString('latin1').toLowerCase())
          return [words[0], `${words[0]}|${words[1]}`]
        }),
    )
    const names = [...COMMANDS.values()].flatMap((command) => [
      command.name,
      ...[...(command.subcommands?.values() ?? [])].map((sub) => sub.name),
    ])
    expect(names.filter((name) => !used.has(name))).toEqual([])
  })
})
