/** A running server: its port on loopback, its process id, and its end. */
export interface RunningServer {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export function installedRedis(): string | null
export function startRedis(settings?: Readonly<Record<string, string>>): Promise<RunningServer>
