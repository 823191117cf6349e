/**
 * One held shard, as its worker believes: token, state of the renewals, and the chain of its work.
 *
 * A holding ends once and stays ended; winning the shard again makes a new one with a new token. Its
 * signal stops what waits inside a handler. A request that has left cannot be called back, which is
 * what the fence is for.
 */

import { claimedAt, failed, type RenewalState, renewed, stopReason } from './self-stop.ts'

/** Thrown inside a shard's work when the shard is no longer ours. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface HoldingRules {
  readonly leaseTtlMs: number
  readonly renewMs: number
  readonly selfStop: boolean
}

export class Holding {
  readonly shard: number
  readonly token: number
  /** Ids of entries that are being handled or wait for it. */
  readonly inHand = new Set<string>()
  /** The token is planted and the consumer group is there. */
  prepared = false
  /** A renewal is under way and has not been answered. */
  renewing = false
  readonly #rules: HoldingRules
  readonly #stop = new AbortController()
  #renewals: RenewalState
  #ended = false
  #chain: Promise<void> = Promise.resolve()
  #jobs = 0

  constructor(shard: number, token: number, claimSentAtMs: number, rules: HoldingRules) {
    this.shard = shard
    this.token = token
    this.#rules = rules
    this.#renewals = claimedAt(claimSentAtMs)
  }

  /** Aborted when effects of this holding must stop. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Nothing is being done for this shard, nor waits to be: it can be read. */
  get idle(): boolean {
    return !this.#ended && this.#jobs === 0
  }

  /** Resolves when all that was given to `enqueue` so far has come to its end; never rejects. */
  get settled(): Promise<void> {
    return this.#chain.catch(() => {})
  }

  /**
   * Runs `job` after all jobs given before it: the shard's chain. A job that rejects ends the chain,
   * so jobs settle what they can and reject only with what must end the process.
   */
  enqueue(job: () => Promise<void>): Promise<void> {
    this.#jobs += 1
    this.#chain = this.#chain.then(job).finally(() => {
      this.#jobs -= 1
    })
    return this.#chain
  }

  /** Whether an effect may be begun now. To be asked right before each of them. */
  mayAct(): boolean {
    return !this.#stop.signal.aborted && this.stopReason() === null
  }

  /** Why this holding must be given up, or null; always null with self-stop off. */
  stopReason(): string | null {
    if (!this.#rules.selfStop) return null
    return stopReason(this.#renewals, performance.now(), this.#rules.leaseTtlMs)
  }

  renewalSucceeded(sentAtMs: number): void {
    this.#renewals = renewed(this.#renewals, sentAtMs)
  }

  renewalFailed(attemptAtMs: number): void {
    this.#renewals = failed(this.#renewals, attemptAtMs, this.#rules.renewMs)
  }

  /** First half of giving up: whatever waits inside a handler is woken with `LeaseLost`. */
  stopEffects(): void {
    if (!this.#stop.signal.aborted) this.#stop.abort(new LeaseLost(`shard ${this.shard} is lost`))
  }

  /** Second half. True the first time. */
  end(): boolean {
    this.stopEffects()
    const first = !this.#ended
    this.#ended = true
    return first
  }

  /** Resolves after `ms`; rejects with `LeaseLost` as soon as effects must stop. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this
      if (signal.aborted) return reject(signal.reason)
      const wake = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', wake)
        resolve()
      }, ms)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
