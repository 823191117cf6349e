/**
 * Agents and client requests of one process.
 *
 * Pooling, queueing, keep-alive, redirects of errors and time-outs are Node's own code; the sockets
 * come from this process's `net`, so their timers run on the virtual clock. Every request is given this
 * process's default agent: Node's would connect for real.
 */

import { EventEmitter } from 'node:events'
import * as real from 'node:http'
import type { HostContext } from '../../context.ts'
import type { NetModule } from '../net/index.ts'
import { bindClass, detachedPrototype } from './detach.ts'

export interface ClientClasses {
  readonly Agent: typeof real.Agent
  readonly ClientRequest: typeof real.ClientRequest
  readonly defaults: { globalAgent: unknown }
}

type Done = (...args: unknown[]) => void
type RequestOptions = Readonly<Record<string, unknown>>

export function makeClient(
  context: HostContext,
  outgoing: object,
  Outgoing: object,
): ClientClasses {
  const net = context.builtin('net') as NetModule

  function Agent(options?: object): object {
    const { defaultMaxSockets } = Agent as unknown as { defaultMaxSockets: number }
    const agent = new real.Agent({ maxSockets: defaultMaxSockets, ...options })
    const { maxSockets } = (options ?? {}) as { maxSockets?: number }
    if (maxSockets === undefined)
      Reflect.deleteProperty((agent as unknown as { options: object }).options, 'maxSockets')
    Object.setPrototypeOf(agent, new.target === undefined ? Agent.prototype : new.target.prototype)
    return agent
  }
  const agentPrototype = detachedPrototype(real.Agent.prototype, EventEmitter.prototype, [])
  Object.defineProperty(agentPrototype, 'createConnection', {
    value: (...args: unknown[]) => net.connect(...args),
    writable: true,
    configurable: true,
    enumerable: true,
  })
  bindClass(Agent, 'Agent', agentPrototype, EventEmitter)
  const AgentClass = Object.assign(Agent, { defaultMaxSockets: Number.POSITIVE_INFINITY })
  const NewAgent = AgentClass as unknown as new (options?: object) => object
  const defaults: { globalAgent: unknown } = {
    globalAgent: new NewAgent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }),
  }

  const RealRequest = real.ClientRequest as unknown as (
    this: object,
    url: unknown,
    options: RequestOptions,
    done?: Done,
  ) => void
  function ClientRequest(this: object, input: unknown, options?: unknown, done?: Done): void {
    const isUrl =
      typeof input === 'string' ||
      (typeof input === 'object' &&
        input !== null &&
        'href' in input &&
        'protocol' in input &&
        !('path' in input))
    const rest = isUrl ? [options, done] : [input, options]
    const [given, callback] = typeof rest[0] === 'function' ? [undefined, rest[0]] : rest
    const own = { ...(given as RequestOptions | undefined) }
    if (own.socketPath)
      context.unsupported('http.request({ socketPath })', 'Use http.request({ host, port }).')
    const all = { ...own, _defaultAgent: own._defaultAgent || defaults.globalAgent }
    if (isUrl) RealRequest.call(this, input, all, callback as Done | undefined)
    else
      (RealRequest as unknown as (this: object, options: RequestOptions, done?: Done) => void).call(
        this,
        all,
        callback as Done | undefined,
      )
  }
  const requestPrototype = detachedPrototype(real.ClientRequest.prototype, outgoing, [])
  bindClass(ClientRequest, 'ClientRequest', requestPrototype, Outgoing)
  return { Agent: AgentClass, ClientRequest, defaults } as unknown as ClientClasses
}
