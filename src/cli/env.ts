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
    lab: variables.LAB || null,
    target: variables.TARGET || null,
  }
}

/**
 * Decides that a run is in memory: null, or a line to tell that MOCK=1 set an address aside. Throws
 * UsageError when an address asks for the real arm.
 */
export function requireMemory(environment: Environment): string | null {
  const { urls, mock } = environment
  const first = urls[0]
  if (first === undefined) return null
  const names = urls.map((url) => url.name).join(', ')
  if (mock)
    return `MOCK=1 wins: ${names} ${urls.length === 1 ? 'is' : 'are'} set and not used; everything runs in memory.`
  throw new UsageError('The real arm is not built yet.', {
    where: `environment variable ${names}`,
    expected: 'MOCK=1, or no address: everything runs in memory',
    got: `${first.name}=${first.masked}`,
    next: SELF_CHECK,
  })
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
