/** A running server: its port on loopback, its process id, and its end. */
export interface RunningServer {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export function installedRedis(): string | null
export function startRedis(settings?: Readonly<Record<string, string>>): Promise<RunningServer>

export interface RunningPostgres extends RunningServer {
  /** Address with user and password of a superuser. */
  readonly url: string
  /** Stops the server, does `meanwhile`, and starts it again with its data at the same port. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
}

export function installedPostgres(): string | null
export function startPostgres(
  settings?: Readonly<Record<string, string | number>>,
): Promise<RunningPostgres>
