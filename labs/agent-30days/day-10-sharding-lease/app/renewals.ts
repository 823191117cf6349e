/**
 * The renewals of all holdings: one round each interval, and what the answers mean.
 *
 * 1 renewed · 0 lost, given up at once, however late the answer comes · an error, or no answer within
 * the call's time: unknown, which counts as a failed attempt. A holding whose last renewal is still
 * unanswered gets no second one behind it on the same connection; its attempt counts as failed.
 * Said: one `renewals` line a round, and a `renew.answer` line for whatever is not a 1 in time.
 */

import { say, textOf } from 'agent-30days-shared/log.ts'
import { endWith, isSlip } from 'agent-30days-shared/slip.ts'
import type { Redis } from 'ioredis'
import { renew } from '#exercises/renew.ts'
import type { WorkerConfig } from './config.ts'
import { checkRenewal } from './contract.ts'
import type { Holding } from './holding.ts'

/** Sends one renewal for each holding. `onLost` is called for those that are no longer ours. */
export function renewAll(
  redis: Redis,
  config: WorkerConfig,
  holdings: readonly Holding[],
  onLost: (holding: Holding, reason: string) => void,
): void {
  if (holdings.length === 0) return
  const sentAtMs = performance.now()
  /** Asked in this round, and neither answered nor given up as unknown. */
  const waiting = new Set<Holding>()
  const count = { renewed: 0, refused: 0, unknown: 0 }

  const unknown = (holding: Holding, why: string) => {
    if (holding.ended) return
    count.unknown += 1
    holding.renewalFailed(sentAtMs)
    say('renew.answer', { shard: holding.shard, token: holding.token, answer: 'unknown', why })
  }
  const answered = (holding: Holding, answer: 0 | 1) => {
    if (holding.ended) return
    const late = !waiting.has(holding)
    if (answer === 1) {
      count.renewed += 1
      holding.renewalSucceeded(sentAtMs)
    } else count.refused += 1
    if (late || answer === 0) {
      say('renew.answer', { shard: holding.shard, token: holding.token, answer, late })
    }
    if (answer === 0) onLost(holding, 'renewal refused')
  }
  const settled = (holding: Holding) => {
    if (waiting.delete(holding) && waiting.size === 0) say('renewals', count)
  }

  for (const holding of holdings) {
    if (holding.renewing) {
      unknown(holding, 'the one before is unanswered')
      continue
    }
    holding.renewing = true
    waiting.add(holding)
    const { shard, token } = holding
    new Promise((resolve) =>
      resolve(renew(redis, shard, config.workerId, token, config.leaseTtlMs)),
    )
      .then((answer) => answered(holding, checkRenewal(answer)))
      .catch((error: unknown) => {
        if (isSlip(error)) endWith(error)
        else if (waiting.has(holding)) unknown(holding, textOf(error))
        // Its silence has counted already; what it says now is for whoever reads the lines.
        else say('renew.failed', { shard, token, error: textOf(error) })
      })
      .finally(() => {
        holding.renewing = false
        settled(holding)
      })
  }
  setTimeout(() => {
    for (const holding of [...waiting]) {
      unknown(holding, `no answer within ${config.callTimeoutMs} ms`)
      settled(holding)
    }
  }, config.callTimeoutMs).unref()
}
