/**
 * Exercise 4: which environment this is, and every name that this lab writes into Redis.
 *
 * `APP_ENV` (default: `dev`) stands in front of each key, so that dev and prod never meet, also where
 * somebody has given both the same Redis. `KEY_PREFIX` (default: empty) stands before that, for two
 * runs that share a server. Nothing else in the lab may spell out a key.
 */

export type AppEnv = 'dev' | 'prod'

const space = process.env.KEY_PREFIX ?? ''

/** The consumer group of the runs. */
export const GROUP = 'workers'

/** `APP_ENV`: not set means `dev`. Throws for anything but `dev` and `prod`, the empty string too. */
export function appEnv(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): AppEnv {
  const value = variables.APP_ENV
  if (value === undefined) return 'dev'
  if (value === 'dev' || value === 'prod') return value
  throw new Error(`APP_ENV: expected dev, prod, or no such variable, got ${JSON.stringify(value)}.`)
}

/** The name under which `key` is kept in an environment. */
export function namespaced(key: string, env: AppEnv = appEnv()): string {
  return `${space}${env}:${key}`
}

/** The stream from which all workers pull. */
export function runsStream(env?: AppEnv): string {
  return namespaced('koda:runs', env)
}

/** The hash with one field a worker. */
export function workersKey(env?: AppEnv): string {
  return namespaced('koda:workers', env)
}

/** The lease of one shard. Its value is `<worker>|<token>`. */
export function leaseKey(shard: number, env?: AppEnv): string {
  return namespaced(`lease:shard:${shard}`, env)
}

/** Counter of the tokens of a shard's leases: here one number, rising, for all shards. */
export function fenceCounter(_shard: number, env?: AppEnv): string {
  return namespaced('lease:fence', env)
}

/** Says that a run is in the stream, so that nobody adds it again. */
export function publishedKey(runId: string, env?: AppEnv): string {
  return namespaced(`koda:published:${runId}`, env)
}

/**
 * Refuses to go on as prod with anything that only lives in memory (`mode` is `memory`): it would
 * look like prod and forget everything. Called by the launcher.
 */
export function assertProdSafety(mode: 'memory' | 'real', env: AppEnv = appEnv()): void {
  if (env !== 'prod' || mode === 'real') return
  throw new Error('APP_ENV: expected dev, as runs are kept in memory only, got "prod".')
}
