/**
 * The only reader of `process.env`: what the environment asks for, checked once.
 *
 * `MOCK`, `SELFTEST`: `1` or not set. `APP_ENV`: `dev`, `prod` or not set. `REDIS_URL`, `ETCD_URL`,
 * `DATABASE_URL`: an empty one counts as not set. `LAB`, `TARGET`: what `start` grades, where the
 * folder that one stands in does not say it. Refuses everything else with a UsageError.
 * Addresses are echoed without their password.
 */

import { maskAddress } from '../wire/mask-address.ts'
import { UsageError } from './usage-error.ts'

export interface Environment {
  readonly mock: boolean
  readonly selftest: boolean
  /** Names and masked values of the service addresses that are set. */
  readonly urls: readonly { readonly name: string; readonly masked: string }[]
  /** With its password: for the real arm alone, never to be printed. Null when it is not set. */
  readonly redisUrl: string | null
  readonly lab: string | null
  readonly target: string | null
}

type Variables = Readonly<Record<string, string | undefined>>

const SELF_CHECK = 'MOCK=1 SELFTEST=1 pnpm start'

/** Reads and checks what concerns a run. Throws UsageError. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const mock = readSwitch(variables, 'MOCK')
  const selftest = readSwitch(variables, 'SELFTEST')
  const urls = ['REDIS_URL', 'ETCD_URL', 'DATABASE_URL']
    .filter((name) => variables[name])
    .map((name) => ({ name, masked: maskAddress(variables[name]!) }))
  const appEnv = variables.APP_ENV
  if (appEnv !== undefined && appEnv !== 'dev' && appEnv !== 'prod') {
    throw new UsageError('APP_ENV has a value that means nothing here.', {
      where: 'environment variable APP_ENV',
      expected: 'dev, prod, or not set',
      got: JSON.stringify(appEnv),
      next: `unset APP_ENV, then ${SELF_CHECK}`,
    })
  }
  if (appEnv === 'prod' && (mock || urls.length === 0)) {
    throw new UsageError('APP_ENV=prod is refused in memory: nothing would be kept.', {
      where: 'environment variable APP_ENV',
      expected: 'dev or not set, as everything here lives in memory',
      got: '"prod"',
      next: `unset APP_ENV, then ${SELF_CHECK}`,
    })
  }
  return {
    mock,
    selftest,
    urls,
    redisUrl: variables.REDIS_URL || null,
    lab: variables.LAB || null,
    target: variables.TARGET || null,
  }
}

/** Which arm a run is on, and a line to tell about it. */
export interface ArmChoice {
  /** Null for memory. */
  readonly redisUrl: string | null
  /** That MOCK=1 set an address aside; null when there is nothing to tell. */
  readonly notice: string | null
}

/**
 * The arm of a run: memory with MOCK=1 or without an address, the real one with REDIS_URL. `asked` is
 * what `--arm` says. Throws UsageError when the two do not go together.
 */
export function chooseArm(environment: Environment, asked: string | undefined): ArmChoice {
  const { urls, mock, redisUrl } = environment
  if (asked !== undefined && asked !== 'sim' && asked !== 'real') {
    throw new UsageError('There is no such arm.', {
      where: 'option --arm',
      expected: 'sim (in memory) or real (child processes and the Redis of REDIS_URL)',
      got: JSON.stringify(asked),
      next: '--arm sim',
    })
  }
  if (mock && urls.length > 0) {
    const names = urls.map((url) => url.name).join(', ')
    const notice = `MOCK=1 wins: ${names} ${urls.length === 1 ? 'is' : 'are'} set and not used; everything runs in memory.`
    return { redisUrl: null, notice }
  }
  if (asked === 'sim') return { redisUrl: null, notice: null }
  const other = urls.find(({ name }) => name !== 'REDIS_URL')
  if (other !== undefined) {
    throw new UsageError(`The real arm has no use for ${other.name} yet.`, {
      where: `environment variable ${other.name}`,
      expected: 'REDIS_URL alone, or MOCK=1: everything runs in memory',
      got: `${other.name}=${other.masked}`,
      next: `unset ${other.name}`,
    })
  }
  if (asked === 'real' && redisUrl === null) {
    throw new UsageError('The real arm needs a real Redis.', {
      where: 'option --arm',
      expected: mock ? 'REDIS_URL, and no MOCK' : 'REDIS_URL in the environment',
      got: mock ? 'MOCK=1' : 'no REDIS_URL',
      next: 'REDIS_URL=redis://127.0.0.1:6379 pnpm leaselab grade <lab> --target <folder> --arm real',
    })
  }
  return { redisUrl, notice: null }
}

/** The folder that the person stands in: pnpm moves to the package's folder and tells the true one. */
export function callerFolder(cwd: string, variables: Variables = process.env): string {
  const told = variables.INIT_CWD
  return told?.startsWith(`${cwd}/`) || told?.startsWith(`${cwd}\\`) ? told : cwd
}

/** Whether to write in colour. `NO_COLOR` (not empty) forbids it, `FORCE_COLOR` asks for it. */
export function wantsColour(isTerminal: boolean, variables: Variables = process.env): boolean {
  if (variables.NO_COLOR) return false
  if (variables.FORCE_COLOR !== undefined) return variables.FORCE_COLOR !== '0'
  return isTerminal && variables.TERM !== 'dumb'
}

function readSwitch(variables: Variables, name: string): boolean {
  const value = variables[name]
  if (value === undefined) return false
  if (value === '1') return true
  throw new UsageError(`${name} has a value that means nothing here.`, {
    where: `environment variable ${name}`,
    expected: '1, or not set',
    got: JSON.stringify(value),
    next: SELF_CHECK,
  })
}

/** What a benchmark's child processes need of the environment to start at all. */
export function variablesForBench(variables: Variables = process.env): Record<string, string> {
  const kept = ['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  return Object.fromEntries(
    kept.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])),
  )
}
