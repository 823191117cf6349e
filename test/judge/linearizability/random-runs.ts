/**
 * Random concurrent runs of small objects, right ones and wrong ones, from a seed.
 *
 * Clients call one after the other each; a call takes effect at a drawn instant between its call and its
 * return. Some answers are lost: then the call took effect, or did not, and nobody knows. What a wrong
 * object does wrong is drawn too.
 */

import type {
  StoreInput,
  StoreOutput,
} from '../../../src/judge/linearizability/models/fenced-store.ts'
import type { LeaseInput, LeaseOutput } from '../../../src/judge/linearizability/models/lease.ts'
import type {
  RegisterInput,
  RegisterOutput,
} from '../../../src/judge/linearizability/models/register.ts'
import type { Operation } from '../../../src/judge/linearizability/operation.ts'
import { Chance, type Draw, wholeBetween } from '../../../src/sim/random.ts'

/** One object: what the next call of a client is, and what it answers when it takes effect. */
export interface Subject<In, Out> {
  next(client: string, draw: Draw): In
  take(client: string, input: In, atUs: number, draw: Draw): Out
}

export interface Load {
  readonly resources: number
  readonly clients: number
  /** Of each client on each resource. */
  readonly calls: number
  /** Of a hundred answers, so many are lost. */
  readonly lostPercent: number
  /** Longest pause of a client between two calls. */
  readonly pauseUs: number
}

interface Call {
  readonly client: string
  readonly callUs: number
  readonly effectUs: number
  readonly returnUs: number
  readonly lost: boolean
  readonly takes: boolean
}

/** All operations of a run, in the order of their calls. */
export function randomRun<In, Out>(
  seed: string,
  load: Load,
  makeSubject: () => Subject<In, Out>,
): readonly Operation<In, Out>[] {
  const chance = new Chance(seed)
  const operations: Operation<In, Out>[] = []
  for (let r = 0; r < load.resources; r += 1) {
    const subject = makeSubject()
    const draw = chance.stream(`resource ${r}`)
    const calls = Array.from({ length: load.clients }, (_, c) => callsOf(`client-${c}`, load, draw))
    for (const call of calls.flat().sort((a, b) => a.effectUs - b.effectUs)) {
      const { client, callUs, effectUs, returnUs, lost, takes } = call
      const input = subject.next(client, draw)
      const shared = { client, resource: `resource-${r}`, input, callUs }
      if (lost) {
        if (takes) subject.take(client, input, effectUs, draw)
        operations.push({ ...shared, outcome: { kind: 'unknown' } })
      } else {
        const output = subject.take(client, input, effectUs, draw)
        operations.push({ ...shared, outcome: { kind: 'known', output, returnUs } })
      }
    }
  }
  return operations.sort((a, b) => a.callUs - b.callUs)
}

function callsOf(client: string, load: Load, draw: Draw): readonly Call[] {
  const calls: Call[] = []
  let nowUs = wholeBetween(draw, 0, 1000)
  for (let n = 0; n < load.calls; n += 1) {
    const callUs = nowUs
    const effectUs = callUs + wholeBetween(draw, 1, 2000)
    const returnUs = effectUs + wholeBetween(draw, 1, 2000)
    const lost = wholeBetween(draw, 1, 100) <= load.lostPercent
    calls.push({ client, callUs, effectUs, returnUs, lost, takes: draw() < 0.5 })
    nowUs = returnUs + wholeBetween(draw, 1, load.pauseUs)
  }
  return calls
}

/** A register. `stale`: some reads show the value before the last one. `forgets`: some writes are lost. */
export class Register implements Subject<RegisterInput, RegisterOutput> {
  readonly #fault: 'none' | 'stale' | 'forgets'
  #value: string | null = null
  #before: string | null = null
  #writes = 0

  constructor(fault: 'none' | 'stale' | 'forgets' = 'none') {
    this.#fault = fault
  }

  next(client: string, draw: Draw): RegisterInput {
    const kind = wholeBetween(draw, 0, 2)
    if (kind === 0) return { kind: 'read' }
    const value = `${client}-${++this.#writes}`
    return kind === 1 ? { kind: 'write', value } : { kind: 'swap', expected: this.#value, value }
  }

  take(_client: string, input: RegisterInput, _atUs: number, draw: Draw): RegisterOutput {
    const wrong = draw() < 0.2
    if (input.kind === 'read') {
      const value = this.#fault === 'stale' && wrong ? this.#before : this.#value
      return { kind: 'value', value }
    }
    const done = input.kind === 'write' || input.expected === this.#value
    if (done && !(this.#fault === 'forgets' && wrong)) {
      this.#before = this.#value
      this.#value = input.value
    }
    return input.kind === 'write' ? { kind: 'written' } : { kind: 'swapped', done }
  }
}

/** Some calls long: a client that pauses can lose its lease. */
const LEASE_TTL_US = 10_000

/** A lease. `generous`: some claims are granted although somebody has it. `revives`: renewals of lapsed leases succeed. */
export class Lease implements Subject<LeaseInput, LeaseOutput> {
  readonly #fault: 'none' | 'generous' | 'revives'
  readonly #tokens = new Map<string, number>()
  #held: { owner: string; token: number; untilUs: number } | null = null
  #minted = 0

  constructor(fault: 'none' | 'generous' | 'revives' = 'none') {
    this.#fault = fault
  }

  next(client: string, draw: Draw): LeaseInput {
    const kind = wholeBetween(draw, 0, 9)
    const token = this.#tokens.get(client)
    const ttlUs = LEASE_TTL_US
    if (token === undefined || kind === 0) return { kind: 'acquire', owner: client, ttlUs }
    if (kind === 1) return { kind: 'read' }
    if (kind === 2) return { kind: 'release', owner: client, token }
    return { kind: 'renew', owner: client, token, ttlUs }
  }

  take(client: string, input: LeaseInput, atUs: number, draw: Draw): LeaseOutput {
    const held = this.#held && this.#held.untilUs >= atUs ? this.#held : null
    if (input.kind === 'read') {
      return { kind: 'shown', lease: held && { owner: held.owner, token: held.token } }
    }
    if (input.kind === 'acquire') {
      if (held && !(this.#fault === 'generous' && draw() < 0.3)) return { kind: 'taken' }
      this.#minted += 1
      this.#tokens.set(client, this.#minted)
      this.#held = { owner: client, token: this.#minted, untilUs: atUs + input.ttlUs }
      return { kind: 'granted', token: this.#minted }
    }
    const lapsed = this.#fault === 'revives' ? this.#held : held
    if (lapsed?.owner !== client || lapsed.token !== input.token) {
      this.#tokens.delete(client)
      return { kind: 'lost' }
    }
    if (input.kind === 'release') {
      this.#held = null
      this.#tokens.delete(client)
    } else lapsed.untilUs = atUs + input.ttlUs
    return { kind: 'ok' }
  }
}

/** A fenced store. `open`: some stale writes are accepted. `doubles`: some messages are written twice. */
export class Store implements Subject<StoreInput, StoreOutput> {
  readonly #fault: 'none' | 'open' | 'doubles'
  readonly #messages = new Set<string>()
  #highest = 0
  #seq = 0

  constructor(fault: 'none' | 'open' | 'doubles' = 'none') {
    this.#fault = fault
  }

  next(_client: string, draw: Draw): StoreInput {
    const token = Math.max(1, this.#highest + wholeBetween(draw, -3, 1))
    if (draw() < 0.1) return { kind: 'plant', token }
    if (draw() < 0.7) this.#seq += 1
    return { kind: 'append', token, message: `run-1 message ${this.#seq}` }
  }

  take(_client: string, input: StoreInput, _atUs: number, draw: Draw): StoreOutput {
    const wrong = draw() < 0.3
    if (input.token < this.#highest && !(this.#fault === 'open' && wrong)) return 'refused'
    this.#highest = Math.max(this.#highest, input.token)
    if (input.kind === 'plant') return 'accepted'
    const twice = this.#fault === 'doubles' && wrong
    if (this.#messages.has(input.message) && !twice) return 'duplicate'
    this.#messages.add(input.message)
    return 'accepted'
  }
}
