/**
 * The ways between the processes of a real run, and to its Redis: who reaches whom through which proxy.
 *
 * Made before anything is spawned: ports are taken, proxies listen or wait to, and each process gets
 * the environment that leads it through its own ones. A way to a process is open while that listens.
 */

import type { ProcessSpec } from '../scenario/scenario.ts'
import type { Recorder } from '../trace/recorder.ts'
import type { LinkState } from './arm.ts'
import type { CommandVerdict } from './director.ts'
import { HttpProxy } from './http-proxy.ts'
import { ProxyLink } from './proxy-link.ts'
import { answers, freePort, mentions, realEnvironment, servedPort } from './real-names.ts'
import { RedisProxy } from './redis-proxy.ts'
import type { RedisRun } from './redis-run.ts'

const REDIS_PORT = 6379

export interface WaysOptions {
  readonly processes: Readonly<Record<string, ProcessSpec>>
  readonly redis: RedisRun
  readonly record: Recorder['record']
  readonly incarnation: (process: string) => number
  readonly verdictOn: (
    process: string,
    argv: readonly string[],
    release: () => void,
  ) => CommandVerdict
  /** A command of the process was seen. */
  readonly moved: (process: string) => void
  readonly linkBit: (process: string, to: string) => void
  readonly after: (delayMs: number, run: () => void) => void
}

interface Place {
  /** Where it really listens; null for a process that serves nobody. */
  readonly port: number | null
  env: Readonly<Record<string, string>>
  /** It listens, and the ways to it are open. */
  isUp: boolean
}

export class Ways {
  readonly #options: WaysOptions
  readonly #places = new Map<string, Place>()
  readonly #links = new Map<string, ProxyLink>()
  readonly #redis: RedisProxy[] = []
  readonly #http: { readonly to: string; readonly proxy: HttpProxy }[] = []
  #nextRequest = 1

  constructor(options: WaysOptions) {
    this.#options = options
  }

  async make(): Promise<void> {
    const specs = Object.entries(this.#options.processes)
    for (const [name, spec] of specs) {
      const port = servedPort(spec) === null ? null : await freePort()
      this.#places.set(name, { port, env: {}, isUp: port === null })
    }
    for (const [name, spec] of specs) {
      this.#placeOf(name).env = await this.#environment(name, spec.env ?? {})
    }
  }

  environmentOf(name: string): Readonly<Record<string, string>> {
    return this.#placeOf(name).env
  }

  /** It listens, as far as it is to listen at all. */
  isUp(name: string): boolean {
    return this.#placeOf(name).isUp
  }

  /** Looks whether it listens by now, and opens the ways to it then. */
  async look(name: string): Promise<void> {
    const place = this.#placeOf(name)
    if (place.isUp || place.port === null || !(await answers(place.port))) return
    await Promise.all(this.#to(name).map((proxy) => proxy.serve(true)))
    place.isUp = true
  }

  /** It has ended: the ways to it are closed. */
  ended(name: string): void {
    const place = this.#placeOf(name)
    place.isUp = place.port === null
    for (const proxy of this.#to(name)) void proxy.serve(false)
  }

  /** It stands still, or goes on. */
  stopped(name: string, isStopped: boolean): void {
    for (const proxy of this.#to(name)) proxy.stopped(isStopped)
  }

  shape(process: string, to: string, state: LinkState): void {
    this.#linkOf(process, to).shape(state)
  }

  close(): void {
    for (const proxy of this.#redis) proxy.close()
    for (const { proxy } of this.#http) proxy.close()
  }

  async #environment(
    name: string,
    env: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const { processes, redis } = this.#options
    const places = new Map<string, string>()
    const server = `${redis.server}:${REDIS_PORT}`
    if (mentions(env, server)) {
      places.set(server, `127.0.0.1:${await this.#redisProxy(name).listen()}`)
    }
    for (const [to, { env: theirs = {} }] of Object.entries(processes)) {
      const place = `${to}:${theirs.PORT}`
      if (this.#placeOf(to).port === null || !mentions(env, place)) continue
      const port = await freePort()
      this.#http.push({ to, proxy: this.#httpProxy(name, to, Number(theirs.PORT), port) })
      places.set(place, `127.0.0.1:${port}`)
    }
    return realEnvironment(env, places, this.#placeOf(name).port, redis.prefix)
  }

  #redisProxy(name: string): RedisProxy {
    const { redis, incarnation, verdictOn, moved } = this.#options
    const proxy = new RedisProxy({
      run: redis,
      process: name,
      incarnation: () => incarnation(name),
      link: this.#linkOf(name, redis.server),
      verdictOn: (argv, release) => verdictOn(name, argv, release),
      moved: () => moved(name),
    })
    this.#redis.push(proxy)
    return proxy
  }

  #httpProxy(name: string, to: string, toPort: number, port: number): HttpProxy {
    const { record, incarnation, redis } = this.#options
    return new HttpProxy(port, {
      process: name,
      incarnation: () => incarnation(name),
      to,
      toPort,
      realPort: this.#placeOf(to).port ?? 0,
      record,
      link: this.#linkOf(name, to),
      nextRequest: () => this.#nextRequest++,
      nextConn: redis.nextConn,
    })
  }

  #to(name: string): readonly HttpProxy[] {
    return this.#http.filter(({ to }) => to === name).map(({ proxy }) => proxy)
  }

  #linkOf(process: string, to: string): ProxyLink {
    const { linkBit, after } = this.#options
    const key = `${process} ${to}`
    const link = this.#links.get(key) ?? new ProxyLink(() => linkBit(process, to), after)
    this.#links.set(key, link)
    return link
  }

  #placeOf(name: string): Place {
    const place = this.#places.get(name)
    if (place === undefined) throw new Error(`no process ${name} in this scenario`)
    return place
  }
}
