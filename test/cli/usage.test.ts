import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LAB, LAB_DIR, launch, ROOT, type Surroundings } from './launch.ts'

const scratch = mkdtempSync(join(tmpdir(), 'leaselab-usage-'))
const file = join(scratch, 'shard.ts')
writeFileSync(file, 'export {}\n')
const empty = mkdtempSync(join(scratch, 'empty-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const LABS = `${LAB}, day-14-compose-multi-worker, mini-koda`
const SELF_CHECK = 'MOCK=1 SELFTEST=1 pnpm start'
const MODULES = 'keys.ts, shard.ts, lease.ts, renew.ts, store.ts, worker.ts'
const A_FOLDER = `a folder with at least one of: ${MODULES}`
const TO_STARTER = `pnpm leaselab grade ${LAB} --target ./labs/agent-30days/${LAB}/starter`

interface Slip extends Surroundings {
  readonly title: string
  readonly args: readonly string[]
  readonly message: string
  readonly where: string
  readonly expected: string
  readonly got: string
  readonly next: string
}

const memory = { MOCK: '1', SELFTEST: '1' }

const slips: readonly Slip[] = [
  {
    title: 'an unknown lab is refused, with the nearest name',
    args: ['grade', 'day-10-shardinglease', '--target', scratch],
    message: `There is no lab named "day-10-shardinglease". Did you mean ${LAB}?`,
    where: 'argument <lab>',
    expected: `one of: ${LABS}`,
    got: '"day-10-shardinglease"',
    next: `pnpm leaselab grade ${LAB} --target <folder>`,
  },
  {
    title: 'LAB names an unknown lab: nothing is guessed',
    args: ['start'],
    env: { ...memory, LAB: 'qqq' },
    message: 'There is no lab named "qqq".',
    where: 'environment variable LAB',
    expected: `one of: ${LABS}`,
    got: '"qqq"',
    next: `pnpm leaselab grade ${LAB} --target <folder>`,
  },
  {
    title: 'grade at the root without a lab asks which one',
    args: ['grade', '--target', scratch],
    message: 'Which lab is meant?',
    where: 'command line',
    expected: `to stand in a lab's folder, or the name of one: ${LABS}`,
    got: `no name, in ${ROOT}`,
    next: `pnpm leaselab grade ${LAB} --target <folder>`,
  },
  {
    title: 'grade without a target asks for one',
    args: ['grade', LAB],
    message: 'Which folder is to be graded?',
    where: 'option --target',
    expected: 'the folder with your files',
    got: 'nothing',
    next: TO_STARTER,
  },
  {
    title: 'a missing folder is refused',
    args: ['grade', LAB, '--target', '/no/such/folder'],
    message: 'The target is not there.',
    where: 'option --target',
    expected: A_FOLDER,
    got: 'no such folder: /no/such/folder',
    next: TO_STARTER,
  },
  {
    title: 'an empty target is refused',
    args: ['grade', LAB, '--target', ''],
    message: 'The target is not there.',
    where: 'option --target',
    expected: A_FOLDER,
    got: 'an empty path',
    next: TO_STARTER,
  },
  {
    title: 'a file as target is refused, and its folder is proposed',
    args: ['grade', LAB, '--target', file],
    message: 'The target is a file; a folder is graded as a whole.',
    where: 'option --target',
    expected: A_FOLDER,
    got: `a file: ${file}`,
    next: `pnpm leaselab grade ${LAB} --target ${scratch}`,
  },
  {
    title: "a folder with none of the lab's files is refused",
    args: ['grade', LAB, '--target', empty],
    message: "The target has none of the lab's files.",
    where: 'option --target',
    expected: A_FOLDER,
    got: `none of them in ${empty}`,
    next: TO_STARTER,
  },
  {
    title: 'a seed that is not a number is refused',
    args: ['grade', LAB, '--target', scratch, '--seed', 'abc'],
    message: 'The seed is not a number.',
    where: 'option --seed',
    expected: 'a whole number from 0, with at most 15 digits',
    got: '"abc"',
    next: '--seed 1',
  },
  {
    title: 'a check that the lab does not have is refused',
    args: ['grade', LAB, '--target', scratch, '--check', '9'],
    message: `${LAB} has no such check.`,
    where: 'option --check',
    expected: 'one of: 1, 2, 3, 4, 5',
    got: '"9"',
    next: '--check 1',
  },
  {
    title: 'a misspelt verb is refused, with the nearest one',
    args: ['grad'],
    message: 'There is no command grad. Did you mean grade?',
    where: 'command line',
    expected: 'one of: start, selftest, grade, process, run, bench',
    got: 'leaselab grad',
    next: 'pnpm leaselab --help',
  },
  {
    title: 'a misspelt option is refused, with the nearest one',
    args: ['grade', LAB, '--tagret', 'x'],
    message: 'There is no option --tagret. Did you mean --target?',
    where: 'command line, grade',
    expected: 'one of: --seed, --json, --twice, --no-together, --arm, --target, --check',
    got: `leaselab grade ${LAB} --tagret x`,
    next: 'pnpm leaselab grade --help',
  },
  {
    title: 'an option without its value is refused',
    args: ['selftest', '--seed'],
    message: "Option '--seed <n>' argument missing.",
    where: 'command line, selftest',
    expected: 'leaselab selftest [options]',
    got: 'leaselab selftest --seed',
    next: 'pnpm leaselab selftest --help',
  },
  {
    title: 'one argument too many is refused',
    args: ['grade', LAB, 'more'],
    message: "Too many arguments for 'grade'. Expected 1 argument but got 2.",
    where: 'command line, grade',
    expected: 'leaselab grade [options] [lab]',
    got: `leaselab grade ${LAB} more`,
    next: 'pnpm leaselab grade --help',
  },
  ...['MOCK', 'SELFTEST'].flatMap((name) =>
    ['0', 'true', ''].map((value) => ({
      title: `${name}=${JSON.stringify(value)} is refused: only 1 means something`,
      args: ['start'],
      env: { ...memory, [name]: value },
      message: `${name} has a value that means nothing here.`,
      where: `environment variable ${name}`,
      expected: '1, or not set',
      got: JSON.stringify(value),
      next: SELF_CHECK,
    })),
  ),
  ...['staging', ''].map((value) => ({
    title: `APP_ENV=${JSON.stringify(value)} is refused`,
    args: ['start'],
    env: { ...memory, APP_ENV: value },
    message: 'APP_ENV has a value that means nothing here.',
    where: 'environment variable APP_ENV',
    expected: 'dev, prod, or not set',
    got: JSON.stringify(value),
    next: `unset APP_ENV, then ${SELF_CHECK}`,
  })),
  {
    title: 'APP_ENV=prod is refused in memory',
    args: ['start'],
    env: { ...memory, APP_ENV: 'prod' },
    message: 'APP_ENV=prod is refused in memory: nothing would be kept.',
    where: 'environment variable APP_ENV',
    expected: 'dev or not set, as everything here lives in memory',
    got: '"prod"',
    next: `unset APP_ENV, then ${SELF_CHECK}`,
  },
  {
    title: 'REDIS_URL without MOCK asks for the real arm; a password is masked',
    args: ['start'],
    env: { SELFTEST: '1', REDIS_URL: 'redis://me:s3cr@t@127.0.0.1:1/0' },
    message: 'No Redis answers at 127.0.0.1:1.',
    where: 'environment variable REDIS_URL',
    expected: 'a server that takes the connection',
    got: 'ECONNREFUSED (redis://me:***@127.0.0.1:1/0)',
    next: 'start one (redis-server --save "", or docker compose up in the lab), or correct REDIS_URL',
  },
  {
    title: 'REDIS_URL that is no address of a Redis is refused',
    args: ['start'],
    env: { SELFTEST: '1', REDIS_URL: 'http://:s3cr@t@127.0.0.1' },
    message: 'REDIS_URL is no address of a Redis server.',
    where: 'environment variable REDIS_URL',
    expected:
      'redis://[user:password@]host[:port][/database], or rediss:// for TLS; e.g. redis://127.0.0.1:6379',
    got: 'http://:***@127.0.0.1',
    next: 'REDIS_URL=redis://127.0.0.1:6379 pnpm leaselab grade <lab> --target <folder>',
  },
  {
    title: '--twice has no meaning in the real arm',
    args: ['start', '--twice'],
    env: { SELFTEST: '1', REDIS_URL: 'redis://127.0.0.1:1' },
    message: 'No two runs of the real arm are alike.',
    where: 'option --twice',
    expected: '--twice in memory only',
    got: '--twice with REDIS_URL',
    next: 'leave --twice out, or set MOCK=1',
  },
  {
    title: '--arm real without an address says what is missing',
    args: ['grade', LAB, '--target', `${LAB_DIR}/solution`, '--arm', 'real'],
    message: 'The real arm needs a real Redis.',
    where: 'option --arm',
    expected: 'REDIS_URL in the environment',
    got: 'no REDIS_URL',
    next: 'REDIS_URL=redis://127.0.0.1:6379 pnpm leaselab grade <lab> --target <folder> --arm real',
  },
  {
    title: 'start without SELFTEST says that there is no live view yet',
    args: ['start'],
    env: { MOCK: '1' },
    message: 'The live view is not built yet; the self-check is.',
    where: 'leaselab start',
    expected: 'SELFTEST=1',
    got: 'SELFTEST is not set',
    next: 'MOCK=1 SELFTEST=1 pnpm start (or, in any shell: pnpm selftest)',
  },
  {
    title: 'process: a program that the lab does not have is refused, with the nearest name',
    args: ['process', 'wroker'],
    cwd: LAB_DIR,
    message: `${LAB} has no program wroker. Did you mean worker?`,
    where: 'argument <program>',
    expected: 'one of: worker, store, gateway, customer',
    got: '"wroker"',
    next: 'pnpm leaselab process worker',
  },
]

describe('usage errors', () => {
  it.each(slips)('$title', async (slip) => {
    const { message, where, expected, got, next } = slip
    const { code, stdout, stderr } = await launch(slip.args, slip)
    expect(stderr).toBe(
      `${message}\n  where     ${where}\n  expected  ${expected}\n  got       ${got}\n  next      ${next}\n`,
    )
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  })

  it.each(slips.filter((slip) => slip.args[0] !== 'process' && !slip.args.includes('more')))(
    'as JSON, and nothing else on stdout: $title',
    async (slip) => {
      const args = [slip.args[0]!, '--json', ...slip.args.slice(1)]
      const { code, stdout, stderr } = await launch(args, slip)
      const got = slip.got.replace(/^leaselab \w+/, '$& --json')
      const error = `${slip.message} (where: ${slip.where}; expected: ${slip.expected}; got: ${got}; next: ${slip.next})`
      expect(JSON.parse(stdout)).toEqual({ schema: 1, exitCode: 3, error })
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    },
  )
})

describe('help', () => {
  it.each([[[]], [['--help']]])('leaselab %j prints the verbs and the exit codes', async (args) => {
    const { code, stdout } = await launch(args)
    expect(code).toBe(0)
    expect(stdout).toContain('selftest [options]')
    expect(stdout).toContain('Exit codes: 0 all checks held')
  })
})
