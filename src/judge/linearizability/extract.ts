/**
 * Operations of leases and of a store, read out of a history.
 *
 * As the servers saw them: an operation lasts from the arrival of its command to its answer there,
 * which is an instant, unless it was held or waited. So the check of such a history asks whether the
 * servers' answers are those of a lease, and of a fenced store, one after the other. What was done is
 * told by the effects on the keys, also for scripts; whose it was by the lease's value among the
 * arguments, else by the last grant to that process. A command that names a lease and shows nothing of
 * it (an error, a script whose answer can mean this or that) is counted as `unread`.
 */

import type { RedisEffect } from '../../trace/events.ts'
import type { History, RedisExchange } from '../../trace/history.ts'
import { keysOf } from '../facts/command-keys.ts'
import { type Grant, grantsOf, lastGrantTo, leasesCarried, ownerAndToken } from '../facts/grants.ts'
import { storeCalls } from '../facts/store.ts'
import type { LeaseSetting, MessageSetting, StoreSetting } from '../setting.ts'
import type { StoreInput, StoreOutput } from './models/fenced-store.ts'
import type { LeaseInput, LeaseOutput } from './models/lease.ts'
import type { Operation } from './operation.ts'

export type LeaseOperation = Operation<LeaseInput, LeaseOutput>
export type StoreOperation = Operation<StoreInput, StoreOutput>

/** What clients did to the leases. Staged resources are left out. */
export function leaseOperations(
  history: History,
  leases: LeaseSetting,
  messages: MessageSetting | null,
): { readonly operations: readonly LeaseOperation[]; readonly unread: number } {
  const reader = new LeaseReader(history, leases, messages)
  const operations: LeaseOperation[] = []
  let unread = 0
  for (const exchange of history.redis.exchanges()) {
    for (const key of reader.leasesOf(exchange)) {
      const done = reader.read(exchange, key)
      if (!done) {
        unread += 1
        continue
      }
      const { command, answer } = exchange
      operations.push({
        client: command.process,
        resource: key.slice(leases.keyStart.length),
        input: done[0],
        callUs: command.t,
        outcome: { kind: 'known', output: done[1], returnUs: answer?.t ?? command.t },
      })
    }
  }
  return { operations, unread }
}

/** What was sent to the store; without a clear answer the outcome is unknown. */
export function storeOperations(history: History, store: StoreSetting): readonly StoreOperation[] {
  return storeCalls(history, store).map((call) => {
    const { kind, by, resource, token, run, seq, outcome, asked, t } = call
    const input: StoreInput =
      kind === 'plant'
        ? { kind, token }
        : { kind: 'append', token, message: `${run} message ${seq}` }
    const unclear = outcome === 'unknown' || outcome === 'failed'
    return {
      client: by,
      resource,
      input,
      callUs: asked.t,
      outcome: unclear ? { kind: 'unknown' } : { kind: 'known', output: outcome, returnUs: t },
    }
  })
}

type Done = readonly [LeaseInput, LeaseOutput]

interface Whose {
  readonly owner: string
  readonly token: number
}

class LeaseReader {
  readonly #leases: LeaseSetting
  readonly #messages: MessageSetting | null
  readonly #grants: readonly Grant[]
  readonly #effects = new Map<number, RedisEffect[]>()

  constructor(history: History, leases: LeaseSetting, messages: MessageSetting | null) {
    this.#leases = leases
    this.#messages = messages
    this.#grants = grantsOf(history, leases)
    for (const { effect } of history.redis.effects()) {
      if (effect.id === null) continue
      this.#effects.set(effect.id, [...(this.#effects.get(effect.id) ?? []), effect])
    }
  }

  /** Keys of leases that a command names or changes. */
  leasesOf({ command }: RedisExchange): readonly string[] {
    const changed = (this.#effects.get(command.id) ?? []).map(({ key }) => key)
    const { keyStart, staged } = this.#leases
    return [...new Set([...keysOf(command.argv), ...changed])].filter(
      (key) => key.startsWith(keyStart) && !staged.includes(key.slice(keyStart.length)),
    )
  }

  /** What a command did to one lease, or asked of it; null if that cannot be told. */
  read(exchange: RedisExchange, key: string): Done | null {
    const own = this.#effects.get(exchange.command.id) ?? []
    const effect = own.find((each) => each.key === key)
    return effect ? this.#did(exchange, effect) : this.#asked(exchange, key, own)
  }

  #did({ command }: RedisExchange, effect: RedisEffect): Done | null {
    const { key, op, value, expireAt, t, i } = effect
    const ttlUs = expireAt === null ? Number.POSITIVE_INFINITY : expireAt - t
    if (op === 'set') {
      const lease = ownerAndToken(value ?? '', this.#leases.separator)
      if (!lease) return null
      if (this.#grants.some((grant) => grant.i === i)) {
        return [
          { kind: 'acquire', owner: lease.owner, ttlUs },
          { kind: 'granted', token: lease.token },
        ]
      }
      return [{ kind: 'renew', ...lease, ttlUs }, { kind: 'ok' }]
    }
    const whose = this.#whose(command, key)
    if (op === 'expire') return [{ kind: 'renew', ...whose, ttlUs }, { kind: 'ok' }]
    return op === 'del' ? [{ kind: 'release', ...whose }, { kind: 'ok' }] : null
  }

  /** A command that left the lease as it was. */
  #asked(
    { command, answer }: RedisExchange,
    key: string,
    own: readonly RedisEffect[],
  ): Done | null {
    const { argv } = command
    const [name = ''] = argv
    const reply = answer?.reply
    const carried = this.#carried(argv)
    const no = reply === 0 || reply === null
    const ttlUs = this.#leases.ttlMs * 1000
    if (name === 'GET') {
      if (reply === null) return [{ kind: 'read' }, { kind: 'shown', lease: null }]
      const lease = typeof reply === 'string' ? ownerAndToken(reply, this.#leases.separator) : null
      return lease && [{ kind: 'read' }, { kind: 'shown', lease }]
    }
    if (/^P?EXPIRE(AT)?$/.test(name) && no) {
      return [{ kind: 'renew', ...this.#whose(command, key), ttlUs }, { kind: 'lost' }]
    }
    if ((name === 'DEL' || name === 'UNLINK') && no) {
      return [{ kind: 'release', ...this.#whose(command, key) }, { kind: 'lost' }]
    }
    if ((name === 'SET' || name === 'SETNX') && no && carried) {
      return [{ kind: 'acquire', owner: carried.owner, ttlUs }, { kind: 'taken' }]
    }
    if (!/^(EVAL|EVALSHA|FCALL)$/.test(name)) return null
    const streams = this.#messages?.keyStart
    const guards = keysOf(argv).some((each) => streams !== undefined && each.startsWith(streams))
    if (carried && guards) {
      // A script that writes under the guard of a lease has seen that lease.
      return own.length > 0 ? [{ kind: 'read' }, { kind: 'shown', lease: carried }] : null
    }
    if (!no) return null
    if (carried) return [{ kind: 'renew', ...carried, ttlUs }, { kind: 'lost' }]
    return [{ kind: 'acquire', owner: command.process, ttlUs }, { kind: 'taken' }]
  }

  /** For which lease a command was meant; token 0, which none has, if its sender never had one. */
  #whose(command: { process: string; i: number; argv: readonly string[] }, key: string): Whose {
    const resource = key.slice(this.#leases.keyStart.length)
    const carried = this.#carried(command.argv)
    if (carried) return carried
    const grant = lastGrantTo(this.#grants, command.process, resource, command)
    return { owner: grant?.owner ?? command.process, token: grant?.token ?? 0 }
  }

  #carried(argv: readonly string[]): Whose | null {
    return leasesCarried(argv, this.#leases.separator).at(0) ?? null
  }
}
